import { setTimeout as sleep } from 'node:timers/promises';
import { type Place, placeOrder, send } from '../calls.ts';
import { percentile } from '../figure.ts';

/** The latencies of a location that does its ordinary work, in milliseconds. */
export interface Met {
  p50Ms: number;
  p99Ms: number;
  /** Calls that were no success. */
  failures: string[];
}

/** Calls a second: a product, an order, a page of products and a status move in turn. */
const rate = 40;
/** Orders that are made before the first is moved. */
const ordersAhead = 50;

/** Works for so many seconds. */
export type Probe = (seconds: number) => Promise<Met>;

/** Makes a probe of a location: it calls at a fixed rate, at any speed of the answers. */
export async function openProbe(place: Place, apiUrl: string): Promise<Probe> {
  const pending: string[] = [];
  let made = 0;
  const order = async () => {
    made += 1;
    pending.push(await placeOrder(apiUrl, place));
  };
  const get = (path: string) => send(apiUrl, place.key, { method: 'GET', path });
  const steps: readonly (() => Promise<unknown>)[] = [
    () => get(`/v2/products/${place.productIds[made % place.productIds.length]}`),
    order,
    () => get('/v2/products?limit=50'),
    () => {
      const path = `/v2/orders/${pending.shift()}/status`;
      return send(apiUrl, place.key, { method: 'PATCH', path, body: { status: 'ready' } });
    },
  ];
  // Enough to move, however long an order takes.
  for (let ahead = 0; ahead < ordersAhead; ahead += 1) await order();

  return async (seconds) => {
    const took: number[] = [];
    const failures: string[] = [];
    const calls: Promise<void>[] = [];
    const began = performance.now();
    const take = async (step: () => Promise<unknown>, due: number) => {
      try {
        await step();
        took.push(performance.now() - due);
      } catch (error) {
        failures.push(String(error));
      }
    };
    for (let at = 0; at < seconds * rate; at += 1) {
      const step = steps[at % steps.length];
      const due = began + (at * 1_000) / rate;
      await sleep(Math.max(0, due - performance.now()));
      if (step !== undefined) calls.push(take(step, due));
    }
    await Promise.all(calls);
    return { p50Ms: percentile(took, 0.5), p99Ms: percentile(took, 0.99), failures };
  };
}
