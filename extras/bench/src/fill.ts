import { createLocation, issueKey } from '@comanda/api/services';
import { type Place, placeOrder, send } from './calls.ts';
import { type MenuCategory, makeMenu } from './menu.ts';
import { fillReference, type ReferenceShop } from './reference/fill.ts';
import { runSql, type Subject } from './subject.ts';

/** The same shop on both sides. */
export interface Shop extends Place {
  reference: ReferenceShop;
  headers: Record<string, string>;
}

/** Makes a location without products. */
export async function makeEmptyPlace({ database }: Pick<Subject, 'database'>): Promise<Place> {
  const { id } = await createLocation(database, { name: 'Bench', timezone: 'UTC', currency: 'UYU' });
  const { rows } = await database.pool.query<{ id: string }>(
    'select id from payment_methods where location_id = $1 order by id limit 1',
    [id],
  );
  const { key } = await issueKey(database, {
    name: 'bench',
    permissions: ['*'],
    location_id: id,
    per_minute: 1_000_000_000,
    monthly: 1_000_000_000,
    batch_jobs_per_hour: 1_000_000,
    max_items_per_batch: 1_000_000,
  });
  return { locationId: id, key, paymentMethodId: rows[0]?.id ?? '', productIds: [] };
}

/** Makes a location with `products` products with stock and `orders` orders of two lines, by SQL and through every trigger. */
export async function makePlace(subject: Subject, products: number, orders = products): Promise<Place> {
  const place = await makeEmptyPlace(subject);
  const { pool } = subject.database;
  const { rows } = await pool.query<{ id: string }>(
    `with made as (
       insert into products (location_id, external_id, sku, name, price)
       select $1, 'p' || n, 'SKU-' || n, 'Product ' || n, 5 + n % 90 from generate_series(0, $2::int - 1) n returning id
     ), shelf as (
       insert into categories (location_id, external_id, name) values ($1, 'everything', 'Everything') returning id
     ), linked as (
       insert into product_categories (location_id, product_id, category_id) select $1, made.id, shelf.id from made, shelf
     ), stocked as (
       insert into product_stock (location_id, product_id, enabled, quantity) select $1, id, true, 900000000 from made
     ) select id from made`,
    [place.locationId, products],
  );
  const productIds = rows.map(({ id }) => id);
  // A statement of the service may run for so long only.
  const atOnce = 20_000;
  for (let from = 1; from <= orders; from += atOnce)
    await pool.query(pastOrders, [
      place.locationId,
      place.paymentMethodId,
      productIds,
      from,
      Math.min(orders, from + atOnce - 1),
      orders,
    ]);
  await pool.query(
    `insert into internal.location_counters as c (location_id, name, value) values ($1, 'order', $2)
     on conflict (location_id, name) do update set value = excluded.value`,
    [place.locationId, orders],
  );
  return { ...place, productIds };
}

// Over the last hundred days: 70 % closed, 10 % ready, 5 % canceled, the rest pending.
const pastOrders = `with made as (
    insert into orders (location_id, id, number, external_id, total, payment_method_id, identifier, status, created_at)
    select $1, uuid_v7(), n, 'past-' || n, 25, $2, '',
      (case when n % 20 < 14 then 'closed' when n % 20 < 16 then 'ready' when n % 20 < 17 then 'canceled' else 'pending' end)::order_status,
      now() - interval '100 days' + n * (interval '100 days' / $6::int)
    from generate_series($4::int, $5::int) n returning id, number, total, payment_method_id
  ), bought as (
    insert into order_items (location_id, order_id, position, product_id, name, unit_price, quantity, total)
    select $1, m.id, p, ($3::uuid[])[1 + (m.number * 7 + p) % cardinality($3::uuid[])], 'Product', 12.5, 1, 12.5
    from made m, generate_series(1, 2) p
  )
  insert into payments (location_id, order_id, payment_method_id, amount) select $1, id, payment_method_id, total from made`;

/**
 * Fills both databases with three other locations of 10,000 products and orders each (34 where `small`) and analyzes them. Measurements
 * are made in locations that are made later, which no statistics know.
 */
export async function fillWithCompany(subject: Subject, small: boolean): Promise<Place[]> {
  const each = small ? 34 : 10_000;
  const company: Place[] = [];
  for (let index = 0; index < 3; index += 1) {
    company.push(await makePlace(subject, each));
    await runSql(subject.referenceUrl, ofReference, [each]);
  }
  await tidy(subject);
  await runSql(subject.referenceUrl, 'vacuum analyze');
  return company;
}

/** Drops the changes that filling captured, and vacuums and analyzes, as autovacuum would in time. */
export async function tidy({ database }: Subject): Promise<void> {
  await database.pool.query('truncate internal.captured_changes');
  await database.pool.query('vacuum analyze');
}

// $1 how many products and orders.
const ofReference = `with place as (
    insert into location (id, products, orders) values (gen_random_uuid(), $1::int, $1::int) returning id
  ), product as (
    insert into product (location_id, id, external_id, sku, name, description, price)
    select p.id, gen_random_uuid(), 'p' || n, 'SKU-' || n, 'Product ' || n, '', 5 + n % 90
    from place p, generate_series(1, $1::int) n returning location_id, id
  ), stock as (
    insert into product_stock (location_id, product_id, enabled, quantity)
    select location_id, id, true, 900000000 from product
  ), made as (
    insert into orders (location_id, id, number, external_id, total, is_take_away, payment_method_id, created_at)
    select p.id, gen_random_uuid(), n, 'past-' || n, 25, false, p.id,
      now() - interval '100 days' + n * (interval '100 days' / $1::int)
    from place p, generate_series(1, $1::int) n returning location_id, id, total
  ), bought as (
    insert into order_item (location_id, order_id, position, product_id, name, unit_price, quantity, total)
    select m.location_id, m.id, i, m.location_id, 'Product', 12.5, 1, 12.5 from made m, generate_series(1, 2) i
  )
  insert into payment (location_id, order_id, amount) select location_id, id, total from made`;

/** Makes a shop of `products` products: Comanda's through its API, the reference's by SQL. */
export async function makeShop(subject: Subject, apiUrl: string, products: number): Promise<Shop> {
  const menu = makeMenu(products);
  const place = await makeEmptyPlace(subject);
  await loadMenu(apiUrl, place.key, menu);
  const reference = await fillReference(subject.referenceUrl, menu);
  const rows = await runSql(
    subject.databaseUrl,
    'select id from products where location_id = $1 order by name, id',
    [place.locationId],
  );
  const headers = { authorization: `Bearer ${place.key}`, 'content-type': 'application/json' };
  return { ...place, headers, reference, productIds: rows.map(({ id }) => String(id)) };
}

async function loadMenu(apiUrl: string, key: string, menu: readonly MenuCategory[]): Promise<void> {
  // As many categories at a time as stay well below the largest body.
  const perCall = Math.max(1, Math.floor(8_000 / (menu[0]?.products.length ?? 1)));
  for (let at = 0; at < menu.length; at += perCall)
    await send(apiUrl, key, {
      method: 'POST',
      path: '/v2/catalog/sync',
      body: { categories: menu.slice(at, at + perCall) },
    });
}

/**
 * Lets the company go on with its work, an order every 100 ms, until the answer is called.
 * The answer throws {Error} when an order was refused.
 */
export function letCompanyWork(company: readonly Place[], apiUrl: string): () => Promise<void> {
  let at = 0;
  let failed: string | undefined;
  const pending = new Set<Promise<void>>();
  const timer = setInterval(() => {
    const place = company[at % company.length];
    if (place === undefined) return;
    at += 1;
    const asked = placeOrder(apiUrl, place).then(
      () => {},
      (error: unknown) => {
        failed ??= String(error);
      },
    );
    pending.add(asked);
    void asked.then(() => pending.delete(asked));
  }, 100);
  return async () => {
    clearInterval(timer);
    await Promise.all(pending);
    if (failed !== undefined) throw new Error(`the work of the company failed: ${failed}`);
  };
}
