import { createLocation, issueKey } from '@comanda/api/services';
import type { Database } from '@comanda/db';
import { prismaOf } from '../../support/prisma.ts';

/** A location with products that have stock, orders behind it, and a key whose limits are far away. */
export interface Shop {
  locationId: string;
  key: string;
  paymentMethodId: string;
  productIds: string[];
}

/** Makes a shop of `each` products and orders, by SQL and through every trigger. */
export async function makeShop(database: Database, each: number): Promise<Shop> {
  const { pool } = database;
  const { id } = await createLocation(database, { name: 'Neighbor', timezone: 'UTC', currency: 'UYU' });
  const { id: paymentMethodId } = await prismaOf(database).paymentMethod.findFirstOrThrow({
    where: { locationId: id },
  });
  const { key } = await issueKey(database, {
    name: 'neighbor',
    permissions: ['*'],
    location_id: id,
    per_minute: 1_000_000_000,
    monthly: 1_000_000_000,
    batch_jobs_per_hour: 1_000_000,
  });
  const { rows } = await pool.query<{ id: string }>(
    `insert into products (location_id, external_id, sku, name, price)
     select $1, 'p' || n, 'SKU-' || n, 'Product ' || n, 5 + n % 90 from generate_series(0, $2::int - 1) n returning id`,
    [id, each],
  );
  const productIds = rows.map((row) => row.id);
  await pool.query(
    `insert into product_stock (location_id, product_id, enabled, quantity)
     select $1, id, true, 900000000 from unnest($2::uuid[]) id`,
    [id, productIds],
  );
  await pool.query(
    `with made as (
       insert into orders (location_id, id, number, external_id, total, payment_method_id, identifier, status)
       select $1, uuid_v7(), n, 'past-' || n, 25, $2, '', 'closed' from generate_series(1, $4::int) n
       returning id, number, total, payment_method_id
     ), bought as (
       insert into order_items (location_id, order_id, position, product_id, name, unit_price, quantity, total)
       select $1, m.id, p, ($3::uuid[])[1 + (m.number * 7 + p) % $4::int], 'Product', 12.5, 1, 12.5
       from made m, generate_series(1, 2) p
     )
     insert into payments (location_id, order_id, payment_method_id, amount)
     select $1, id, payment_method_id, total from made`,
    [id, paymentMethodId, productIds, each],
  );
  await pool.query(
    `insert into internal.location_counters as c (location_id, name, value) values ($1, 'order', $2)
     on conflict (location_id, name) do update set value = excluded.value`,
    [id, each],
  );
  return { locationId: id, key, paymentMethodId, productIds };
}

let made = 0;

/** A request to the API. */
export interface Sent {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  path: string;
  body?: unknown;
}

/**
 * Sends a request and gives the `data` of its answer.
 * @throws {Error} when it is no success.
 */
export async function send(apiUrl: string, key: string, { method, path, body }: Sent): Promise<unknown> {
  made += 1;
  const headers = {
    authorization: `Bearer ${key}`,
    'content-type': 'application/json',
    ...(method === 'POST' && { 'idempotency-key': `neighbor-${made}` }),
  };
  const response = await fetch(apiUrl + path, {
    method,
    headers,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text.slice(0, 300)}`);
  return text === '' ? undefined : JSON.parse(text).data;
}

/** Places an order of three products, the first of them at `first` in the list. */
export async function placeOrder(
  { key, paymentMethodId, productIds }: Shop,
  apiUrl: string,
  first: number,
): Promise<void> {
  made += 1;
  const items = [0, 1, 2].map((index) => ({
    product_id: productIds[(first + index) % productIds.length],
    quantity: 1,
  }));
  const body = {
    external_id: `neighbor-${made}`,
    channel: 'soak',
    is_take_away: false,
    identifier: '',
    payment_method_id: paymentMethodId,
    items,
  };
  await send(apiUrl, key, { method: 'POST', path: '/v2/orders', body });
}
