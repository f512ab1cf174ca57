import type { Answer } from '../../call/answer.ts';
import { actorOf } from '../../call/audit.ts';
import type { CallContext, Lookup } from '../../call/context.ts';
import { inTransaction } from '../../call/writing.ts';
import type { Delivery } from './schema.ts';
import { readDeliveriesOf } from './statements.ts';
import { retryIn } from './store.ts';

/** Sends the event of a delivery to its endpoint again. Throws `resource_not_found`, `conflict`. */
export const retry = (ctx: CallContext, id: string): Promise<Answer<Delivery>> =>
  inTransaction(ctx, async (tx) => ({ value: await retryIn(tx, actorOf(ctx), id) }));

/**
 * Lists every delivery of events about these resources, oldest first; the ones that may be sent again are marked
 * for callers that may do it.
 */
export async function listOf(
  { app, caller }: Lookup,
  resourceIds: readonly string[],
  mayRetry: boolean,
): Promise<Delivery[]> {
  const [found] = await app.database.run(readDeliveriesOf, [caller.locationId, resourceIds]);
  const all = JSON.parse(found?.doc ?? '[]') as Delivery[];
  return mayRetry ? all : all.map(({ can_retry: _, ...each }) => each);
}
