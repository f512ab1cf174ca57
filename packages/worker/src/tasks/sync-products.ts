import { applyProductSync, failSyncJob } from '@comanda/api/services';
import { isPassing } from '../faults.ts';
import type { Task } from './task.ts';

/** Tries before a fault that does not pass by itself ends the job, about half a minute after the first. */
const triesAtMost = 4;

/**
 * Applies a batch of products, or what an earlier try left of it. Items that are refused are no fault; a fault
 * that comes back on every try ends the job as failed.
 */
export const syncProducts: Task<'sync-products'> = async (job, context) => {
  const { database, signal, attempt, maxAttempts, log } = context;
  try {
    await applyProductSync(database, job, { signal });
  } catch (error) {
    const passing = signal.aborted || isPassing(error);
    if (attempt < (passing ? maxAttempts : triesAtMost)) throw error;
    log.error({ err: error, ...job }, 'a sync job was given up');
    await failSyncJob(
      database,
      job,
      'The job was stopped by a fault on our side; what was applied stays applied.',
    );
  }
};
