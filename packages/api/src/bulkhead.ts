import { ApiError } from './errors.ts';

/** Keeps work that is stuck in the database from taking every connection with it. */
export interface Bulkhead {
  /**
   * Takes a place for a call of the location on the resource, at once when there is room; call the answer when the
   * call is done. Throws 503 with `Retry-After` when the work ahead does not move.
   */
  enter(locationId: string, resource: string): Leave | Promise<Leave>;
  close(): void;
}

/** Gives the place back. */
export type Leave = () => void;

/** How many calls use the database at once, in one process: by what they have in common. */
export interface Places {
  /** All together; what the pool has beyond it is for exports, keys, limits and health. */
  all: number;
  /** Of one location: the rest goes on when its rows are locked. */
  location: number;
  /** On one resource: the rest goes on when its table is locked. */
  resource: number;
  /** Of one location on one resource. */
  both: number;
  /** When nobody has come or gone for so long, in milliseconds, those who wait are refused. */
  stuckMs: number;
  /** Nobody waits longer than this, in milliseconds. */
  waitMs: number;
}

/** The places of a process; longer than a migration waits for a lock (0.8 s), so that one refuses nobody. */
export const places: Places = { all: 14, location: 8, resource: 9, both: 5, stuckMs: 3_000, waitMs: 10_000 };

/** Makes one; every place is free. Who waits for the same is let in in the order in which they came. */
export function createBulkhead(limits: Places = places): Bulkhead {
  const all = newGroup(limits.all);
  const locations = new Map<string, Group>();
  const resources = new Map<string, Group>();
  const lanes = new Map<string, Lane>();
  /** Lanes that somebody waits in. */
  const waiting = new Set<Lane>();
  let timer: NodeJS.Timeout | undefined;

  function laneOf(locationId: string, resource: string): Lane {
    const name = `${locationId} ${resource}`;
    const known = lanes.get(name);
    if (known !== undefined) return known;
    // Nobody is in most of them: those are forgotten, now and then.
    if (lanes.size >= mostLanes) forgetIdle();
    const lane: Lane = {
      groups: [
        all,
        groupIn(locations, locationId, limits.location),
        groupIn(resources, resource, limits.resource),
        newGroup(limits.both),
      ],
      waiters: [],
      leave: () => leave(lane),
    };
    lanes.set(name, lane);
    return lane;
  }

  function forgetIdle(): void {
    for (const [name, { groups, waiters }] of lanes)
      if (groups[3].taken === 0 && waiters.length === 0) lanes.delete(name);
    const used = new Set([...lanes.values()].map(({ groups }) => groups[1]));
    for (const [name, group] of locations) if (!used.has(group)) locations.delete(name);
  }

  function take({ groups }: Lane): void {
    const now = performance.now();
    for (const group of groups) {
      group.taken += 1;
      group.movedAt = now;
    }
  }

  function leave({ groups }: Lane): void {
    const now = performance.now();
    for (const group of groups) {
      group.taken -= 1;
      group.movedAt = now;
    }
    if (waiting.size > 0) letIn();
  }

  // The lane that was served goes to the end: lanes take turns.
  function letIn(): void {
    for (const lane of [...waiting]) {
      if (!hasRoom(all)) return;
      if (!lane.groups.every(hasRoom)) continue;
      const next = lane.waiters.shift();
      waiting.delete(lane);
      if (lane.waiters.length > 0) waiting.add(lane);
      if (next === undefined) continue;
      take(lane);
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
    if (waiting.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  }

  const isStuck = (group: Group, now: number) => !hasRoom(group) && now - group.movedAt > limits.stuckMs;

  return {
    enter(locationId, resource) {
      const lane = laneOf(locationId, resource);
      if (lane.waiters.length === 0 && lane.groups.every(hasRoom)) {
        take(lane);
        return lane.leave;
      }
      const now = performance.now();
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
  locationId: string,
  resource: string,
  work: () => Result | Promise<Result>,
): Promise<Result> {
  const entered = bulkhead.enter(locationId, resource);
  const leave = entered instanceof Promise ? await entered : entered;
  try {
    return await work();
  } finally {
    leave();
  }
}

/** Calls of one location on one resource: what they take places of, and who waits. */
interface Lane {
  readonly groups: readonly [all: Group, location: Group, resource: Group, both: Group];
  waiters: Waiter[];
  readonly leave: Leave;
}

interface Group {
  readonly size: number;
  taken: number;
  /** When somebody last came or went, by the monotonic clock. */
  movedAt: number;
}

interface Waiter {
  readonly since: number;
  resolve(leave: Leave): void;
  reject(error: unknown): void;
}

const mostLanes = 10_000;

const newGroup = (size: number): Group => ({ size, taken: 0, movedAt: performance.now() });

function groupIn(groups: Map<string, Group>, name: string, size: number): Group {
  const known = groups.get(name);
  if (known !== undefined) return known;
  const made = newGroup(size);
  groups.set(name, made);
  return made;
}

const hasRoom = (group: Group): boolean => group.taken < group.size;

/** The refusal of a call when the work ahead of it does not move. */
export const stuck = (): ApiError =>
  new ApiError(
    'internal_error',
    'This part of the service is not available at the moment; try again shortly.',
    { status: 503, headers: { 'Retry-After': '5' } },
  );
