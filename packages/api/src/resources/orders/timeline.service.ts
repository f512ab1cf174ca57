import { isId } from '@comanda/db';
import type { Answer } from '../../call/answer.ts';
import type { Lookup } from '../../call/context.ts';
import { notFound } from '../../errors.ts';
import type { OrderTimeline } from './timeline.schema.ts';
import { readTimeline } from './timeline.statements.ts';

/**
 * Returns the history of an order, oldest first: its creation and moves with their authors, the events of the order
 * and of its payment, and every attempt to deliver these. Throws `resource_not_found`.
 */
export async function timeline(ctx: Lookup, id: string): Promise<Answer<OrderTimeline>> {
  if (!isId(id)) throw notFound('Order');
  const [found] = await ctx.app.database.run(readTimeline, [ctx.caller.locationId, id]);
  if (found === undefined) throw notFound('Order');
  return { text: found.doc };
}
