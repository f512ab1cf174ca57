import { newId } from '@comanda/db';
import type { JoinedWrite } from '../../places/joined-writes.ts';
import { type UpdatedRow, updateProducts } from './statements.ts';

/** A change of a product: neither of its categories, nor of what no other product may have. */
export interface ProductChange {
  id: string;
  /** As JSON; null: all stay as they are. */
  fields: string | null;
  stock: string | null;
  /** The request's id and its place in a trace, as `originOf` has them. */
  origin: string;
}

/** Changes of single products of one location that come at once, made in one transaction by update_products (prisma/sql/products.sql). */
export const updating: JoinedWrite<ProductChange, UpdatedRow | undefined> = {
  resource: 'products',
  joins: (before, { id }) => before.every((each) => each.id.toLowerCase() !== id.toLowerCase()),
  async write(database, locationId, members, alone) {
    const updated: (UpdatedRow | undefined)[] = [];
    const values = [
      ...[locationId, alone, members.map(({ id }) => id), members.map(({ fields }) => fields)],
      ...[members.map(({ stock }) => stock), members.map(({ origin }) => origin)],
      // What is captured of each is published as of a transaction of its own.
      members.map(() => newId()),
    ];
    for (const row of await database.run(updateProducts, values)) updated[row.place - 1] = row;
    return updated;
  },
};
