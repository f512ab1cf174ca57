import { applyProductSync, failSyncJob } from '@comanda/api/services';
import { beginSpan, isUnavailable, type Traced } from '@comanda/db';
import type { Task } from './task.ts';

/** Tries before a fault that does not pass by itself ends the job, about half a minute after the first. */
const triesAtMost = 4;

/**
 * Applies a batch of products, or what an earlier try left of it. Items that are refused are no fault; a fault
 * that comes back on every try ends the job as failed. Its log lines carry the id of the request that sent it.
 */
export const syncProducts: Task<'sync-products'> = async (job, context) => {
  const { database, signal, attempt, maxAttempts } = context;
  let log = context.log.child({ ...job, attempt });
  let span: Traced | undefined;
  const tellEnd = (state: Awaited<ReturnType<typeof failSyncJob>>) => {
    if (state === undefined) return;
    const { status, processed_items: processed, failed_items: failed } = state;
    log.info({ status, processed, failed }, 'sync job ended');
  };
  try {
    const state = await applyProductSync(database, job, {
      signal,
      onBegin({ request_id: requestId, traceparent, total_items: items, processed_items: processed }) {
        span = beginSpan('sync-products', 'consumer', traceparent ?? undefined, { 'comanda.items': items });
        log = context.log.child({ requestId, ...job, attempt });
        log.info({ items, processed }, 'sync job begins');
      },
    });
    tellEnd(state);
    span?.end();
  } catch (error) {
    span?.end({}, error);
    const passing = signal.aborted || isUnavailable(error);
    if (attempt < (passing ? maxAttempts : triesAtMost)) {
      log.warn({ err: error }, 'a sync job was interrupted and is tried again');
      throw error;
    }
    log.error({ err: error }, 'a sync job was given up');
    tellEnd(await failSyncJob(database, job));
  }
};
