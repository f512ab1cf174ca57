import { json } from '../support/money.ts';
import { sumOf } from './adjustments.ts';
import type { Method, PlacedOrder } from './orders.ts';

/** What becomes of a payment. */
export type Paid = 'completed' | 'rejected';

/** A refund that was recorded. */
export interface Refund {
  cents: bigint;
  reason: string;
  /** The turn that has it. */
  turn?: string;
}

/** A payment of an order: every move that was accepted, and the refunds. */
export interface PlacedPayment {
  id: string;
  method: Method;
  created_at: string;
  cents: bigint;
  paid: Paid[];
  refunds: Refund[];
  /** The turn that collects it. */
  turn?: string;
}

/** The latest one, which the order shows. */
export function latestPayment({ id, payments }: Pick<PlacedOrder, 'id' | 'payments'>): PlacedPayment {
  const payment = payments.at(-1);
  if (payment === undefined) throw new Error(`order ${id} has no payment`);
  return payment;
}

/** The status of a payment: the cancellation of its order rejects one that is pending, and one that was replaced had been rejected. */
export function statusOfPayment(order: PlacedOrder, payment: PlacedPayment): Paid | 'pending' {
  const [status, second] = payment.paid;
  if (second !== undefined || (status !== 'rejected' && payment !== latestPayment(order)))
    throw new Error(`a payment of order ${order.id} was ${payment.paid.join(' and ')}: impossible`);
  return status ?? (order.moves.includes('canceled') ? 'rejected' : 'pending');
}

/** The status of the latest one. */
export const paymentStatusOf = (order: PlacedOrder): Paid | 'pending' =>
  statusOfPayment(order, latestPayment(order));

/** The refunded amount. */
export const refundedOf = ({ refunds }: PlacedPayment): bigint => sumOf(refunds.map(({ cents }) => cents));

/** A payment as it must be shown, without the moments of its changes. */
export const expectedPayment = (order: PlacedOrder, payment: PlacedPayment) => ({
  id: payment.id,
  order_id: order.id,
  payment_method_id: payment.method.id,
  method: payment.method.type,
  amount: json(payment.cents),
  status: statusOfPayment(order, payment),
  created_at: payment.created_at,
});

/** The same with its books. `settlements` are the ids of settlements by their turns. */
export function expectedBooks(
  order: PlacedOrder,
  payment: PlacedPayment,
  settlements: ReadonlyMap<string, string>,
): Record<string, unknown> & { id: string } {
  const { turn, cents } = payment;
  const settlement = turn && settlements.get(turn);
  const isCompleted = statusOfPayment(order, payment) === 'completed';
  return {
    ...expectedPayment(order, payment),
    ...(turn !== undefined && { turn_id: turn }),
    ...(settlement !== undefined && { settlement_id: settlement }),
    ...(isCompleted && turn === undefined && { unsettled: json(cents) }),
    ...(refundedOf(payment) > 0n && { refunded: json(refundedOf(payment)) }),
  };
}
