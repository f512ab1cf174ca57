import { isId } from '@comanda/db';
import { type Answer, valueIn } from '../../call/answer.ts';
import type { Lookup } from '../../call/context.ts';
import { notFound } from '../../errors.ts';
import { grants, type Permission } from '../../permissions.ts';
import * as deliveries from '../deliveries/service.ts';
import { leftToRefund, paymentMoves } from '../payments/rules.ts';
import * as turns from '../turns/service.ts';
import type { OrderOverview, OrderWanted } from './overview.schema.ts';
import { findOrderBy } from './overview.statements.ts';
import { orderMoves } from './rules.ts';
import { readOrder, timeline } from './service.ts';

/**
 * Reads everything about an order: it in full, its payments, its turn, what happened to it, every delivery of its events,
 * and the actions on it that the caller was `granted`. Throws `resource_not_found`.
 */
export async function overview(
  ctx: Lookup,
  { id, number, external_id }: OrderWanted,
  granted: ReadonlySet<string>,
): Promise<Answer<OrderOverview>> {
  const { database } = ctx.app;
  const find = (by: keyof OrderWanted, value: unknown) =>
    database.run(findOrderBy[by], [ctx.caller.locationId, value]);
  const [found] = await (external_id !== undefined
    ? find('external_id', external_id)
    : number !== undefined
      ? find('number', number)
      : isId(id ?? '')
        ? find('id', id)
        : []);
  const payment = found?.payments.at(-1);
  if (found === undefined || payment === undefined) throw notFound('Order');
  const { payments } = found;
  const may = (permission: Permission) => grants(granted, permission);
  const { customer, delivery, ...order } = await readOrder(ctx, found.id, granted);
  return {
    value: {
      order,
      ...(customer && { customer }),
      ...(delivery && { delivery }),
      payment,
      payments,
      ...(found.turn_id !== null && { turn: await valueIn(await turns.get(ctx, found.turn_id)) }),
      timeline: await valueIn(await timeline(ctx, found.id)),
      deliveries: await deliveries.listOf(
        ctx,
        [found.id, ...payments.map(({ id }) => id)],
        may('deliveries:retry'),
      ),
      possible: {
        moves: may('orders:write') ? [...orderMoves[order.status]] : [],
        payment_moves: may('payments:write') ? [...paymentMoves[payment.status]] : [],
        another_payment:
          may('payments:write') && order.status !== 'canceled' && payment.status === 'rejected',
        refund: may('payments:write') ? leftToRefund(payment) : 0,
      },
    },
  };
}
