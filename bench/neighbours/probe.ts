import { setTimeout as sleep } from 'node:timers/promises';
import { type Other, placeOrder } from '../company.ts';
import { median } from '../load.ts';
import { sendTo, unused } from '../operations/stage.ts';
import { subscribe } from './endpoints.ts';

/** The latencies of a location that does its ordinary work. Milliseconds at the 99th percentile. */
export interface Met {
  apiMs: number;
  /** Of its calls, the median. */
  apiMedianMs: number;
  arrivalMs: number;
  /** Calls that were no success. */
  failures: string[];
}

/** Calls a second: a product, an order, a page of products and a status move in turn. */
const rate = 40;
/** Orders that are made before the first is moved. */
const ordersAhead = 50;
/** An event that has not arrived so long after its change counts as that late. */
const patienceMs = 30_000;

/** Works for so many seconds and waits until what follows has arrived. */
export type Probe = (seconds: number) => Promise<Met>;

/**
 * Makes a probe of a location: it calls at a fixed rate, at any speed of the answers, and receives the events of its
 * orders.
 */
export async function openProbe(location: Other, apiUrl: string, consumerUrl: string): Promise<Probe> {
  await subscribe({ apiUrl }, location, `${consumerUrl}/hook`, ['order.created', 'order.status_changed']);
  const ask = (method: 'GET' | 'PATCH', path: string, body?: unknown) =>
    sendTo(apiUrl, { method, path, body }, location.key);
  const pending: string[] = [];
  let made = 0;
  const order = async () => {
    made += 1;
    pending.push(await placeOrder(location, apiUrl, unused('probe'), made * 7));
  };
  const move = async () => {
    const id = pending.shift();
    if (id === undefined) throw new Error('no order was made to move');
    await ask('PATCH', `/v2/orders/${id}/status`, { status: 'ready' });
  };
  const steps: readonly { call(): Promise<unknown>; isPublished: boolean }[] = [
    {
      call: () => ask('GET', `/v2/products/${location.productIds[made % location.productIds.length]}`),
      isPublished: false,
    },
    { call: order, isPublished: true },
    { call: () => ask('GET', '/v2/products?limit=50'), isPublished: false },
    { call: move, isPublished: true },
  ];
  const seen = async () =>
    (await (await fetch(consumerUrl)).json()) as { received: number; latencies: number[] };
  // Enough to move, however long an order takes.
  for (let ahead = 0; ahead < ordersAhead; ahead += 1) await order();

  return async (seconds) => {
    await sleep(100);
    const { received } = await seen();
    const took: number[] = [];
    const failures: string[] = [];
    let events = 0;
    const calls: Promise<void>[] = [];
    const began = performance.now();
    const take = async (step: (typeof steps)[number], due: number) => {
      try {
        await step.call();
        took.push(performance.now() - due);
        if (step.isPublished) events += 1;
      } catch (error) {
        failures.push(String(error));
      }
    };
    for (let round = 0; round < (seconds * rate) / steps.length; round += 1)
      for (const [at, step] of steps.entries()) {
        const due = began + ((round * steps.length + at) * 1_000) / rate;
        await sleep(Math.max(0, due - performance.now()));
        calls.push(take(step, due));
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
    return { apiMs: p99(took), apiMedianMs: median(took), arrivalMs: p99(latencies), failures };
  };
}

const p99 = (values: readonly number[]) =>
  values.toSorted((a, b) => a - b)[Math.ceil(values.length * 0.99) - 1] ?? Number.NaN;
