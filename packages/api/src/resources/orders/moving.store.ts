import { newId, type Queryable } from '@comanda/db';
import { byIndex, type JoinedWrite, ofDifferentIds } from '../../capacity/joined-writes.ts';
import type { OrderStatus } from './schema.ts';
import { type MovedRow, moveOrderBatch } from './statements.ts';

/** A move of an order. */
export interface OrderMove {
  id: string;
  to: OrderStatus;
  /** Of a cancellation. */
  reason: string | undefined;
  /** The request's id and its place in a trace, as `originOf` has them. */
  origin: string;
  apiKeyId: string;
}

/** Moves of orders of one location that come at once, made in one transaction by move_order_batch (prisma/sql/orders.sql). */
export const moving: JoinedWrite<OrderMove, MovedRow | undefined> = {
  resource: 'orders',
  rows: ({ id }) => [id],
  joins: ofDifferentIds,
  write: async (database, locationId, members, alone) =>
    byIndex(await moveAll(database, locationId, members, alone)),
};

/** Moves one in the transaction of its caller. */
export async function moveOne(
  on: Queryable,
  locationId: string,
  member: OrderMove,
): Promise<MovedRow | undefined> {
  const [moved] = await moveAll(on, locationId, [member], true);
  return moved;
}

const moveAll = (on: Queryable, locationId: string, members: readonly OrderMove[], alone: boolean) =>
  on.run(moveOrderBatch, [
    locationId,
    alone,
    {
      orders: members.map(({ id }) => id),
      next: members.map(({ to }) => to),
      reasons: members.map(({ reason }) => reason ?? null),
      request_ids: members.map(({ origin }) => origin),
      api_keys: members.map(({ apiKeyId }) => apiKeyId),
      // Each is published as a transaction of its own.
      seeds: members.map(() => newId()),
    },
  ]);
