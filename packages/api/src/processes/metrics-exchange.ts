import type { Worker } from 'node:cluster';
import type { CheckMetrics } from '../metrics/checks.ts';
import type { MetricFamily } from '../metrics/family.ts';
import { addDeparted } from './departed.ts';
import type { FromProcess, ToProcess } from './messages.ts';

/** How long a process has to report its metrics; after that, its previous report counts. */
const patienceMs = 1_000;

/** Passes metrics between the serving processes. */
export interface MetricsExchange {
  /** Takes a message of a serving process, if it is about metrics. */
  take(from: Worker, message: FromProcess): void;
  /** Keeps the totals of a process that has ended. */
  ended(worker: Worker): void;
}

/**
 * Starts with no process; `everybody` lists the present serving processes, and `checks` are reported with their metrics.
 */
export function exchangeMetrics(everybody: () => readonly Worker[], checks: CheckMetrics): MetricsExchange {
  const known = new Map<number, MetricFamily[]>();
  const waiting = new Map<number, (own: MetricFamily[]) => void>();
  let departed: MetricFamily[] = [];
  let asked = 0;

  const ask = (worker: Worker): Promise<void> => {
    asked += 1;
    const id = asked;
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer);
        waiting.delete(id);
        resolve();
      };
      const timer = setTimeout(done, patienceMs);
      waiting.set(id, (own) => {
        known.set(worker.id, own);
        done();
      });
      send(worker, { own: id });
    });
  };
  const answer = async (from: Worker, id: number) => {
    const others = everybody().filter((worker) => worker.id !== from.id);
    await Promise.all(others.map(ask));
    const living = everybody().filter((worker) => worker.id !== from.id);
    const parts = living.map((worker) => known.get(worker.id) ?? []);
    send(from, { answer: id, parts: [...parts, departed, checks.families()] });
  };
  return {
    take(from, message) {
      if ('answered' in message) waiting.get(message.answered)?.(message.own);
      if (!('siblings' in message)) return;
      known.set(from.id, message.own);
      void answer(from, message.siblings);
    },
    ended(worker) {
      departed = addDeparted(departed, known.get(worker.id) ?? []);
      known.delete(worker.id);
    },
  };
}

function send(worker: Worker, message: ToProcess): void {
  if (worker.isConnected()) worker.send(message, () => {});
}
