import { addJob, isId, newId, type rows, statement, syncJobKey } from '@comanda/db';
import { notFound } from '../../errors.ts';
import type { Answer } from '../../request/answer.ts';
import { refuseLargeBatch, refuseUsedUp, startBatch } from '../../request/batch.ts';
import type { CallContext } from '../../request/context.ts';
import { inTransaction } from '../../request/writing.ts';
import { type Page, wireTime } from '../../wire.ts';
import type { ProductSync, StartedSyncJob, SyncItemError, SyncJob } from './schema.ts';

/**
 * Accepts a batch of products to apply in the background. The job, its answer and its place in the queue commit
 * together. Throws `validation_error` for more items than the key may send, `rate_limited` when the hour's
 * batch jobs are used up, `conflict` for a key that came with another body.
 */
export async function startProducts(
  ctx: CallContext,
  { mode, items }: Pick<ProductSync, 'mode' | 'items'>,
): Promise<Answer<StartedSyncJob>> {
  const { locationId } = ctx.caller;
  return inTransaction(ctx, async (tx) => {
    refuseLargeBatch(ctx, items.length);
    await refuseUsedUp(ctx);
    const jobId = newId();
    await tx.run(insertJob, [locationId, jobId, mode, JSON.stringify(items), items.length, ctx.requestId]);
    await addJob(tx, 'sync-products', { locationId, jobId }, { jobKey: syncJobKey(jobId) });
    await startBatch(ctx, tx);
    return { value: { job_id: jobId, status: 'queued', total_items: items.length } };
  });
}

/** Lists the jobs, newest first. */
export async function list(
  ctx: CallContext,
  { limit, offset }: { limit: number; offset: number },
): Promise<Answer<Page<SyncJob>>> {
  const where = { locationId: ctx.caller.locationId };
  const [total, found] = await ctx.reads.prisma(
    ({ syncJob }) => syncJob.count({ where }),
    ({ syncJob }) =>
      syncJob.findMany({
        where,
        omit: { items: true },
        orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
        skip: offset,
        take: limit,
      }),
  );
  const data = found.map((row) => toSyncJob(row, ctx.caller.location.timezone));
  return { value: { data, pagination: { limit, offset, total } } };
}

/** Reads one. Throws `resource_not_found`. */
export async function get(ctx: CallContext, id: string): Promise<Answer<SyncJob>> {
  const found = isId(id)
    ? await ctx.app.database.prisma.syncJob.findUnique({
        where: { locationId_id: { locationId: ctx.caller.locationId, id } },
        omit: { items: true },
      })
    : null;
  if (found === null) throw notFound('Sync job');
  return { value: toSyncJob(found, ctx.caller.location.timezone) };
}

const insertJob = statement(
  'insert_sync_job',
  `insert into sync_jobs (location_id, id, mode, items, total_items, request_id)
   values ($1, $2, $3::sync_mode, $4::jsonb, $5, $6)`,
);

function toSyncJob(row: Omit<rows.SyncJob, 'items'>, timezone: string): SyncJob {
  return {
    job_id: row.id,
    type: row.type,
    mode: row.mode,
    status: row.status,
    total_items: row.totalItems,
    processed_items: row.processedItems,
    success_items: row.successItems,
    failed_items: row.failedItems,
    // Only the applier writes it.
    errors: row.errors as unknown as SyncItemError[],
    ...(row.error !== null && { error: row.error }),
    created_at: wireTime(row.createdAt, timezone),
    ...(row.startedAt !== null && { started_at: wireTime(row.startedAt, timezone) }),
    ...(row.completedAt !== null && { completed_at: wireTime(row.completedAt, timezone) }),
  };
}
