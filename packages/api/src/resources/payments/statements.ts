import { statement } from '@comanda/db';
import type { PaymentStatus } from './schema.ts';

// Not Prisma: payments_json is the one definition of a payment, which events show, too.

/** A payment as JSON text. */
export interface PaymentText {
  doc: string;
}

/** $1 location, $2 id. */
export const readPayment = statement<PaymentText>(
  'read_payment',
  'select doc from payments_json($1::uuid, array[$2::uuid])',
);

/** The same with its books. */
export const readPaymentWithBooks = statement<PaymentText>(
  'read_payment_with_books',
  `select left(doc, -1) || payment_books($1::uuid, $2::uuid) || '}' as doc from payments_json($1::uuid, array[$2::uuid])`,
);

/**
 * The outcome of the move at an index of the batch: `previous` is null when there is no such payment; it has moved
 * when that is pending.
 */
export interface MovedRow {
  place: number;
  previous: PaymentStatus | null;
  response: string | null;
}

/** $1 location, $2 whether alone, $3 the moves; prisma/sql/money.sql has their fields. */
export const movePaymentBatch = statement<MovedRow>(
  'move_payment_batch',
  'select place, previous, response from move_payment_batch($1::uuid, $2::boolean, $3::jsonb)',
);

/** The outcome of a refund; prisma/sql/money.sql defines refund_payment. `left_over` is what was left of the payment before it. */
export const refundPayment = statement<
  { previous: PaymentStatus; left_over: string; response: string } | { previous: null }
>(
  'refund_payment',
  `select previous, trim_scale(left_over)::text as left_over, response
   from refund_payment($1::uuid, $2::uuid, $3::numeric, $4, $5, $6, $7, $8::uuid, $9)`,
);
