import { newId } from '@comanda/db';
import { byIndex, type JoinedWrite, ofDifferentIds } from '../../capacity/joined-writes.ts';
import { type UpdatedRow, updateProducts } from './statements.ts';

/** A change of a product: neither of its categories, nor of what no other product may have. */
export interface ProductChange {
  id: string;
  /** As JSON; null: all stay as they are. */
  fields: string | null;
  stock: string | null;
  /** The request's id, its place in a trace and its key, as `makerOf` has them. */
  origin: string;
}

/** Changes of single products of one location that come at once, made in one transaction by update_products (prisma/sql/products.sql). */
export const updating: JoinedWrite<ProductChange, UpdatedRow | undefined> = {
  resource: 'products',
  rows: ({ id }) => [id],
  joins: ofDifferentIds,
  async write(database, locationId, members, alone) {
    const values = [
      locationId,
      alone,
      members.map(({ id }) => id),
      members.map(({ fields }) => fields),
      members.map(({ stock }) => stock),
      members.map(({ origin }) => origin),
      // Each is published as a transaction of its own.
      members.map(() => newId()),
    ];
    return byIndex(await database.run(updateProducts, values));
  },
};
