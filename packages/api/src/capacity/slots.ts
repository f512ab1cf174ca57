import { again, holdUps, isState, type Leaving, type Loop, startLoop, UnwantedError } from '@comanda/db';
import { bounds, noSlot, type SlotBounds } from './bounds.ts';

/** The lock waits of a call: a reader waits for no row that another transaction holds. */
export type CallKind = 'query' | 'mutation';

/**
 * The use of a slot. A `joined` write is a mutation with a compartment of its own, since other mutations wait for rows
 * in their slots. An attempt of `held` calls is bounded by `bounds.held` (joined-writes.ts), and here among all calls only. A `waiting`
 * call has met a row that another transaction holds: one of each location and resource, and few in all.
 */
export type SlotKind = CallKind | 'joined' | 'held' | 'waiting';

/** A slot to take, and the caller it is for. */
export interface SlotRequest {
  locationId: string;
  resource: string;
  kind: SlotKind;
  left?: Leaving | undefined;
}

/** Gives a slot back, and says whether the call ended because it waited for a lock without success. */
export type Leave = (heldUp?: boolean) => void;

/** Keeps work that is stuck in the database from taking every connection with it. */
export interface Slots {
  /**
   * Takes a slot for a call of the location on the resource, at once when there is room; call the answer when the call is
   * done. Throws 503 with `Retry-After` when the work ahead does not move, `UnwantedError` when its caller leaves
   * while it waits.
   */
  enter(request: SlotRequest): Leave | Promise<Leave>;
  close(): void;
}

/** Creates slots, all free. Callers that wait for the same slots are admitted in the order in which they came. */
export const createSlots = (most: SlotBounds = bounds.slots): Slots => new DatabaseSlots(most);

/** Runs `work` in a slot of its own, and gives it back. Throws what `enter` throws. */
export async function inSlot<Result>(
  slots: Slots,
  request: SlotRequest,
  work: () => Result | Promise<Result>,
): Promise<Result> {
  const entered = slots.enter(request);
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

/**
 * Runs a transaction in a slot. If a lock does not come in time it is run once more among those that wait for rows: `work` gets
 * how many milliseconds it may wait for one. Throws what `enter` throws.
 */
export async function inSlotOrWaiting<Result>(
  slots: Slots,
  request: SlotRequest,
  work: (lockWaitMs: number) => Promise<Result>,
): Promise<Result> {
  const late = Symbol();
  const first = await inSlot(slots, request, async () => {
    try {
      return await work(bounds.slots.rowMs);
    } catch (error) {
      if (isState(error, 'lockTimeout')) return late;
      throw error;
    }
  });
  return first === late ? inSlot(slots, { ...request, kind: 'waiting' }, () => work(holdUps.rowMs)) : first;
}

/** Calls of one location on one resource, of one kind: the groups whose slots they take, and who waits. */
interface Compartment {
  readonly own: Group;
  /** `own` and those that it shares with other compartments. */
  readonly groups: readonly Group[];
  waiters: Waiter[];
}

interface Waiter {
  readonly since: number;
  resolve(leave: Leave): void;
  reject(error: unknown): void;
}

/** Slots of calls that have something in common. */
class Group {
  readonly size: number;
  /** Of the reads of one location. */
  readonly long: LongReads | undefined;
  taken = 0;
  /** When a caller last came or left, by the monotonic clock. */
  movedAt = performance.now();
  /** When a caller last waited for a lock without success; of a compartment's own group alone. */
  heldUpAt = Number.NEGATIVE_INFINITY;

  constructor(size: number, long?: LongReads) {
    this.size = size;
    this.long = long;
  }
}

const mostCompartments = 10_000;
/** How often it is looked who has waited too long. */
const lookMs = 100;

class DatabaseSlots implements Slots {
  readonly #bounds: SlotBounds;
  readonly #all: Group;
  readonly #presence = new Presence();
  readonly #groups = new Map<string, Group>();
  readonly #compartments = new Map<string, Compartment>();
  /** Compartments with waiting callers. The one that was served last is at the end. */
  readonly #waiting = new Set<Compartment>();
  /** Looks after them while there are any. */
  #looking: Loop | undefined;

  constructor(most: SlotBounds) {
    this.#bounds = most;
    this.#all = new Group(most.all);
  }

  enter(request: SlotRequest): Leave | Promise<Leave> {
    const compartment = this.#compartmentOf(request);
    const now = performance.now();
    this.#presence.came(request.locationId, now);
    if (compartment.waiters.length === 0 && this.#isOpen(compartment, now))
      return this.#take(compartment, now);
    if (this.#isStuck(compartment, now)) throw noSlot();
    this.#looking ??= startLoop({ firstRestMs: lookMs, round: () => this.#look() });
    return this.#wait(compartment, now, request.left);
  }

  close(): void {
    void this.#looking?.stop();
  }

  #compartmentOf(request: SlotRequest): Compartment {
    const { locationId, resource } = request;
    const name = `${request.kind} ${resource} ${locationId}`;
    const known = this.#compartments.get(name);
    if (known !== undefined) return known;
    // Most compartments are empty: those are forgotten, now and then.
    if (this.#compartments.size >= mostCompartments) this.#forgetIdle();
    const most = this.#bounds;
    const kind = request.kind === 'query' ? 'query' : 'mutation';
    const longReads = (slots: number) =>
      kind === 'query' ? new LongReads(this.#presence, locationId, slots) : undefined;
    const left = bounds.longReads.slots;
    const own = new Group(
      request.kind === 'waiting' ? 1 : most.compartment[kind],
      longReads(left.compartment),
    );
    const groups = [own, this.#all];
    if (request.kind === 'waiting') groups.push(this.#group('waiting', most.waiting));
    else if (request.kind !== 'held')
      groups.push(
        this.#group(kind, most.kind[kind]),
        this.#group(resource, most.resource),
        this.#group(`${kind} on ${resource}`, most.resourceKind),
        this.#group(`${kind} of ${locationId}`, most.locationKind, longReads(left.location)),
      );
    const compartment = { own, groups, waiters: [] };
    this.#compartments.set(name, compartment);
    return compartment;
  }

  #group(name: string, size: number, long?: LongReads): Group {
    const group = this.#groups.get(name) ?? new Group(size, long);
    this.#groups.set(name, group);
    return group;
  }

  #forgetIdle(): void {
    for (const [name, { own, waiters }] of this.#compartments)
      if (own.taken === 0 && waiters.length === 0) this.#compartments.delete(name);
    const used = new Set([...this.#compartments.values()].flatMap(({ groups }) => groups));
    for (const [name, group] of this.#groups) if (!used.has(group)) this.#groups.delete(name);
  }

  #take(compartment: Compartment, now: number): Leave {
    for (const group of compartment.groups) {
      group.taken += 1;
      // Where calls are held up, that the next one tries is no move.
      if (!this.#isNarrow(group, now)) group.movedAt = now;
    }
    return (heldUp = false) => this.#leave(compartment, heldUp, now);
  }

  #leave({ own, groups }: Compartment, heldUp: boolean, since: number): void {
    const now = performance.now();
    for (const group of groups) {
      group.taken -= 1;
      group.long?.add(now - since, now);
      // For callers that wait in the same compartment that is no move, for all others it is.
      if (heldUp && group === own) group.heldUpAt = now;
      else group.movedAt = now;
    }
    if (this.#waiting.size > 0) this.#letIn(now);
  }

  #letIn(now: number): void {
    for (const compartment of [...this.#waiting]) {
      if (!this.#hasRoom(this.#all, now)) return;
      if (!this.#isOpen(compartment, now)) continue;
      const next = compartment.waiters.shift();
      this.#waiting.delete(compartment);
      if (compartment.waiters.length > 0) this.#waiting.add(compartment);
      next?.resolve(this.#take(compartment, now));
    }
  }

  #look() {
    const now = performance.now();
    for (const compartment of this.#waiting) {
      const isStuck = this.#isStuck(compartment, now);
      const refused = compartment.waiters.filter(
        (each) => isStuck || now - each.since >= this.#bounds.waitMs,
      );
      this.#forget(compartment, refused);
      for (const { reject } of refused) reject(noSlot());
    }
    // A compartment may have become wide again by itself.
    this.#letIn(now);
    if (this.#waiting.size > 0) return again(lookMs);
    this.#looking = undefined;
    return undefined;
  }

  #wait(compartment: Compartment, since: number, left: Leaving | undefined): Promise<Leave> {
    let stopListening: (() => void) | undefined;
    const admitted = new Promise<Leave>((resolve, reject) => {
      if (left?.isGone) throw new UnwantedError();
      const waiter = { since, resolve, reject };
      stopListening = left?.whenGone(() => {
        this.#forget(compartment, [waiter]);
        reject(new UnwantedError());
      });
      this.#waiting.add(compartment);
      compartment.waiters.push(waiter);
    });
    return admitted.finally(() => stopListening?.());
  }

  #forget(compartment: Compartment, waiters: readonly Waiter[]): void {
    compartment.waiters = compartment.waiters.filter((waiter) => !waiters.includes(waiter));
    if (compartment.waiters.length === 0) this.#waiting.delete(compartment);
  }

  #isNarrow(group: Group, now: number): boolean {
    return now - group.heldUpAt < this.#bounds.narrowMs;
  }

  #hasRoom(group: Group, now: number): boolean {
    const size = this.#isNarrow(group, now) ? 1 : (group.long?.slotsOf(group.size, now) ?? group.size);
    return group.taken < size;
  }

  #isOpen(compartment: Compartment, now: number): boolean {
    return compartment.groups.every((group) => this.#hasRoom(group, now));
  }

  #isStuck(compartment: Compartment, now: number): boolean {
    return compartment.groups.some(
      (group) => !this.#hasRoom(group, now) && now - group.movedAt > this.#bounds.stuckMs,
    );
  }
}

/** The locations that call a process: the last one, and the last other one. */
export class Presence {
  #last = { locationId: '', at: Number.NEGATIVE_INFINITY };
  #another = this.#last;

  /** A call of the location comes. */
  came(locationId: string, now: number): void {
    if (this.#last.locationId === locationId) {
      this.#last.at = now;
      return;
    }
    this.#another = this.#last;
    this.#last = { locationId, at: now };
  }

  /** Whether another location than this one has called a moment ago. */
  hasOthers(locationId: string, now: number): boolean {
    const other = this.#last.locationId === locationId ? this.#another : this.#last;
    return now - other.at < bounds.longReads.presentMs;
  }
}

/**
 * Counts the time that the reads of one location hold slots for long. A caller who sends one long read after the other
 * on a few connections uses every core of a small database, within all other bounds. It goes on with few slots, and the
 * calls of others meet one long statement at a time. Alone it keeps all slots.
 */
export class LongReads {
  readonly #presence: Presence;
  readonly #locationId: string;
  readonly #slots: number;
  #spentMs = 0;
  #at = 0;
  #isSpent = false;

  /** `slots` are left to a location that has spent its burst. */
  constructor(presence: Presence, locationId: string, slots: number) {
    this.#presence = presence;
    this.#locationId = locationId;
    this.#slots = slots;
  }

  /** Counts a read that has held its slot for so long. */
  add(heldMs: number, now: number): void {
    const { fromMs, burstMs } = bounds.longReads;
    if (heldMs <= fromMs && this.#spentMs === 0) return;
    const spentMs = Math.max(0, this.#leftMs(now)) + Math.max(0, heldMs - fromMs);
    this.#spentMs = Math.min(2 * burstMs, spentMs);
    this.#at = now;
    // Until all is given back: else it would have all slots again after each long read.
    this.#isSpent = this.#isSpent ? this.#spentMs > 0 : this.#spentMs > burstMs;
  }

  /** How many slots its reads have: `size`, or fewer while it has spent its burst and another location calls. */
  slotsOf(size: number, now: number): number {
    if (this.#isSpent && this.#leftMs(now) <= 0) this.#isSpent = false;
    const isBounded = this.#isSpent && this.#presence.hasOthers(this.#locationId, now);
    return isBounded ? Math.min(this.#slots, size) : size;
  }

  #leftMs(now: number): number {
    return this.#spentMs - (now - this.#at) * bounds.longReads.refund;
  }
}
