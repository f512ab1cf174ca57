import {
  type Again,
  again,
  holdUps,
  isState,
  type Leaving,
  type Loop,
  startLoop,
  UnwantedError,
} from '@comanda/db';
import { type BulkheadLimits, bulkheadLimits, type CallKind, type PlaceKind } from './bulkhead-limits.ts';
import { type LongReads, longReadLimits, watchLongReads } from './long-reads.ts';
import { noPlace } from './no-place.ts';

/** Keeps work that is stuck in the database from taking every connection with it. */
export interface Bulkhead {
  /**
   * Takes a place for a call of the location on the resource, at once when there is room; call the answer when the
   * call is done. Throws 503 with `Retry-After` when the work ahead does not move, `UnwantedError` when its caller leaves
   * while it waits.
   */
  enter(locationId: string, resource: string, kind: PlaceKind, left?: Leaving): Leave | Promise<Leave>;
  close(): void;
}

/** Gives the place back, and says whether the call ended because it waited for a lock without success. */
export type Leave = (heldUp?: boolean) => void;

/**
 * Makes one; every place is free. Callers that wait for the same place are admitted in the order in which they came.
 */
export function createBulkhead(limits: BulkheadLimits = bulkheadLimits): Bulkhead {
  const all = newGroup(limits.all);
  const presence = watchLongReads(longReadLimits);
  const groups = new Map<string, Group>();
  const compartments = new Map<string, Compartment>();
  /** Compartments with waiting callers. */
  const waiting = new Set<Compartment>();
  /** Looks after them while there are any. */
  let looking: Loop | undefined;

  function compartmentOf(locationId: string, resource: string, placeKind: PlaceKind): Compartment {
    const name = `${placeKind} ${resource} ${locationId}`;
    const known = compartments.get(name);
    if (known !== undefined) return known;
    // Most compartments are empty: those are forgotten, now and then.
    if (compartments.size >= mostCompartments) forgetIdle();
    const kind = placeKind === 'query' ? 'query' : 'mutation';
    const size = placeKind === 'waiting' ? 1 : limits.compartment[kind];
    const own = readGroup(size, locationId, kind, 'compartment');
    const compartment: Compartment = {
      groups: [own, all, ...sharedGroups(locationId, resource, placeKind, kind)],
      waiters: [],
    };
    compartments.set(name, compartment);
    return compartment;
  }

  function sharedGroups(locationId: string, resource: string, placeKind: PlaceKind, kind: CallKind): Group[] {
    if (placeKind === 'held') return [];
    if (placeKind === 'waiting') return [groupOf(placeKind, mostWaiting)];
    return [
      groupOf(kind, kind === 'query' ? Math.min(limits.kind, limits.reads ?? limits.kind) : limits.kind),
      groupOf(resource, limits.resource),
      groupOf(`${kind} on ${resource}`, limits.resourceKind),
      groupOf(`${kind} of ${locationId}`, limits.locationKind, (size) =>
        readGroup(size, locationId, kind, 'location'),
      ),
    ];
  }

  const readGroup = (size: number, locationId: string, kind: CallKind, of: 'compartment' | 'location') =>
    newGroup(size, kind === 'query' ? presence.countFor(locationId, longReadLimits.places[of]) : undefined);

  function groupOf(name: string, size: number, make: (size: number) => Group = newGroup): Group {
    const known = groups.get(name);
    if (known !== undefined) return known;
    const made = make(size);
    groups.set(name, made);
    return made;
  }

  function forgetIdle(): void {
    for (const [name, { groups, waiters }] of compartments)
      if (groups[0].taken === 0 && waiters.length === 0) compartments.delete(name);
    const used = new Set([...compartments.values()].flatMap(({ groups }) => groups));
    for (const [name, group] of groups) if (!used.has(group)) groups.delete(name);
  }

  function take(compartment: Compartment, now: number): Leave {
    for (const group of compartment.groups) {
      group.taken += 1;
      // Where calls are held up, that the next one tries is no move.
      if (!isNarrow(group, now)) group.movedAt = now;
    }
    return (heldUp = false) => leave(compartment, heldUp, now);
  }

  function leave({ groups }: Compartment, heldUp: boolean, since: number): void {
    const now = performance.now();
    for (const group of groups) {
      group.taken -= 1;
      group.long?.add(now - since, now);
      // For callers that wait in the same compartment that is no move, for all others it is.
      if (heldUp && group === groups[0]) group.heldUpAt = now;
      else group.movedAt = now;
    }
    if (waiting.size > 0) letIn(now);
  }

  // The compartment that was served goes to the end of those that wait.
  function letIn(now: number): void {
    for (const compartment of [...waiting]) {
      if (!hasRoom(all, now)) return;
      if (!compartment.groups.every((group) => hasRoom(group, now))) continue;
      const next = compartment.waiters.shift();
      waiting.delete(compartment);
      if (compartment.waiters.length > 0) waiting.add(compartment);
      if (next === undefined) continue;
      next.resolve(take(compartment, now));
    }
  }

  function look(): Again | undefined {
    const now = performance.now();
    for (const compartment of waiting) {
      const isHeldUp = compartment.groups.some((group) => isStuck(group, now));
      const refused = compartment.waiters.filter(({ since }) => isHeldUp || now - since >= limits.waitMs);
      if (refused.length === 0) continue;
      compartment.waiters = compartment.waiters.filter((waiter) => !refused.includes(waiter));
      if (compartment.waiters.length === 0) waiting.delete(compartment);
      for (const { reject } of refused) reject(noPlace());
    }
    // A compartment may have become wide again by itself.
    letIn(now);
    if (waiting.size > 0) return again(lookMs);
    looking = undefined;
    return undefined;
  }

  function wait(compartment: Compartment, since: number, left: Leaving | undefined): Promise<Leave> {
    let stopListening: (() => void) | undefined;
    const admitted = new Promise<Leave>((resolve, reject) => {
      if (left?.isGone) throw new UnwantedError();
      const waiter = { since, resolve, reject };
      stopListening = left?.whenGone(() => {
        compartment.waiters = compartment.waiters.filter((other) => other !== waiter);
        if (compartment.waiters.length === 0) waiting.delete(compartment);
        reject(new UnwantedError());
      });
      waiting.add(compartment);
      compartment.waiters.push(waiter);
    });
    return admitted.finally(() => stopListening?.());
  }

  const isNarrow = (group: Group, now: number) => now - group.heldUpAt < limits.narrowMs;

  const sizeOf = ({ long, size }: Group, now: number) => long?.placesOf(size, now) ?? size;

  const hasRoom = (group: Group, now: number) =>
    group.taken < (isNarrow(group, now) ? 1 : sizeOf(group, now));

  const isStuck = (group: Group, now: number) => !hasRoom(group, now) && now - group.movedAt > limits.stuckMs;

  return {
    enter(locationId, resource, kind, left) {
      const compartment = compartmentOf(locationId, resource, kind);
      const now = performance.now();
      presence.came(locationId, now);
      if (compartment.waiters.length === 0 && compartment.groups.every((group) => hasRoom(group, now)))
        return take(compartment, now);
      if (compartment.groups.some((group) => isStuck(group, now))) throw noPlace();
      looking ??= startLoop({ firstRestMs: lookMs, round: look });
      return wait(compartment, now, left);
    },
    close: () => void looking?.stop(),
  };
}

/** A place to take, and the caller it is for. */
export interface Place {
  locationId: string;
  resource: string;
  kind: PlaceKind;
  left?: Leaving | undefined;
}

/** Runs `work` in a place of its own, and gives it back. Throws what `enter` throws. */
export async function inPlace<Result>(
  bulkhead: Bulkhead,
  call: Place,
  work: () => Result | Promise<Result>,
): Promise<Result> {
  const entered = bulkhead.enter(call.locationId, call.resource, call.kind, call.left);
  const leave = entered instanceof Promise ? await entered : entered;
  let heldUp = false;
  try {
    return await work();
  } catch (error) {
    // By the lock's time limit, or the statement's.
    heldUp = isState(error, 'lockTimeout', 'canceled');
    throw error;
  } finally {
    leave(heldUp);
  }
}

/** How long a transaction waits for a row in a place that other calls need, in milliseconds. */
const rowInPlaceMs = 100;

/**
 * Runs a transaction in a place. If a lock does not come in time it is run once more among those that wait for rows: `work` gets
 * how many milliseconds it may wait for one. Throws what `enter` throws.
 */
export async function inPlaceOrWaiting<Result>(
  bulkhead: Bulkhead,
  place: Place,
  work: (lockWaitMs: number) => Promise<Result>,
): Promise<Result> {
  const late = Symbol();
  const first = await inPlace(bulkhead, place, async () => {
    try {
      return await work(rowInPlaceMs);
    } catch (error) {
      if (isState(error, 'lockTimeout')) return late;
      throw error;
    }
  });
  return first === late ? inPlace(bulkhead, { ...place, kind: 'waiting' }, () => work(holdUps.rowMs)) : first;
}

/** Calls of one location on one resource, of one kind: what they take places of, and who waits. */
interface Compartment {
  readonly groups: readonly [own: Group, ...shared: Group[]];
  waiters: Waiter[];
}

interface Group {
  readonly size: number;
  /** Of the reads of one location. */
  readonly long: LongReads | undefined;
  taken: number;
  /** When a caller last came or left, by the monotonic clock. */
  movedAt: number;
  /**
   * When a caller last waited for a lock without success; of a compartment's own group alone. Then it has one
   * place, for a while.
   */
  heldUpAt: number;
}

interface Waiter {
  readonly since: number;
  resolve(leave: Leave): void;
  reject(error: unknown): void;
}

const mostCompartments = 10_000;
/** How many calls of a process wait for rows in the database at once, each of another location or resource. */
const mostWaiting = 3;
/** How often it is looked who has waited too long. */
const lookMs = 100;

const newGroup = (size: number, long?: LongReads): Group => ({
  ...{ size, long, taken: 0, movedAt: performance.now(), heldUpAt: Number.NEGATIVE_INFINITY },
});
