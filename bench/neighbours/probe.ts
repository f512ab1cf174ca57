import { setTimeout as sleep } from 'node:timers/promises';
import { type Other, placeOrder } from '../company.ts';
import { sendTo, unused } from '../operations/stage.ts';
import { subscribe } from './endpoints.ts';

/** What a location that does its ordinary work meets. Milliseconds at the 99th percentile. */
export interface Met {
  apiMs: number;
  arrivalMs: number;
  /** Calls that were no success. */
  failures: string[];
  calls: number;
  events: number;
}

/** Calls a second: a product, an order, a page of products and a status move in turn. */
const rate = 40;
/** Orders that are made before the first is moved. */
const ordersAhead = 50;
/** What has not arrived so long after its change counts as that late. */
const patienceMs = 30_000;

export type Probe = (seconds: number) => Promise<Met>;

/** Makes a probe of a location: it calls at a fixed rate, whatever the answers take, and hears of its orders. */
export async function openProbe(location: Other, apiUrl: string, consumerUrl: string): Promise<Probe> {
  await subscribe({ apiUrl }, location, `${consumerUrl}/hook`, ['order.created', 'order.status_changed']);
  const ask = (method: 'GET' | 'PATCH', path: string, body?: unknown) =>
    sendTo(apiUrl, { method, path, body }, location.key);
  const pending: string[] = [];
  let made = 0;
  const steps: readonly (() => Promise<unknown>)[] = [
    () => ask('GET', `/v2/products/${location.productIds[made % location.productIds.length]}`),
    async () => {
      made += 1;
      pending.push(await placeOrder(location, apiUrl, unused('probe'), made * 7));
    },
    () => ask('GET', '/v2/products?limit=50'),
    async () => {
      const id = pending.shift();
      if (id === undefined) throw new Error('no order was made to move');
      await ask('PATCH', `/v2/orders/${id}/status`, { status: 'ready' });
    },
  ];
  const seen = async () =>
    (await (await fetch(consumerUrl)).json()) as { received: number; latencies: number[] };
  // Enough to move, however long an order takes.
  for (let order = 0; order < ordersAhead; order += 1) await steps[1]?.();

  return async (seconds) => {
    await sleep(100);
    const { received } = await seen();
    const took: number[] = [];
    const failures: string[] = [];
    let events = 0;
    const calls: Promise<void>[] = [];
    const began = performance.now();
    for (let call = 0; call < seconds * rate; call += 1) {
      const due = began + (call * 1_000) / rate;
      await sleep(Math.max(0, due - performance.now()));
      const step = call % steps.length;
      calls.push(
        (steps[step] ?? steps[0])?.().then(
          () => {
            if (step % 2 === 1) events += 1;
            took.push(performance.now() - due);
          },
          (error: unknown) => {
            failures.push(String(error));
          },
        ) ?? Promise.resolve(),
      );
    }
    await Promise.all(calls);
    const latencies: number[] = [];
    const end = performance.now() + patienceMs;
    for (;;) {
      const now = await seen();
      latencies.push(...now.latencies);
      if (now.received - received >= events || performance.now() > end) break;
      await sleep(50);
    }
    while (latencies.length < events) latencies.push(patienceMs);
    return { apiMs: p99(took), arrivalMs: p99(latencies), failures, calls: calls.length, events };
  };
}

const p99 = (values: readonly number[]) =>
  values.toSorted((a, b) => a - b)[Math.ceil(values.length * 0.99) - 1] ?? Number.NaN;
