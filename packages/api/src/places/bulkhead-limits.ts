import { holdUps } from '@comanda/db';

/** The lock waits of a call: a reader waits for no row that another transaction holds. */
export type CallKind = 'query' | 'mutation';

/**
 * The use of a place. A `joined` write is a mutation with a compartment of its own, since other mutations wait for rows
 * in their places. An attempt of `held` calls is bounded by `heldLimits` (held-calls.ts), and here among all calls only. A `waiting`
 * call has met a row that another transaction holds: one of each location and resource, and few in all.
 */
export type PlaceKind = CallKind | 'joined' | 'held' | 'waiting';

/** How many calls use the database at once, in one process: by what they have in common. */
export interface BulkheadLimits {
  /** All together; what the pool has beyond it is for exports, keys, limits and health. */
  all: number;
  /** Of one kind: reads go on when those that write are stuck. */
  kind: number;
  /** Of those that read, where memory allows fewer of them. */
  reads?: number;
  /** On one resource: the rest goes on when its table is locked. */
  resource: number;
  /** Of one kind on one resource. */
  resourceKind: number;
  /** Of one kind of one location: the rest goes on when its rows are locked. */
  locationKind: number;
  /** Of one location on one resource, by kind. */
  compartment: Readonly<Record<CallKind, number>>;
  /** For how long a location has but one place on a resource after a call was held up there, in milliseconds. */
  narrowMs: number;
  /** When nothing has moved for so long, in milliseconds, those who wait are refused. */
  stuckMs: number;
  /** The longest wait, in milliseconds. */
  waitMs: number;
}

/**
 * The places of a process. Three locations whose rows are locked take nine of the ten that write to a resource, until the
 * first of their calls gives up; from then on three.
 */
export const bulkheadLimits: BulkheadLimits = {
  ...{ all: 14, kind: 11, resource: 12, resourceKind: 10, locationKind: 8 },
  compartment: { query: 5, mutation: 3 },
  ...{ narrowMs: holdUps.narrowMs, stuckMs: holdUps.stuckMs, waitMs: holdUps.waitMs },
};

const MiB = 1024 ** 2;
/** The heap of a process that serves and reads nothing. */
const restingBytes = 80 * MiB;
/** The heap that a read takes at most: a page in characters of two bytes, put together, parsed and validated. */
const readBytes = 48 * MiB;

/** The limits of a process whose heap may have so many bytes: a small one has fewer places for reads. */
export function bulkheadLimitsFor(heapBytes: number): BulkheadLimits {
  const reads = Math.max(1, Math.floor((heapBytes - restingBytes) / readBytes));
  return { ...bulkheadLimits, reads };
}
