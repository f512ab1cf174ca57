import type { Database } from '@comanda/db';
import { createPaymentMethod, createProduct } from './factories.ts';

/** Orders that are written at once, all at one location. */
export interface ManyOrders {
  locationId: string;
  count: number;
  /** When the first was made; two have each moment, a second apart. */
  from: string;
  /** Characters of the comment of every line, each of four bytes, by chance; 0 unless said. */
  commentLength?: number;
  /** The prefix of their external ids. */
  prefix?: string;
}

/**
 * Writes orders in one statement: numbers count on from the location's last, the n-th (from 1) has n % 3 + 1 lines
 * of 12.50 and the external id `<prefix>n`; each with its payment.
 */
export async function createManyOrders(
  database: Database,
  { locationId, count, from, commentLength = 0, prefix = 'MANY-' }: ManyOrders,
): Promise<void> {
  const productId = await createProduct(database, { locationId });
  const methodId = await createPaymentMethod(database, { locationId });
  await database.pool.query(
    `with made as (
       insert into orders (location_id, id, number, external_id, total, payment_method_id, identifier, created_at)
       select $1, uuid_v7(), n + coalesce((select max(number) from orders where location_id = $1), 0), $6 || n,
         12.5 * (n % 3 + 1), $2, 'Table ' || n, $4::timestamptz + make_interval(secs => (n - 1) / 2)
       from generate_series(1, $3::int) n
       returning location_id, id, number, total, payment_method_id, external_id
     ), lines as (
       insert into order_items (location_id, order_id, position, product_id, name, unit_price, quantity, total, comment)
       select m.location_id, m.id, p, $5, 'Flat White', 12.5, 1, 12.5, nullif(substr($8, 1 + (random() * 19000)::int, $7::int), '')
       from made m, generate_series(1, (m.total / 12.5)::int) p
     )
     insert into payments (location_id, order_id, payment_method_id, amount)
     select location_id, id, payment_method_id, total from made`,
    [locationId, methodId, count, from, productId, prefix, commentLength, characters],
  );
}

// Of four bytes each, more than gzip looks back on.
const characters = Array.from({ length: 20_000 }, () =>
  String.fromCodePoint(0x10000 + Math.floor(Math.random() * 0xe0000)),
).join('');
