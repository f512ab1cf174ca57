import { isMove, isPull } from '../calls.ts';
import type { Check, Run, Script } from '../check.ts';
import { Unmet } from '../endings.ts';
import { cause } from '../events.ts';
import { askForOrder, toSendSeconds } from '../orders.ts';
import type { Call } from '../statements.ts';
import { take, waitFor } from '../steps.ts';
import { toPullSeconds } from './catalog-pulled.ts';
import { toSyncSeconds } from './failed-items-read.ts';

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
  *play(run) {
    const early: string[] = [];
    let call = yield* refuse(run);
    run.did('refused it with 429, then with 503, each with Retry-After: 3');
    for (const { seconds } of waits) {
      const refused = call;
      const { operation, number, status, endedMs } = refused;
      const next = yield* waitFor({
        action: 'none',
        text: `Your program waits ${seconds} s, as Retry-After says, and asks again.`,
        seconds: seconds + patienceSeconds,
        since: number,
        look: ({ calls }) => calls.find((each) => each.operation === operation && each.status !== null),
      });
      if (next === undefined)
        throw new Unmet(
          [...early, `After ${status} it did not ask again within ${seconds + patienceSeconds} s.`].join(' '),
        );
      run.saw(next);
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

/** Has a call refused of the kind that the integration makes first: an order, a move, a pull or a sync. */
function* refuse(run: Run): Script<Call> {
  const { places_orders, takes_orders, reads_catalog } = run.does;
  if (places_orders) {
    yield* playWaits('orders.create');
    return yield* askForOrder(
      run,
      'it will be refused with 429, then with 503.',
      ({ fault }) => fault !== null,
    );
  }
  if (takes_orders) {
    yield* take({ name: 'settle' });
    const since = yield* playWaits('orders.updateStatus', 'orders.cancel');
    yield* cause(run, ['order.created']);
    const call = yield* waitFor({
      action: 'send_statuses',
      text: 'An order was placed: send a status of it, which is refused.',
      seconds: toSendSeconds,
      since,
      look: ({ calls }) => calls.find((each) => isMove(each) && isRefused(each)),
    });
    return found(run, call, 'No status was sent, so nothing could be refused.');
  }
  if (reads_catalog) {
    yield* take({ name: 'settle' });
    const since = yield* playWaits('catalog.get', 'products.list', 'categories.list', 'menus.active');
    yield* cause(run, ['catalog.updated']);
    const call = yield* waitFor({
      action: 'none',
      text: 'Your program pulls the catalog, and is refused.',
      seconds: toPullSeconds,
      since,
      look: ({ calls }) => calls.find((each) => isPull(each) && isRefused(each)),
    });
    return found(run, call, 'Nothing read the catalog, so nothing could be refused.');
  }
  const call = yield* waitFor({
    since: yield* playWaits('stock.sync', 'catalog.sync', 'syncJobs.startProducts'),
    action: 'sync_items',
    text: 'Send your stock or products now: the call is refused with 429, then with 503.',
    seconds: toSyncSeconds,
    look: ({ calls }) => calls.find(isRefused),
  });
  return found(run, call, 'Nothing was sent, so nothing could be refused.');
}

/** Has calls of these operations refused; returns the number of the newest call before. */
function* playWaits(...operations: string[]): Script<number> {
  const faults = waits.map(({ fault }) => fault);
  return (yield* take({ name: 'play_faults', faults, operations })).newest;
}

const isRefused = ({ fault, status }: Call): boolean => fault !== null && status !== null;

function found(run: Run, call: Call | undefined, otherwise: string): Call {
  if (call === undefined) throw new Unmet(otherwise);
  run.saw(call);
  return call;
}
