import type { Answer } from '../../call/answer.ts';
import { refuseUsedUp, startBatch } from '../../call/batch.ts';
import type { CallContext } from '../../call/context.ts';
import { invalid } from '../../errors.ts';
import type { OrderExport, OrderExportRequest } from './export.schema.ts';
import { type OrderCursor, openOrderCursor } from './export.store.ts';

/**
 * Exports the orders of a range of days in full, oldest first, as one snapshot shows them: as many as `max_items_per_batch`
 * at most, read while they are sent. Throws `validation_error` for more orders than one batch may hold, never cutting them; `rate_limited` when the
 * hour's batch jobs are used up; 503 when too many exports are under way. Specification: Orders, export.
 */
export async function exportOrders(
  ctx: CallContext,
  request: OrderExportRequest,
): Promise<Answer<OrderExport>> {
  refuseLargePage(ctx, request);
  const { from, to, limit, offset } = request;
  const leave = await ctx.app.capacity.exports.wait(ctx.caller.locationId);
  let cursor: OrderCursor | undefined;
  const close = async () => {
    await cursor?.close();
    leave();
  };
  let streams = false;
  try {
    const opened = await openOrderCursor(ctx.app.database, ctx.caller.locationId, request, ctx.left);
    cursor = opened;
    const { exportedAt, total } = opened;
    refuseCut(ctx, request, total);
    await refuseUsedUp(ctx);
    await opened.begin(limit ?? null, offset);
    const first = await opened.next();
    // Once there is something to send: what fails before counts nothing.
    await startBatch(ctx);
    const head = { exported_at: exportedAt, from, to, total };
    streams = true;
    return { stream: { head, entries: entriesOf(first, opened), list: 'orders', close } };
  } finally {
    if (!streams) await close();
  }
}

function refuseLargePage({ caller }: CallContext, { limit }: OrderExportRequest): void {
  const { maxItemsPerBatch } = caller.limits;
  if (limit === undefined || limit <= maxItemsPerBatch) return;
  throw invalid({
    path: 'limit',
    message: `must be 1 to ${maxItemsPerBatch} (max_items_per_batch)`,
    reason: 'batch_too_large',
  });
}

function refuseCut({ caller }: CallContext, { limit, offset }: OrderExportRequest, total: number): void {
  const { maxItemsPerBatch } = caller.limits;
  if (limit !== undefined || total - offset <= maxItemsPerBatch) return;
  const message = `is needed: there are ${total} orders, one batch holds at most ${maxItemsPerBatch} (max_items_per_batch)`;
  throw invalid({ path: 'limit', message, reason: 'batch_too_large' });
}

async function* entriesOf(
  first: readonly string[],
  cursor: OrderCursor,
): AsyncGenerator<readonly string[], undefined> {
  for (let docs = first; docs.length > 0; docs = await cursor.next()) yield docs;
  return undefined;
}
