import { isId } from '@comanda/db';
import type { Answer } from '../../call/answer.ts';
import type { CallContext } from '../../call/context.ts';
import { originOf } from '../../call/request-id.ts';
import { inStatement } from '../../call/writing.ts';
import { conflict, invalid, notFound } from '../../errors.ts';
import type { Payment, PaymentStatus } from '../payments/schema.ts';
import { paymentMethodFaults } from './rules.ts';
import type { OrderPaymentAdd } from './schema.ts';
import { addPayment as addRow } from './statements.ts';

/**
 * Adds a pending payment to an order whose payment was rejected. Throws `resource_not_found`, `conflict` when the order is canceled or its
 * payment is not rejected, `validation_error` when the method cannot be used.
 */
export async function addPayment(
  ctx: CallContext,
  { id, payment_method_id }: OrderPaymentAdd,
): Promise<Answer<Payment>> {
  if (!isId(id)) throw notFound('Order');
  const { locationId, apiKeyId } = ctx.caller;
  const values = [
    locationId,
    id,
    isId(payment_method_id) ? payment_method_id : null,
    'orders.addPayment',
    originOf(ctx),
    apiKeyId,
    ctx.clientAddress ?? null,
  ];
  return inStatement(ctx, async (on) => {
    const [added] = await on.run(addRow, values);
    if (added === undefined || added.order_status === null || added.previous === null)
      throw notFound('Order');
    if (added.order_status === 'canceled') throw conflict('order_canceled', 'The order is canceled.');
    if (added.previous !== 'rejected') throw conflict(...refusals[added.previous]);
    if (added.response === null)
      throw invalid(paymentMethodFaults({ paymentMethodEnabled: added.enabled ?? undefined }));
    return { text: added.response };
  });
}

const refusals: Record<Exclude<PaymentStatus, 'rejected'>, Parameters<typeof conflict>> = {
  pending: ['payment_open', 'The payment of the order is pending: complete or reject it.'],
  completed: ['payment_completed', 'The payment of the order is completed.'],
};
