import { newId } from '@comanda/db';
import { byIndex, type JoinedWrite, ofDifferentIds } from '../../capacity/joined-writes.ts';
import type { PaymentTarget } from './rules.ts';
import { type MovedRow, movePaymentBatch } from './statements.ts';

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

/** Moves of payments of one location that come at once, made in one transaction by move_payment_batch (prisma/sql/money.sql). */
export const moving: JoinedWrite<PaymentMove, MovedRow | undefined> = {
  resource: 'payments',
  rows: ({ id }) => [id],
  // One payment of an order is pending, so no two of them move what one order shows.
  joins: ofDifferentIds,
  async write(database, locationId, members, alone) {
    const moves = {
      payments: members.map(({ id }) => id),
      nexts: members.map(({ to }) => to),
      operations: members.map(({ operation }) => operation),
      request_ids: members.map(({ origin }) => origin),
      api_keys: members.map(({ apiKeyId }) => apiKeyId),
      client_addresses: members.map(({ clientAddress }) => clientAddress),
      // Each is published as a transaction of its own.
      seeds: members.map(() => newId()),
    };
    return byIndex(await database.run(movePaymentBatch, [locationId, alone, moves]));
  },
};
