import { addJob, addJobs, type Queryable, syncJobsKey } from '@comanda/db';
import * as sql from './statements.ts';

// The table of sync jobs says what is to do; the queue says whose turn it is. A location has one job of the queue that waits
// (docs/design/orders-and-batches.md, "Sync jobs take turns"), which runs one sync job and goes to the back.

/**
 * Sees that the location's sync jobs are run. `place` is when its turn comes; now, unless said. One that waits already keeps
 * its place.
 */
export const queueJobs = (on: Queryable, locationId: string, place?: Date): Promise<string> =>
  addJob(
    on,
    'run-sync-jobs',
    { locationId },
    { jobKey: syncJobsKey(locationId), keepsPlace: true, ...(place && { runAt: place }) },
  );

/** Queues what is left of a location's sync jobs behind all others that wait, or for when one is tried again. */
export async function queueNextJob(on: Queryable, locationId: string): Promise<void> {
  const [due] = await on.run(sql.nextDue, [locationId]);
  if (due === undefined) return;
  const key = syncJobsKey(locationId);
  // Under a key of its own it does not hold back what comes meanwhile.
  const when = due.isNow ? { jobKey: key } : { jobKey: `${key}:later`, runAt: due.at };
  await addJob(on, 'run-sync-jobs', { locationId }, when);
}

/** A location with sync jobs that no job of the queue is to run, and the ids of the oldest of them. */
export interface Forsaken {
  locationId: string;
  jobs: string[];
}

/** Those of one location, or of all, that have waited for so many seconds. */
export const findForsaken = (
  on: Queryable,
  locationId: string | null,
  seconds: number,
): Promise<Forsaken[]> => on.run(sql.forsakenLocations, [locationId, seconds]);

/**
 * Queues what was forsaken, and forgets jobs of the queue that have no try left. Returns how many locations it
 * queued.
 */
export async function queueForsaken(on: Queryable): Promise<number> {
  const [, found] = await Promise.all([on.run(sql.forgetSpent, []), findForsaken(on, null, 0)]);
  await addJobs(
    on,
    'run-sync-jobs',
    found.map(({ locationId }) => ({ payload: { locationId }, jobKey: syncJobsKey(locationId) })),
  );
  return found.length;
}
