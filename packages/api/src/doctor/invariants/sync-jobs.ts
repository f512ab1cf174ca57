import { queueExists } from '../../metrics/statements.ts';
import { findForsaken, queueJobs } from '../../resources/sync-jobs/queue.store.ts';
import { hiddenQueue } from '../statements.ts';
import type { Invariant } from './invariant.ts';

/** Sync jobs that wait, and the jobs of the queue that do them. */
export const syncJobs: Invariant = {
  name: 'sync jobs',
  means: 'Every location with a sync job that is not done has a job of the queue that does it.',
  advice: 'comanda doctor --repair queues it again; items applied already are skipped.',
  of: 'database',
  async asks({ database }) {
    const [queue] = await database.run(queueExists, []);
    if (queue?.exists !== true) return [];
    // To whom the queue shows nothing every job would look missing.
    if ((await database.run(hiddenQueue, [])).length > 0)
      throw new Error('row security hides the queue from this role');
    const found = await findForsaken(database, null, snapshotSeconds);
    return found.flatMap(({ locationId: location, jobs }) =>
      jobs.map((id) => ({ location, what: `sync job ${id}`, harm: 'waits, and no job is queued for it' })),
    );
  },
  async repairs({ tx, location }) {
    const found = await findForsaken(tx, location, snapshotSeconds);
    for (const { locationId } of found) await queueJobs(tx, locationId);
    return found.flatMap(({ jobs }) =>
      jobs.map((id) => ({ what: `sync job ${id}`, before: null, after: 'queued' })),
    );
  },
};

// Between its commit and ours a job may have been done: a minute is longer than any snapshot here.
const snapshotSeconds = 60;
