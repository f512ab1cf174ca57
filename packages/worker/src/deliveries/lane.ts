import { type MadeAttempt, makeAttempt } from './attempt.ts';
import { logAttempt } from './attempt-log.ts';
import { beginning, claim, giveBack, type Position } from './claim.ts';
import type { DeliveryOptions, EndpointLoop } from './endpoint-loop.ts';
import type { EndpointRef } from './endpoint-ref.ts';
import { createLookAgain } from './look-again.ts';
import { createPace } from './pace.ts';
import type { ReadyDelivery } from './ready-delivery.ts';
import type { Holder } from './slots.ts';
import { widthUnder } from './width.ts';

/** The deliveries under way for one endpoint. */
export interface Lane {
  /** Starts what can be started now; returns after how many milliseconds to come again at the latest. */
  step(): number;
  /** Whether nothing is claimed, and no statement under way. */
  isIdle(): boolean;
  /** How many deliveries it would send at once if it was handed them; none while others wait here. */
  roomForMore(): number;
  /** Whether it did nothing but deliver what it was handed. */
  owesNothing(): boolean;
  /** Looks for what is due with the next step. */
  lookAnew(): void;
  /** Whether deliveries were claimed since it was last asked. */
  wasBusy(): boolean;
  /** Waits for no slot any more: it has ended. */
  leave(): void;
  /** Why nothing more is claimed. */
  readonly fault: { error: unknown } | undefined;
}

/** How often a lane that waits for slow answers looks for what has become due. */
const lookAgainMs = 1_000;
/** How soon after a look the next one may come for less than half of the slots. */
const lookApartMs = 5;
/** So many attempts are recorded together, or as many as have ended when the first of them has waited so long. */
const recordTogether = 50;
const recordWithinMs = 10;
/** With so many claimed and not recorded, nothing more is claimed. */
const mostHeld = 400;

/**
 * Claims, sends and records at once; of each statement one is under way at a time. A delivery claimed beyond the slots
 * waits for one as long as its address is fresh, and goes back otherwise. Bodies count from their claim until the
 * attempt has ended. Wakes the loop when a step can do more.
 */
export function createLane(options: DeliveryOptions, endpoint: EndpointRef, loop: EndpointLoop): Lane {
  const { bytes, clock, load, log, slots, silence } = options;
  const { endpointId } = endpoint;
  const lastAttempt = options.retryDelaysSeconds.length + 1;
  const pace = createPace(clock.now());
  const ready: ReadyDelivery[] = [];
  const ended: MadeAttempt[] = [];
  /** Deliveries that were claimed and are not yet recorded or given back. */
  const held = new Set<string>();
  /** Functions that give back the bytes of each body that is held. */
  const bodies = new Map<string, () => void>();
  const statements = new Set<'claim' | 'record' | 'return'>();
  /** Claimed and not sent after all. */
  const unsent: string[] = [];
  const lookAgain = createLookAgain(options, endpoint);
  const holder: Holder = {
    inFlight: 0,
    isSilent: () => silence.isSilent(endpointId),
    wake: () => loop.waker.wake(),
  };
  /** Where the deliveries that were claimed last go. */
  let origin: string | undefined;
  /** There may be more due than the last look brought. */
  let more = loop.handed.length === 0;
  let lookedAt = more ? Number.NEGATIVE_INFINITY : clock.now();
  let owing = more;
  /** The end of the last look: the rest of a burst before it is costly to skip each time. */
  let after: Position = beginning;
  let begunAt = Number.NEGATIVE_INFINITY;
  let busy = false;
  let fault: Lane['fault'];

  const room = () => {
    const width = widthUnder(load) - holder.inFlight;
    if (origin === undefined) return holder.isSilent() ? 1 : width;
    return Math.min(width, slots.room(origin, holder));
  };
  const dropBody = ({ delivery: { id } }: ReadyDelivery) => {
    bodies.get(id)?.();
    bodies.delete(id);
  };
  const isEnding = () => loop.stopping || fault !== undefined;

  const send = (one: ReadyDelivery) => {
    const { delivery } = one;
    const giveUpSlot = slots.take(originOf(delivery.url), holder);
    load.inFlight += 1;
    makeAttempt(options, one, lookAgain).then((made) => {
      giveUpSlot();
      dropBody(one);
      load.inFlight -= 1;
      if (made?.ok !== true) owing = true;
      if (made === undefined) unsent.push(delivery.id);
      else {
        pace.count();
        options.meter.observe(endpoint.locationId, made.ok, made.durationMs);
        options.health.note(endpoint, made.ok);
        silence.note(endpointId, { ok: made.ok, timedOut: made.timedOut === true });
        logAttempt(log, endpoint, delivery, made, lastAttempt);
        ended.push(made);
      }
      loop.waker.wake();
    });
  };

  /** Sends what has a slot, as far as it may still be sent at that time. */
  const sendReady = (now: number) => {
    for (let slots = room(); slots > 0 && !isEnding(); slots -= 1) {
      const [next] = ready;
      if (next === undefined || next.sendBy <= now) return;
      ready.shift();
      send(next);
    }
  };

  const start = (kind: 'claim' | 'record' | 'return', ids: readonly string[], done: Promise<unknown>) => {
    statements.add(kind);
    done
      .catch((error: unknown) => {
        fault ??= { error };
      })
      .then(() => {
        for (const id of ids) held.delete(id);
        statements.delete(kind);
        loop.waker.wake();
      });
  };

  const moveTo = (where: string) => {
    if (origin !== undefined && origin !== where) slots.forget(origin, holder);
    origin = where;
  };

  const takeUp = (claimed: readonly ReadyDelivery[]) => {
    for (const { delivery, body } of claimed) {
      held.add(delivery.id);
      bodies.set(delivery.id, bytes.take(endpointId, body.length));
      moveTo(originOf(delivery.url));
    }
    // However long the database took: what has a slot goes at once, looked at again where it is not fresh any more.
    const free = isEnding() ? 0 : Math.max(0, room());
    for (const one of claimed.slice(0, free)) send(one);
    ready.push(...claimed.slice(free));
  };

  const takeHanded = () => {
    if (loop.handed.length === 0) return;
    busy = true;
    takeUp(loop.handed.splice(0));
  };

  const look = async (most: number) => {
    const wanted = bytes.room(endpointId);
    const giveBackRoom = bytes.take(endpointId, wanted);
    const limits = { most, bytes: wanted };
    const looked = await claim(options, endpoint, limits, [...held], after).finally(giveBackRoom);
    const { found, claimed, last = beginning } = looked;
    const isFull = found === most || looked.bytes >= wanted;
    const whole = after === beginning;
    // Only a look from the beginning shows that nothing more is due.
    if (isFull || !whole) more = true;
    after = isFull && lookedAt - begunAt < lookAgainMs ? last : beginning;
    if (found > 0) busy = true;
    takeUp(claimed);
  };

  const returnUnsent = (now: number): number => {
    const [first] = ready;
    const stale = first !== undefined && (isEnding() || first.sendBy <= now);
    if ((stale || unsent.length > 0) && !statements.has('return')) {
      const waited = stale ? ready.splice(0) : [];
      waited.forEach(dropBody);
      const ids = [...unsent.splice(0), ...waited.map(({ delivery }) => delivery.id)];
      owing = true;
      more = true;
      after = beginning;
      start('return', ids, giveBack(options, endpoint, ids));
    }
    return first === undefined ? lookAgainMs : first.sendBy - now;
  };

  const recordEnded = (now: number): number => {
    const [first] = ended;
    if (first === undefined || statements.has('record')) return lookAgainMs;
    const restMs = recordWithinMs - (now - first.endedAt);
    const last = holder.inFlight + ready.length === 0 && !statements.has('claim');
    if (restMs > 0 && ended.length < recordTogether && !last) return restMs;
    const made = ended.splice(0);
    const ids = made.map(({ deliveryId }) => deliveryId);
    const recording = options.recorder.record(endpoint, made).then((whole) => {
      if (!whole) owing = true;
    });
    start('record', ids, recording);
    return lookAgainMs;
  };

  const claimMore = (now: number): number => {
    if (isEnding() || statements.has('claim') || held.size >= mostHeld || bytes.room(endpointId) === 0)
      return lookAgainMs;
    const sinceMs = now - lookedAt;
    if (!more && !loop.again && sinceMs < lookAgainMs) return lookAgainMs - sinceMs;
    const ahead = pace.ahead(now);
    const most = room() - ready.length + ahead;
    if (most <= 0 || ready.length > ahead / 2) return lookAgainMs;
    if (ahead === 0 && most < widthUnder(load) / 2 && sinceMs < lookApartMs) return lookApartMs - sinceMs;
    loop.again = false;
    owing = true;
    more = false;
    lookedAt = now;
    if (after === beginning) begunAt = now;
    start('claim', [], look(most));
    return lookAgainMs;
  };

  return {
    step() {
      const now = clock.now();
      sendReady(now);
      takeHanded();
      return Math.min(returnUnsent(now), recordEnded(now), claimMore(now));
    },
    isIdle: () =>
      holder.inFlight + ready.length + unsent.length + ended.length + statements.size + loop.handed.length ===
      0,
    roomForMore() {
      const waits = ready.length + unsent.length + loop.handed.length > 0;
      if (isEnding() || waits || statements.has('claim') || statements.has('return')) return 0;
      return Math.max(0, Math.min(room(), mostHeld - held.size));
    },
    owesNothing: () => !owing,
    leave() {
      if (origin !== undefined) slots.forget(origin, holder);
    },
    lookAnew() {
      more = true;
    },
    wasBusy() {
      const was = busy;
      busy = false;
      return was;
    },
    get fault() {
      return fault;
    },
  };
}

// The sender judges addresses; here it is enough that one address is one place.
function originOf(url: string): string {
  return URL.canParse(url) ? new URL(url).origin : url;
}
