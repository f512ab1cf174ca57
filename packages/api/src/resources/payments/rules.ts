import { type ApiError, conflict } from '../../errors.ts';
import type { PaymentStatus, PaymentWithBooks } from './schema.ts';

/** The next statuses of a payment from each status. Postgres holds the same table. */
export const paymentMoves = {
  pending: ['completed', 'rejected'],
  completed: [],
  rejected: [],
} as const satisfies Record<PaymentStatus, readonly PaymentStatus[]>;

/** The statuses that a payment can be moved to. */
export type PaymentTarget = (typeof paymentMoves)['pending'][number];

/** The refusal of a move that is not in the table: a `conflict`. */
export function moveRefused(from: PaymentStatus, to: PaymentTarget): ApiError {
  return conflict('illegal_move', `The payment cannot move from ${from} to ${to}: ${from} is final.`);
}

/** At most what a refund may be, in the location's currency; 0 where none is possible. */
export const leftToRefund = ({ status, amount, refunded = 0 }: PaymentWithBooks): number =>
  status === 'completed' ? Math.round((amount - refunded) * 100) / 100 : 0;
