import { isId, newId } from '@comanda/db';
import type { Answer } from '../../call/answer.ts';
import { actorOf } from '../../call/audit.ts';
import { refuseLargeBatch, refuseUsedUp, startBatch } from '../../call/batch.ts';
import type { CallContext, Lookup } from '../../call/context.ts';
import { readPage } from '../../call/page-text.ts';
import { inTransaction } from '../../call/writing.ts';
import { notFound } from '../../errors.ts';
import type { Page } from '../../wire.ts';
import { queueJobs } from './queue.store.ts';
import { retryIn } from './retry.store.ts';
import type { ProductSync, StartedSyncJob, SyncJob } from './schema.ts';
import { insertJob, listJobs, readJob } from './statements.ts';

/** The items, of which the first fails: it names a category that does not exist. */
const withFailing = ([first, ...others]: ProductSync['items']): ProductSync['items'] =>
  first === undefined ? [] : [{ ...first, category_external_ids: ['simulated-unknown-category'] }, ...others];

/**
 * Accepts a batch of products to apply in the background. The job, its answer and its place in the queue commit
 * together. Throws `validation_error` for more items than the key may send, `rate_limited` when the hour's
 * batch jobs are used up, `conflict` for a key that came with another body.
 */
export async function startProducts(
  ctx: CallContext,
  { mode, items, include }: Pick<ProductSync, 'mode' | 'items' | 'include'>,
): Promise<Answer<StartedSyncJob>> {
  const { locationId } = ctx.caller;
  return inTransaction(ctx, async (tx) => {
    refuseLargeBatch(ctx, items.length);
    await refuseUsedUp(ctx);
    const jobId = newId();
    const applied = include === undefined ? null : '[]';
    const stored = ctx.simulation?.fault === 'item_fails' ? withFailing(items) : items;
    const values = [
      locationId,
      jobId,
      mode,
      JSON.stringify(stored),
      items.length,
      ctx.requestId,
      applied,
      ctx.caller.apiKeyId,
    ];
    const [made] = await tx.run(insertJob, values);
    await queueJobs(tx, locationId, made?.place);
    await startBatch(ctx, tx);
    return { value: { job_id: jobId, status: 'queued', total_items: items.length } };
  });
}

/** Lists the jobs, newest first. */
export const list = (
  ctx: Lookup,
  paging: { limit: number; offset: number },
): Promise<Answer<Page<SyncJob>>> => readPage(ctx, listJobs, paging);

/** Reads one. Throws `resource_not_found`. */
export async function get(ctx: CallContext, id: string): Promise<Answer<SyncJob>> {
  const [found] = isId(id) ? await ctx.app.database.run(readJob, [ctx.caller.locationId, id]) : [];
  if (found === undefined) throw notFound('Sync job');
  return { text: found.doc };
}

/** Queues a failed job again. Throws what `retryIn` throws. */
export const retry = (ctx: CallContext, id: string): Promise<Answer<SyncJob>> =>
  inTransaction(ctx, async (tx) => ({ value: await retryIn(tx, actorOf(ctx), id) }));
