import { applyProductSync, failSyncJob } from '@comanda/api/services';
import { isUnavailable, type Queryable, statement } from '@comanda/db';
import type { Task } from './task.ts';

/** Tries before a fault that does not pass by itself ends the job, about half a minute after the first. */
const triesAtMost = 4;

/**
 * Applies a batch of products, or what an earlier try left of it. Items that are refused are no fault; a fault
 * that comes back on every try ends the job as failed. Its log lines carry the id of the request that sent it.
 */
export const syncProducts: Task<'sync-products'> = async (job, context) => {
  const { database, signal, attempt, maxAttempts } = context;
  const before = await readJob(database, job);
  const log = context.log.child({ ...(before && { requestId: before.requestId }), ...job, attempt });
  log.info({ items: before?.total, processed: before?.processed }, 'sync job begins');
  try {
    await applyProductSync(database, job, { signal });
  } catch (error) {
    const passing = signal.aborted || isUnavailable(error);
    if (attempt < (passing ? maxAttempts : triesAtMost)) {
      log.warn({ err: error }, 'a sync job was interrupted and is tried again');
      throw error;
    }
    log.error({ err: error }, 'a sync job was given up');
    await failSyncJob(
      database,
      job,
      'The job was stopped by a fault on our side; what was applied stays applied.',
    );
  }
  const after = await readJob(database, job).catch(() => undefined);
  if (after)
    log.info({ status: after.status, processed: after.processed, failed: after.failed }, 'sync job ended');
};

/** A job as its log lines show it; nothing when it is gone. */
async function readJob(on: Queryable, { locationId, jobId }: { locationId: string; jobId: string }) {
  const [row] = await on.run(jobForLog, [locationId, jobId]);
  return row;
}

const jobForLog = statement<{
  requestId: string | null;
  status: string;
  total: number;
  processed: number;
  failed: number;
}>(
  'sync_job_for_log',
  `select request_id as "requestId", status::text as status, total_items as total, processed_items as processed,
     failed_items as failed
   from sync_jobs where location_id = $1 and id = $2`,
);
