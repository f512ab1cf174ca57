import type { Queryable } from '@comanda/db';

/**
 * How old, from before it was asked for, the state of an endpoint may be when a request to it is written. The contract promises 100 ms
 * from the answer to a deletion: the rest is for the way to the socket.
 */
export const freshMs = 75;

/** The quickest answer of a database, and when it was given, by `performance.now()`. */
const quickest = new WeakMap<Queryable, { ms: number; at: number }>();

/** For so long the quickest answer counts. A database that is slow for longer is one that is far away: webhooks are sent even so. */
const countsMs = 5_000;

/** Notes how long a statement took that a database had little work with. */
export function noteWay(database: Queryable, ms: number): void {
  const known = quickest.get(database);
  const now = performance.now();
  if (known === undefined || ms <= known.ms || now - known.at > countsMs)
    quickest.set(database, { ms, at: now });
}

/** Whether the way to a database is so long that no look at it can be fresh when its answer comes. */
export const isFar = (database: Queryable): boolean => (quickest.get(database)?.ms ?? 0) > freshMs / 2;
