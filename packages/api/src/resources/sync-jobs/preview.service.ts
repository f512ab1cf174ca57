import type { Answer } from '../../call/answer.ts';
import { refuseLargeBatch } from '../../call/batch.ts';
import type { CallContext } from '../../call/context.ts';
import { findStoredAnswer } from '../../call/writing.ts';
import { foresee } from '../bulk/store.ts';
import { productsBatch } from './apply.store.ts';
import type { ProductSync, StartedSyncJob } from './schema.ts';

/**
 * Returns the outcome of a batch of products if it were applied now: by the same decisions, without a job, a lock
 * or a change. Counts no batch job and leaves the idempotency key unused. Throws `conflict` for a key that was used
 * for something else, `validation_error` for more items than the key may send.
 */
export async function previewProducts(
  ctx: CallContext,
  { mode, items }: Pick<ProductSync, 'mode' | 'items'>,
): Promise<Answer<StartedSyncJob>> {
  const { database } = ctx.app;
  // Of a key that came with another body this is a conflict; this one stays unused.
  await findStoredAnswer(ctx);
  refuseLargeBatch(ctx, items.length);
  const plan = await foresee(database, ctx.caller.locationId, productsBatch(mode, items));
  const { failures } = plan;
  const changes = plan.changes();
  return {
    value: {
      job_id: '',
      status: changes.length > 0 ? 'completed' : 'failed',
      total_items: items.length,
      dry_run: true,
      success_items: changes.length,
      failed_items: failures.length,
      errors: failures,
      changes,
    },
  };
}
