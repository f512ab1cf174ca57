import {
  applySyncJob,
  beginSyncJob,
  failSyncJob,
  postponeSyncJob,
  queueNextJob,
} from '@comanda/api/services';
import { beginSpan, isUnavailable } from '@comanda/db';
import type { Task, TaskContext } from './task.ts';

/** Tries before a permanent fault ends the job, about half a minute after the first. */
const triesAtMost = 4;
/** Tries before anything ends it: transient faults, stops of the worker, its deaths. */
const beginningsAtMost = 25;

type Begun = NonNullable<Awaited<ReturnType<typeof beginSyncJob>>>;

/**
 * Runs one sync job of a location, the oldest that is due, and queues the rest behind the locations that wait. While one is
 * under way it leaves the rest to that one's end, so a location never has two places. A job that meets a fault is tried
 * again later, and others go before it.
 */
export const runSyncJobs: Task<'run-sync-jobs'> = async ({ locationId }, context) => {
  const { database, queueJob } = context;
  const begun = await beginSyncJob(database, locationId, queueJob);
  if (begun === undefined) return;
  await runOne(locationId, begun, context);
  await queueNextJob(database, locationId);
};

/** Applies a batch of products, or what an earlier try left of it. Items that are refused are no fault. */
async function runOne(locationId: string, begun: Begun, context: TaskContext): Promise<void> {
  const { database, signal } = context;
  const { id: jobId, tries: attempt, request_id: requestId, total_items: items } = begun;
  const job = { locationId, jobId };
  const log = context.log.child({ requestId, ...job, attempt });
  const tellEnd = (state: Awaited<ReturnType<typeof failSyncJob>>) => {
    if (state === undefined) return;
    const { status, processed_items: processed, failed_items: failed } = state;
    log.info({ status, processed, failed }, 'sync job ended');
  };
  const giveUp = async (error?: unknown) => {
    log.error({ err: error }, 'a sync job was given up');
    tellEnd(await failSyncJob(database, job));
  };
  // Its last try died with its worker.
  if (attempt > beginningsAtMost) return giveUp();

  const span = beginSpan('sync-products', 'consumer', begun.traceparent ?? undefined, {
    'comanda.items': items,
  });
  log.info({ items, processed: begun.processed_items }, 'sync job begins');
  try {
    tellEnd(await applySyncJob(database, locationId, begun, { signal }));
    span.end();
  } catch (error) {
    span.end({}, error);
    const passing = signal.aborted || isUnavailable(error);
    if (attempt >= (passing ? beginningsAtMost : triesAtMost)) return giveUp(error);
    log.warn({ err: error }, 'a sync job was interrupted and is tried again');
    // A stop of the worker is no fault of the job: another worker goes on at once.
    if (!signal.aborted) await postponeSyncJob(database, job);
  }
}
