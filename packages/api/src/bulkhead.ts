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
export const places: Places = { all: 10, location: 6, resource: 6, both: 3, stuckMs: 3_000, waitMs: 10_000 };

/** Makes one; every place is free. Who waits is let in in the order in which they came. */
export function createBulkhead(limits: Places = places): Bulkhead {
  const all = newGroup(limits.all);
  const groups = new Map<string, Group>();
  const waiting = new Set<Waiter>();
  let timer: NodeJS.Timeout | undefined;

  const find = (name: string, size: number): Group => {
    const known = groups.get(name);
    if (known !== undefined) return known;
    const group = newGroup(size);
    groups.set(name, group);
    return group;
  };

  function take(names: readonly string[], mine: readonly Group[]): Leave {
    const now = performance.now();
    for (const group of mine) {
      group.taken += 1;
      group.movedAt = now;
    }
    return () => {
      const left = performance.now();
      for (const group of mine) {
        group.taken -= 1;
        group.movedAt = left;
      }
      letIn();
      forget(names);
    };
  }

  function letIn(): void {
    for (const waiter of waiting) {
      if (all.taken >= all.size) return;
      const mine = groupsOf(waiter.names);
      if (!mine.every(hasRoom)) continue;
      waiting.delete(waiter);
      waiter.resolve(take(waiter.names, mine));
    }
  }

  function forget(names: readonly string[]): void {
    for (const name of names) if (groups.get(name)?.taken === 0) groups.delete(name);
  }

  function groupsOf([location, resource, both]: Names): readonly Group[] {
    return [all, find(location, limits.location), find(resource, limits.resource), find(both, limits.both)];
  }

  function look(): void {
    const now = performance.now();
    for (const waiter of waiting) {
      if (now - waiter.since < limits.waitMs && !groupsOf(waiter.names).some((group) => isStuck(group, now)))
        continue;
      waiting.delete(waiter);
      forget(waiter.names);
      waiter.reject(stuck());
    }
    if (waiting.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  }

  const isStuck = (group: Group, now: number) => !hasRoom(group) && now - group.movedAt > limits.stuckMs;

  return {
    enter(locationId, resource) {
      const names: Names = [locationId, resource, `${locationId} ${resource}`];
      const mine = groupsOf(names);
      if (mine.every(hasRoom)) return take(names, mine);
      const now = performance.now();
      if (mine.some((group) => isStuck(group, now))) throw stuck();
      timer ??= setInterval(look, 100);
      return new Promise((resolve, reject) => waiting.add({ names, since: now, resolve, reject }));
    },
    close: () => clearInterval(timer),
  };
}

/** What a call is counted under: its location, its resource, and the two together. */
type Names = readonly [location: string, resource: string, both: string];

interface Group {
  readonly size: number;
  taken: number;
  /** When somebody last came or went, by the monotonic clock. */
  movedAt: number;
}

interface Waiter {
  readonly names: Names;
  readonly since: number;
  resolve(leave: Leave): void;
  reject(error: unknown): void;
}

const newGroup = (size: number): Group => ({ size, taken: 0, movedAt: performance.now() });

const hasRoom = (group: Group): boolean => group.taken < group.size;

const stuck = () =>
  new ApiError(
    'internal_error',
    'This part of the service is not available at the moment; try again shortly.',
    {
      status: 503,
      headers: { 'Retry-After': '5' },
    },
  );
