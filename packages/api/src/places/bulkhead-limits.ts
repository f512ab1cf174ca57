import { holdUps } from '@comanda/db';

/** The lock waits of a call: a reader waits for no row that another transaction holds. */
export type CallKind = 'query' | 'mutation';

/** How many calls use the database at once, in one process: by what they have in common. */
export interface BulkheadLimits {
  /** All together; what the pool has beyond it is for exports, keys, limits and health. */
  all: number;
  /** Of one kind: reads go on when those that write are stuck. */
  kind: number;
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
