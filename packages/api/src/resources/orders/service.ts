import { isId } from '@comanda/db';
import { notFound } from '../../errors.ts';
import { rowReader } from '../../places/joined-reads.ts';
import { type Answer, answerPage } from '../../request/answer.ts';
import type { CallContext } from '../../request/context.ts';
import { inStatement } from '../../request/writing.ts';
import { readChanges, readsChanges } from '../changes/read.ts';
import type { ChangesPage } from '../changes/schema.ts';
import { orderChanges } from './changes.statements.ts';
import { listOrders } from './list.statements.ts';
import { moveRefused } from './rules.ts';
import type { Order, OrderList, OrderListEntry, OrderStatus } from './schema.ts';
import { moveOrder, type OrderText, readOrderByExternalId, readOrders } from './statements.ts';

/** Lists orders, newest first unless said. Specification: Orders, v1 and v2. */
export async function list(ctx: CallContext, input: OrderList): Promise<Answer<ChangesPage<OrderListEntry>>> {
  if (readsChanges(input)) return readChanges(ctx, input, orderChanges(input));
  const { statement, values } = listOrders(ctx.caller.locationId, input);
  const [page] = await ctx.reads.run(statement, values);
  return answerPage(page, input);
}

/** Reads one in full. Throws `resource_not_found`. */
export async function get(ctx: CallContext, id: string): Promise<Answer<Order>> {
  if (!isId(id)) throw notFound('Order');
  return found(await readById(ctx.app.database, ctx.caller.locationId, id));
}

const readById = rowReader(readOrders);

/** Reads one by the caller's own identifier. Throws `resource_not_found`. */
export async function getByExternalId(ctx: CallContext, externalId: string): Promise<Answer<Order>> {
  const values = [ctx.caller.locationId, externalId];
  const [order] = await ctx.app.database.run(readOrderByExternalId, values);
  return found(order);
}

/**
 * Moves one, keeping the reason of a cancellation. Moves of one order are serialised: of two racing moves only
 * one legal one wins. Throws `resource_not_found`, `conflict` for a move that is not in the table.
 */
export async function move(
  ctx: CallContext,
  id: string,
  to: OrderStatus,
  reason?: string,
): Promise<Answer<Order>> {
  if (!isId(id)) throw notFound('Order');
  const { locationId, apiKeyId } = ctx.caller;
  const values = [locationId, id, to, reason ?? null, ctx.requestId, apiKeyId];
  return inStatement(ctx, async (on) => {
    const [moved] = await on.run(moveOrder, values);
    if (moved === undefined || moved.previous === null) throw notFound('Order');
    if (moved.response === null) throw moveRefused(moved.previous, to);
    return { text: moved.response };
  });
}

function found(order: OrderText | undefined): Answer<Order> {
  if (order === undefined) throw notFound('Order');
  return { text: order.doc };
}
