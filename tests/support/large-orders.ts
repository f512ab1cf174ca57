import type { Database } from '@comanda/db';
import { createPaymentMethod, createProduct } from './factories.ts';

const lines = 200;
const commentLength = 1_000;

/** The least that an order of the largest kind takes as JSON. */
export const largeOrderBytes = lines * commentLength * 4;

/** Writes orders of 200 lines with comments of 1,000 characters of four bytes each, in one transaction. */
export async function createLargeOrders(
  database: Database,
  { locationId, count }: { locationId: string; count: number },
): Promise<void> {
  const productId = await createProduct(database, { locationId });
  const methodId = await createPaymentMethod(database, { locationId });
  await database.pool.query(
    `with made as (
       insert into orders (location_id, id, number, total, payment_method_id)
       select $1, uuid_v7(), n + coalesce((select max(number) from orders where location_id = $1), 0), 1, $2
       from generate_series(1, $3::int) n returning location_id, id, total, payment_method_id
     ), items as (
       insert into order_items (location_id, order_id, position, product_id, name, unit_price, quantity, total, comment)
       select m.location_id, m.id, p, $4, 'Flat White', 12.5, 1, 12.5, repeat('🍕', $6)
       from made m, generate_series(1, $5::int) p
     )
     insert into payments (location_id, order_id, payment_method_id, amount)
     select location_id, id, payment_method_id, total from made`,
    [locationId, methodId, count, productId, lines, commentLength],
  );
}
