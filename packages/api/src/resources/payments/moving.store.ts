import { newId } from '@comanda/db';
import type { JoinedWrite } from '../../places/joined-writes.ts';
import type { PaymentTarget } from './rules.ts';
import { type MovedRow, movePayments } from './statements.ts';

/** A move of a payment, for the transaction that makes it. */
export interface PaymentMove {
  id: string;
  to: PaymentTarget;
  operation: string;
  /** The request's id and its place in a trace, as `originOf` has them. */
  origin: string;
  apiKeyId: string;
  clientAddress: string | null;
}

/** How the payment stood before, null when there is none, and the payment now: it has moved when it was pending. */
export type MovedPayment = Pick<MovedRow, 'previous' | 'response'>;

/** Moves of payments of one location that come at once, made in one transaction by move_payments (prisma/sql/money.sql). */
export const moving: JoinedWrite<PaymentMove, MovedPayment> = {
  resource: 'payments',
  // An order has one payment, so neither do two of them move what one order shows.
  joins: (before, { id }) => before.every((each) => each.id.toLowerCase() !== id.toLowerCase()),
  async write(database, locationId, members, alone) {
    const column = <Value>(of: (member: PaymentMove) => Value) => members.map(of);
    const moved: MovedPayment[] = [];
    for (const { place, previous, response } of await database.run(movePayments, [
      ...[locationId, alone, column(({ id }) => id), column(({ to }) => to)],
      ...[column(({ operation }) => operation), column(({ origin }) => origin)],
      ...[column(({ apiKeyId }) => apiKeyId), column(({ clientAddress }) => clientAddress)],
      // Whoever hears of them hears of each by itself.
      column(() => newId()),
    ]))
      moved[place - 1] = { previous, response };
    return moved;
  },
};
