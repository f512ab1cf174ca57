import type { Answer } from '../../call/answer.ts';
import type { CallContext } from '../../call/context.ts';
import type { ApiError } from '../../errors.ts';
import type { ReasonOf } from '../../reasons.ts';
import type { OrderRequest, PricedLine } from './facts.rules.ts';
import { readFacts } from './facts.store.ts';
import { readObstacles } from './obstacles.store.ts';
import type { OrderQuote } from './quote.schema.ts';
import { decideOrder } from './rules.ts';
import type { OrderItem } from './schema.ts';

/**
 * Decides an order as its creation would at this moment, and makes none: nothing is changed or locked, so what is left
 * may be gone when it is placed. Refusals of the creation are in `refusals`.
 */
export async function quote(
  { app, caller }: CallContext,
  request: OrderRequest,
): Promise<Answer<OrderQuote>> {
  const { order, faults } = decideOrder(
    request,
    await readFacts(app.capacity.joinedReads, caller.locationId, request),
  );
  const { taken, paused } = await readObstacles(app.database, caller, request);
  const value: OrderQuote = {
    total: Number(order.total),
    ...(order.adjustments && { subtotal: Number(order.subtotal), adjustments: order.adjustments }),
    items: order.lines.map(shown),
    refusals: [
      ...(taken === undefined ? [] : [obstacle('external_id_taken', 'external_id', taken)]),
      ...(paused === undefined ? [] : [obstacle('location_paused', '', paused)]),
      ...faults.map(({ reason = 'invalid_field', ...fault }) => ({
        code: 'validation_error' as const,
        reason,
        ...fault,
      })),
    ],
  };
  return { value };
}

const obstacle = (reason: ReasonOf<'conflict'>, path: string, { message }: ApiError) => ({
  code: 'conflict' as const,
  reason,
  path,
  message,
});

// As orders_json shows it once it is stored.
const shown = ({ unit_price, quantity, total, selections, ...line }: PricedLine): OrderItem => ({
  ...line,
  quantity: Number(quantity),
  unit_price: Number(unit_price),
  total: Number(total),
  ...(selections.length > 0 && {
    subselections: selections.map(({ item_id, quantity: chosen }) => ({ item_id, quantity: chosen })),
  }),
});
