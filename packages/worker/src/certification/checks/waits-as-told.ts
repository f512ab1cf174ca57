import type { Check } from '../check.ts';
import { Unmet } from '../endings.ts';
import { changeCatalog, placeOrder } from '../events.ts';
import { askForOrder, isMove } from '../orders.ts';
import type { Run } from '../run.ts';
import type { Call } from '../statements.ts';
import { isPull, toPullSeconds } from './catalog-pulled.ts';
import { toSyncSeconds } from './failed-items-read.ts';
import { toSendSeconds } from './statuses-sent.ts';

const waits = [
  { fault: 'rate_limited; seconds=3', seconds: 3 },
  { fault: 'unavailable; seconds=3', seconds: 3 },
] as const;
/** The seconds of Retry-After are whole, and clocks tick: so much earlier is in time. */
const graceMs = 1_050;
/** So much longer than Retry-After says it may wait. */
const patienceSeconds = 45;

/** 429 and 503 are met with waiting; each is judged by itself. */
export const waitsAsTold: Check = {
  title: 'After 429 and 503 it waits as long as Retry-After says',
  needs: [],
  needsOneOf: ['places_orders', 'takes_orders', 'reads_catalog', 'brings_catalog'],
  leansOn: ['endpoint_reached', 'statuses_sent', 'refused_move_ends'],
  read: '/docs/guides/limits',
  async play(run) {
    const faults = waits.map(({ fault }) => fault);
    const early: string[] = [];
    const { places_orders, takes_orders, reads_catalog } = run.does;
    const refuse = places_orders
      ? refusedOrder
      : takes_orders
        ? refusedMove
        : reads_catalog
          ? refusedPull
          : refusedSync;
    let call = await refuse(run, faults);
    run.did('refused it with 429, then with 503, each with Retry-After: 3');
    for (const { seconds } of waits) {
      const refused = call;
      const { operation, number, status, endedMs } = refused;
      const next = await run.waitFor({
        action: 'none',
        text: `Your program waits ${seconds} s, as Retry-After says, and asks again.`,
        seconds: seconds + patienceSeconds,
        since: number,
        look: (calls) => calls.find((each) => each.operation === operation && each.status !== null),
      });
      if (next === undefined)
        throw new Unmet(
          [...early, `After ${status} it did not ask again within ${seconds + patienceSeconds} s.`].join(' '),
        );
      await run.saw(next);
      const waited = next.beganMs - (endedMs ?? refused.beganMs);
      if (waited < seconds * 1_000 - graceMs)
        early.push(
          `After ${status} it asked again after ${(waited / 1_000).toFixed(1)} s, though Retry-After said ${seconds}.`,
        );
      call = next;
    }
    if (early.length > 0) throw new Unmet(early.join(' '));
    if ((call.status ?? 500) >= 400) throw new Unmet(`At the end it was refused with ${call.status}.`);
  },
};

async function refusedOrder(run: Run, faults: readonly string[]): Promise<Call> {
  await run.playFaults(faults, ['orders.create']);
  return askForOrder(run, 'it will be refused with 429, then with 503.', ({ fault }) => fault !== null);
}

async function refusedMove(run: Run, faults: readonly string[]): Promise<Call> {
  await run.settle();
  const since = await run.newest();
  await run.playFaults(faults, ['orders.updateStatus', 'orders.cancel']);
  await placeOrder(run);
  const call = await run.waitFor({
    action: 'send_statuses',
    text: 'An order was placed: send a status of it, which is refused.',
    seconds: toSendSeconds,
    since,
    look: (calls) => calls.find((each) => isMove(each) && each.fault !== null && each.status !== null),
  });
  if (call === undefined) throw new Unmet('No status was sent, so nothing could be refused.');
  await run.saw(call);
  return call;
}

async function refusedSync(run: Run, faults: readonly string[]): Promise<Call> {
  const since = await run.newest();
  await run.playFaults(faults, ['stock.sync', 'catalog.sync', 'syncJobs.startProducts']);
  const call = await run.waitFor({
    action: 'sync_items',
    text: 'Send your stock or products now: the call is refused with 429, then with 503.',
    seconds: toSyncSeconds,
    since,
    look: (calls) => calls.find((each) => each.fault !== null && each.status !== null),
  });
  if (call === undefined) throw new Unmet('Nothing was sent, so nothing could be refused.');
  await run.saw(call);
  return call;
}

async function refusedPull(run: Run, faults: readonly string[]): Promise<Call> {
  await run.settle();
  const since = await run.newest();
  await run.playFaults(faults, ['catalog.get', 'products.list', 'categories.list', 'menus.active']);
  await changeCatalog(run);
  const call = await run.waitFor({
    action: 'none',
    text: 'Your program pulls the catalog, and is refused.',
    seconds: toPullSeconds,
    since,
    look: (calls) => calls.find((each) => isPull(each) && each.fault !== null && each.status !== null),
  });
  if (call === undefined) throw new Unmet('Nothing read the catalog, so nothing could be refused.');
  await run.saw(call);
  return call;
}
