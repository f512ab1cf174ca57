import type { Answer } from '../../call/answer.ts';
import type { CallContext } from '../../call/context.ts';
import type { WindowUsage } from '../../limits/usage.ts';
import { type Grant, permissionsOf } from '../../permissions.ts';
import { wireTime } from '../../wire.ts';
import type { Limits } from './schema.ts';

/** The limits of the caller's key and what is left of them; this request is counted. Specification: Limits. */
export async function get({ app, caller }: CallContext): Promise<Answer<Limits>> {
  const { minute, month, batchHour } = await app.limiter.usage(caller);
  const shown = ({ resetsAt, ...window }: WindowUsage) => ({
    ...window,
    resets_at: wireTime(resetsAt, caller.location.timezone),
  });
  return {
    value: {
      // As stored: a newer release may have made the key.
      permissions: [...caller.granted] as Grant[],
      effective_permissions: permissionsOf(caller.granted),
      per_minute: shown(minute),
      monthly: shown(month),
      batch_jobs_per_hour: shown(batchHour),
      max_items_per_batch: caller.limits.maxItemsPerBatch,
    },
  };
}
