import { setTimeout as sleep } from 'node:timers/promises';
import type { Operation } from '../../../packages/api/src/call/operations.ts';
import { startWatchedApi, type WatchedApi } from '../../support/watched-api.ts';
import { type Crowd, sendCrowd } from './crowd.ts';
import { bounds, isShed, judgeAnswer } from './judge.ts';
import { createObserver, type Seen } from './observer.ts';
import { openSubjects, requestOf, type Subject } from './subjects.ts';
import { nameOf, type Trial } from './trials.ts';

/** An API process that receives large bodies, and what they did to it so far. */
export interface Campaign {
  /** Sends the trials one after the other; a line for each that breaks a bound or the contract, and an end after three. */
  faultsOf(operation: Operation, trials: readonly Trial[]): Promise<string[]>;
  /** Sends all trials at once, and small requests of another location right behind them. */
  sendCrowd(trials: readonly Trial[]): Promise<Crowd>;
  /** Starts another process where the last one does not answer. */
  revive(): Promise<void>;
  /** Resident memory now, above what it was before the first body, in MiB. */
  keptMiB(): number;
  /** Answers by status, the longest stop and the most memory, with the trials that caused them. */
  report(): string;
  close(): Promise<void>;
}

/** Trials until the next set of kitchens: earlier ones may have removed what the operation works on. */
const kitchenLasts = 20;

/** Starts one with a single API process, whose heap may grow to 512 MiB. */
export async function openCampaign(): Promise<Campaign> {
  let field = await openField();
  const statuses = new Map<string, number>();
  const worst = { stopMs: 0, stopOf: '', grewMiB: 0, grewOf: '' };

  async function attempt(
    kitchens: readonly Subject[],
    trial: Trial,
    turn: number,
  ): Promise<Seen | undefined> {
    for (let tries = 0; ; tries += 1) {
      const subject = kitchens[(turn + tries) % kitchens.length];
      const request = subject && requestOf(trial, subject);
      if (request === undefined) return undefined;
      const seen = await field.observer.send(request);
      const { answer } = seen;
      const status = isShed(answer) ? 'shed' : String(answer.status);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      if (isShed(answer) && tries < 20) {
        await sleep(200);
        continue;
      }
      judgeAnswer(trial.target, request, answer);
      return seen;
    }
  }

  async function judge(kitchens: readonly Subject[], trial: Trial, turn: number): Promise<void> {
    const least = { stopMs: Number.POSITIVE_INFINITY, grewMiB: Number.POSITIVE_INFINITY };
    const isOver = () => least.stopMs > bounds.stopMs || least.grewMiB > bounds.grewMiB;
    // Only what repeats counts: garbage of earlier trials and code that is not compiled yet do not.
    for (let tries = 0; tries < 5 && isOver(); tries += 1) {
      const seen = await attempt(kitchens, trial, turn + tries);
      if (seen === undefined) return;
      if (seen.healthMs > bounds.healthMs)
        throw new Error(`/healthz waited for ${Math.round(seen.healthMs)} ms`);
      least.stopMs = Math.min(least.stopMs, seen.stopMs);
      least.grewMiB = Math.min(least.grewMiB, seen.grewMiB);
      if (seen.stopMs > 4 * bounds.stopMs) break;
    }
    const { stopMs, grewMiB } = least;
    if (stopMs > worst.stopMs) Object.assign(worst, { stopMs, stopOf: nameOf(trial) });
    if (grewMiB > worst.grewMiB) Object.assign(worst, { grewMiB, grewOf: nameOf(trial) });
    if (isOver()) throw new Error(`stopped the event loop for ${Math.round(stopMs)} ms, took ${grewMiB} MiB`);
  }

  const keptMiB = () => field.api.forgetPeak() - field.idleMiB;

  return {
    async faultsOf(operation, trials) {
      const faults: string[] = [];
      let kitchens: Subject[] = [];
      for (const [turn, trial] of trials.entries()) {
        if (turn % kitchenLasts === 0) kitchens = await openSubjects(field.api, operation);
        await judge(kitchens, trial, turn).catch((error: unknown) => {
          faults.push(`${nameOf(trial)}: ${error instanceof Error ? error.message : String(error)}`);
        });
        if (faults.length >= 3 || (faults.length > 0 && !(await isAlive(field)))) break;
      }
      return faults;
    },
    sendCrowd: (trials) => sendCrowd(field.api, trials),
    async revive() {
      if (await isAlive(field)) return;
      await closeField(field);
      field = await openField();
    },
    keptMiB,
    report() {
      const counted = [...statuses].sort().map(([status, count]) => `${status}: ${count}`);
      return `${counted.join(', ')}; longest stop ${Math.round(worst.stopMs)} ms (${worst.stopOf}); most memory ${worst.grewMiB} MiB (${worst.grewOf})`;
    },
    close: () => closeField(field),
  };
}

interface Field {
  api: WatchedApi;
  observer: ReturnType<typeof createObserver>;
  /** Highest resident memory before the first large body. */
  idleMiB: number;
}

async function openField(): Promise<Field> {
  const api = await startWatchedApi(['--max-old-space-size=512']);
  return { api, observer: createObserver(api), idleMiB: api.peakMiB() };
}

async function isAlive({ api }: Field): Promise<boolean> {
  return fetch(`${api.url}/healthz`).then(
    ({ ok }) => ok,
    () => false,
  );
}

async function closeField({ api, observer }: Field): Promise<void> {
  observer.close();
  await api.close();
}
