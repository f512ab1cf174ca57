import type { Database } from '@comanda/db';

/** How many rows a location has. */
export interface WholeSize {
  products: number;
  options: number;
  categories: number;
  orders: number;
}

/** The largest location that is promised not to hold up others (docs/bench/hostile.md). */
export const wholeSize: WholeSize = { products: 10_000, options: 10_000, categories: 5_000, orders: 100_000 };

/** A part of it: `sizedBy(0.1)` is a tenth. */
export const sizedBy = (part: number): WholeSize => ({
  products: wholeSize.products * part,
  options: wholeSize.options * part,
  categories: wholeSize.categories * part,
  orders: wholeSize.orders * part,
});

/** A location, and those of its rows that the others are put together with. */
export interface Filled {
  locationId: string;
  /** Gets every product. */
  categoryId: string;
  /** Gets four tenths of the options. */
  productId: string;
  /** Gets as many categories as a menu may have. */
  menuId: string;
  paymentMethodId: string;
}

/** Fills a location by SQL and through every trigger. */
export async function fillWhole(
  { pool }: Pick<Database, 'pool'>,
  { locationId, categoryId, productId, menuId, paymentMethodId }: Filled,
  size: WholeSize,
): Promise<void> {
  await pool.query(
    `insert into categories (location_id, external_id, name, priority)
     select $1, 'whole-c' || n, 'Category ' || n, n % 100 from generate_series(1, $2::int) n`,
    [locationId, size.categories],
  );
  await pool.query(
    `insert into menu_categories (location_id, menu_id, category_id, position)
     select location_id, $2, id, row_number() over (order by id) from categories where location_id = $1 and id <> $3 limit 999
     on conflict do nothing`,
    [locationId, menuId, categoryId],
  );
  await inPieces(size.products, 1_000, (from, to) =>
    pool.query(
      `with made as (
         insert into products (location_id, external_id, sku, name, description, price)
         select $1, 'whole-p' || n, 'WHOLE-' || n, 'Product ' || n, repeat('d', 100), 5 + n % 90
         from generate_series($3::int, $4::int) n returning id
       ), linked as (
         insert into product_categories (location_id, product_id, category_id) select $1, id, $2 from made
       )
       insert into product_stock (location_id, product_id, enabled, quantity) select $1, id, true, 900000000 from made`,
      [locationId, categoryId, from, to],
    ),
  );
  // Four tenths of the options on one product, in 40 of the 50 choices that it may have, and the others on one product each.
  await pool.query(
    `with own as (
       insert into subselections (location_id, product_id, external_id, name, max_selection, single, position)
       select $1, $2, 'whole-s' || n, 'Choice ' || n, 50, false, n from generate_series(1, 40) n returning id
     ), other as (
       insert into subselections (location_id, product_id, external_id, name)
       select $1, id, 'whole-s', 'Choice' from products where location_id = $1 and id <> $2 order by id limit $3::int * 6 / 10
       returning id
     )
     insert into subselection_items (location_id, subselection_id, external_id, name, price, position)
     select $1, id, 'whole-i' || n, 'Option ' || n, 1, n from own, generate_series(1, $3::int / 100) n
     union all select $1, id, 'whole-i', 'Option', 1, 1 from other`,
    [locationId, productId, size.options],
  );
  await inPieces(size.orders, 5_000, (from, to) =>
    pool.query(
      `with goods as materialized (
         select array_agg(id) as ids from (select id from products where location_id = $1 and id <> $4 order by id limit 1000) p
       ), made as (
         insert into orders (location_id, id, number, external_id, total, payment_method_id, identifier, status, created_at)
         select $1, uuid_v7(), 1000000 + n, 'whole-' || n, 25, $2, '', 'closed', now() - interval '20 days' + n * (interval '20 days' / $3::int)
         from generate_series($5::int, $6::int) n returning id, number, total, payment_method_id
       ), bought as (
         insert into order_items (location_id, order_id, position, product_id, name, unit_price, quantity, total)
         select $1, m.id, p, g.ids[1 + (m.number * 7 + p) % 1000], 'Product', 12.5, 1, 12.5
         from made m, goods g, generate_series(1, 2) p where array_length(g.ids, 1) >= 1000
       )
       insert into payments (location_id, order_id, payment_method_id, amount)
       select $1, id, payment_method_id, total from made`,
      [locationId, paymentMethodId, size.orders, productId, from, to],
    ),
  );
  await pool.query(
    `insert into internal.location_counters as c (location_id, name, value) values ($1, 'order', $2)
     on conflict (location_id, name) do update set value = excluded.value`,
    [locationId, 1_000_000 + size.orders],
  );
}

/** Makes rows 1 to `count`, each piece within the time of a statement. */
async function inPieces(
  count: number,
  most: number,
  make: (from: number, to: number) => Promise<unknown>,
): Promise<void> {
  for (let from = 1; from <= count; from += most) await make(from, Math.min(from + most - 1, count));
}
