import type { Queryable } from '@comanda/db';
import { batchTooLarge } from '../bodies/read.ts';
import { ApiError } from '../errors.ts';
import type { CallContext } from './context.ts';

/**
 * Counts one batch job: the last step of the work, or before it when that cannot be taken back, so that what is refused
 * or fails counts nothing. Within a transaction (`on`) the job counts only if that commits; then it comes right before
 * the commit, as others with the same key wait from there on. Throws `rate_limited` when the hour's jobs are used up.
 * Specification: Limits, batch limits.
 */
export async function startBatch(ctx: CallContext, on?: Queryable): Promise<void> {
  await addHeaders(ctx, ctx.app.limiter.startBatch(ctx.caller, on));
}

/** Throws `rate_limited` when the hour's jobs are used up: what could not be counted need not begin. Counts nothing. */
export async function refuseUsedUp(ctx: CallContext): Promise<void> {
  // Admission has just asked how many are left; the thread for large bodies has no admission.
  const left = ctx.headers['X-RateLimit-Batch-Remaining'];
  if (left !== undefined && left !== '0') return;
  await addHeaders(ctx, ctx.app.limiter.refuseUsedUp(ctx.caller));
}

async function addHeaders(ctx: CallContext, headers: Promise<Record<string, string>>): Promise<void> {
  try {
    Object.assign(ctx.headers, await headers);
  } catch (error) {
    if (error instanceof ApiError) Object.assign(ctx.headers, error.headers);
    throw error;
  }
}

/** Throws `validation_error` for more items than the key may send in one batch. */
export function refuseLargeBatch(ctx: CallContext, items: number, path = 'items'): void {
  const { maxItemsPerBatch } = ctx.caller.limits;
  if (items > maxItemsPerBatch) throw batchTooLarge(path, maxItemsPerBatch, items);
}
