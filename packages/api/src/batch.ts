import type { Queryable } from '@comanda/db';
import type { App, CallContext } from './context.ts';
import type { Caller } from './credentials/credentials.ts';
import { ApiError, invalid } from './errors.ts';

/** The batch headers as they stand, for every answer of a batch operation. */
export function batchHeaders(app: App, caller: Caller): Promise<Record<string, string>> {
  return app.limiter.batchHeaders(caller);
}

/**
 * Starts one batch job of `items` items: the last step before the work, so that what is refused for another
 * reason counts nothing. Throws `validation_error` for more items than the key's `max_items_per_batch`,
 * `rate_limited` when the hour's jobs are used up. Within a transaction (`on`) the job counts only if that
 * commits. Specification: Limits, batch limits.
 */
export async function startBatch(
  ctx: CallContext,
  items: number,
  path = 'items',
  on?: Queryable,
): Promise<void> {
  refuseLargeBatch(ctx, items, path);
  try {
    Object.assign(ctx.reply.headers, await ctx.app.limiter.startBatch(ctx.caller, on));
  } catch (error) {
    if (error instanceof ApiError) Object.assign(ctx.reply.headers, error.headers);
    throw error;
  }
}

/** Throws `validation_error` for more items than the key may send in one batch. */
export function refuseLargeBatch(ctx: CallContext, items: number, path = 'items'): void {
  const { maxItemsPerBatch } = ctx.caller.limits;
  if (items > maxItemsPerBatch) {
    throw invalid({
      path,
      message: `must hold at most ${maxItemsPerBatch} items (max_items_per_batch), got ${items}`,
    });
  }
}
