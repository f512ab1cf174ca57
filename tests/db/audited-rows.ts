import type { Hand } from '../support/by-hand.ts';

/** How many rows each table gets: more than an entry has the values of. */
export const manyRows = 120;

/** Fills every table that the audit keeps at a location, and makes another location without rows. `api_keys` are there before. */
export async function fillAuditedTables(hand: Hand, location: string): Promise<void> {
  await hand.sql('begin');
  await hand.sql(`select deed('import: rows of every table')`);
  for (const text of rows) await hand.sql(text, text.includes('$2') ? [location, manyRows] : [location]);
  await hand.sql('commit');
}

const numbered = 'from generate_series(1, $2::int) n';
const pairs = (
  left: string,
  right: string,
): string => `from (select id, row_number() over (order by id) as n from ${left} where location_id = $1) a
  join (select id, row_number() over (order by id) as n from ${right} where location_id = $1) b using (n)`;

const rows: readonly string[] = [
  `insert into locations (name) select 'Empty' where $1::uuid is not null`,
  `insert into api_keys (location_id, name, prefix, key_hash, permissions)
   select $1, 'Key ' || n, 'cmd_live_' || lpad(n::text, 8, '0'), sha256(('key ' || n)::bytea), '{orders:read}' ${numbered}`,
  `insert into payment_methods (location_id, name, type) select $1, 'Method ' || n, 'cash' ${numbered}`,
  `insert into turns (location_id, batch_number, status, started_at, ended_at, starting_cash, counted)
   select $1, 1000 + n, 'closed', now() - interval '1 day', now() - interval '1 hour', 0, 1 ${numbered}`,
  `insert into settlements (location_id, turn_id, batch_number, started_at, ended_at, total_orders, total_collected, average_ticket, payments, orders)
   select location_id, id, batch_number, started_at, ended_at, 0, 0, 0, '[]', '{"open": 0, "closed": 0, "canceled": 0}' from turns
   where location_id = $1 and status = 'closed'`,
  `insert into categories (location_id, name) select $1, 'Category ' || n ${numbered}`,
  `insert into menus (location_id, name) select $1, 'Menu ' || n ${numbered}`,
  `insert into menu_categories (location_id, menu_id, category_id, position) select $1, a.id, b.id, 1 ${pairs('menus', 'categories')}`,
  `insert into products (location_id, sku, name, price) select $1, 'sku ' || n, 'Product ' || n, n ${numbered}`,
  `insert into product_categories (location_id, product_id, category_id) select $1, a.id, b.id ${pairs('products', 'categories')}`,
  `insert into product_stock (location_id, product_id, quantity, enabled) select location_id, id, 50, true from products where location_id = $1`,
  `insert into subselections (location_id, product_id, name) select location_id, id, 'Size' from products where location_id = $1`,
  `insert into subselection_items (location_id, subselection_id, name, price) select location_id, id, 'Large', 1 from subselections where location_id = $1`,
  `insert into orders (location_id, number, payment_method_id, total)
   select $1, 1000 + n, (select id from payment_methods where location_id = $1 limit 1), 2 ${numbered}`,
  `insert into order_items (location_id, order_id, product_id, position, name, quantity, unit_price, total)
   select o.location_id, o.id, (select id from products where location_id = $1 limit 1), 1, 'Line', 1, 2, 2 from orders o where o.location_id = $1`,
  `insert into payments (location_id, order_id, payment_method_id, amount)
   select location_id, id, payment_method_id, total from orders where location_id = $1`,
  `insert into webhook_endpoints (location_id, url, events)
   select $1, 'https://example.com/' || n, '{order.created}' ${numbered}`,
];
