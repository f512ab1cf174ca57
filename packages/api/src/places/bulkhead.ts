import { sqlState } from '@comanda/db';
import { ApiError } from '../errors.ts';
import { type CallKind, type Places, places } from './places.ts';

/** Keeps work that is stuck in the database from taking every connection with it. */
export interface Bulkhead {
  /**
   * Takes a place for a call of the location on the resource, at once when there is room; call the answer when the
   * call is done. Throws 503 with `Retry-After` when the work ahead does not move.
   */
  enter(locationId: string, resource: string, kind: CallKind): Leave | Promise<Leave>;
  close(): void;
}

/** Gives the place back, and says whether the call ended because it waited in vain for a lock. */
export type Leave = (heldUp?: boolean) => void;

/** Makes one; every place is free. Who waits for the same is let in in the order in which they came. */
export function createBulkhead(limits: Places = places): Bulkhead {
  const all = newGroup(limits.all);
  const groups = new Map<string, Group>();
  const lanes = new Map<string, Lane>();
  /** Lanes that somebody waits in. */
  const waiting = new Set<Lane>();
  let timer: NodeJS.Timeout | undefined;

  function laneOf(locationId: string, resource: string, kind: CallKind): Lane {
    const name = `${kind} ${resource} ${locationId}`;
    const known = lanes.get(name);
    if (known !== undefined) return known;
    // Nobody is in most of them: those are forgotten, now and then.
    if (lanes.size >= mostLanes) forgetIdle();
    const lane: Lane = {
      groups: [
        newGroup(limits.lane[kind]),
        all,
        groupOf(kind, limits.kind),
        groupOf(resource, limits.resource),
        groupOf(`${kind} on ${resource}`, limits.resourceKind),
        groupOf(`${kind} of ${locationId}`, limits.locationKind),
      ],
      waiters: [],
      leave: (heldUp = false) => leave(lane, heldUp),
    };
    lanes.set(name, lane);
    return lane;
  }

  function groupOf(name: string, size: number): Group {
    const known = groups.get(name);
    if (known !== undefined) return known;
    const made = newGroup(size);
    groups.set(name, made);
    return made;
  }

  function forgetIdle(): void {
    for (const [name, { groups, waiters }] of lanes)
      if (groups[0].taken === 0 && waiters.length === 0) lanes.delete(name);
    const used = new Set([...lanes.values()].flatMap(({ groups }) => groups));
    for (const [name, group] of groups) if (!used.has(group)) groups.delete(name);
  }

  function take({ groups }: Lane, now: number): void {
    for (const group of groups) {
      group.taken += 1;
      // Where calls are held up, that the next one tries is no move.
      if (!isNarrow(group, now)) group.movedAt = now;
    }
  }

  function leave({ groups }: Lane, heldUp: boolean): void {
    const now = performance.now();
    for (const group of groups) {
      group.taken -= 1;
      // For who waits in the same lane that is no move, for everybody else it is.
      if (heldUp && group === groups[0]) group.heldUpAt = now;
      else group.movedAt = now;
    }
    if (waiting.size > 0) letIn(now);
  }

  // The lane that was served goes to the end: lanes take turns.
  function letIn(now: number): void {
    for (const lane of [...waiting]) {
      if (!hasRoom(all, now)) return;
      if (!lane.groups.every((group) => hasRoom(group, now))) continue;
      const next = lane.waiters.shift();
      waiting.delete(lane);
      if (lane.waiters.length > 0) waiting.add(lane);
      if (next === undefined) continue;
      take(lane, now);
      next.resolve(lane.leave);
    }
  }

  function look(): void {
    const now = performance.now();
    for (const lane of waiting) {
      const isHeldUp = lane.groups.some((group) => isStuck(group, now));
      const refused = lane.waiters.filter(({ since }) => isHeldUp || now - since >= limits.waitMs);
      if (refused.length === 0) continue;
      lane.waiters = lane.waiters.filter((waiter) => !refused.includes(waiter));
      if (lane.waiters.length === 0) waiting.delete(lane);
      for (const { reject } of refused) reject(stuck());
    }
    // A lane may have become wide again by itself.
    letIn(now);
    if (waiting.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  }

  const isNarrow = (group: Group, now: number) => now - group.heldUpAt < limits.narrowMs;

  const hasRoom = (group: Group, now: number) => group.taken < (isNarrow(group, now) ? 1 : group.size);

  const isStuck = (group: Group, now: number) => !hasRoom(group, now) && now - group.movedAt > limits.stuckMs;

  return {
    enter(locationId, resource, kind) {
      const lane = laneOf(locationId, resource, kind);
      const now = performance.now();
      if (lane.waiters.length === 0 && lane.groups.every((group) => hasRoom(group, now))) {
        take(lane, now);
        return lane.leave;
      }
      if (lane.groups.some((group) => isStuck(group, now))) throw stuck();
      timer ??= setInterval(look, 100);
      waiting.add(lane);
      return new Promise((resolve, reject) => lane.waiters.push({ since: now, resolve, reject }));
    },
    close: () => clearInterval(timer),
  };
}

/** Runs `work` in a place of its own, and gives it back. Throws what `enter` throws. */
export async function inPlace<Result>(
  bulkhead: Bulkhead,
  call: { locationId: string; resource: string; kind: CallKind },
  work: () => Result | Promise<Result>,
): Promise<Result> {
  const entered = bulkhead.enter(call.locationId, call.resource, call.kind);
  const leave = entered instanceof Promise ? await entered : entered;
  let heldUp = false;
  try {
    return await work();
  } catch (error) {
    heldUp = waitedInVain.has(sqlState(error)?.code ?? '');
    throw error;
  } finally {
    leave(heldUp);
  }
}

/** Calls of one location on one resource, of one kind: what they take places of, and who waits. */
interface Lane {
  readonly groups: readonly [own: Group, ...shared: Group[]];
  waiters: Waiter[];
  readonly leave: Leave;
}

interface Group {
  readonly size: number;
  taken: number;
  /** When somebody last came or went, by the monotonic clock. */
  movedAt: number;
  /** When somebody last waited in vain for a lock; of a lane's own group alone. Then it has one place, for a while. */
  heldUpAt: number;
}

interface Waiter {
  readonly since: number;
  resolve(leave: Leave): void;
  reject(error: unknown): void;
}

const mostLanes = 10_000;

/** By the lock's time limit, or the statement's. */
const waitedInVain = new Set(['55P03', '57014']);

const newGroup = (size: number): Group => ({
  ...{ size, taken: 0, movedAt: performance.now(), heldUpAt: Number.NEGATIVE_INFINITY },
});

/** The refusal of a call when the work ahead of it does not move. */
export const stuck = (): ApiError =>
  new ApiError(
    'internal_error',
    'This part of the service is not available at the moment; try again shortly.',
    { status: 503, headers: { 'Retry-After': '5' } },
  );
