import type { Service } from './service.ts';

/**
 * Makes so many locations with one of everything, by SQL: no table is left that holds some dozen rows and no more, in
 * which every index is as good as any other.
 */
export async function fillStreet({ sql }: Pick<Service, 'sql'>, count: number): Promise<void> {
  await sql('begin');
  await sql(`insert into locations (name) select 'Street ' || n from generate_series(1, $1::int) n`, [count]);
  for (const text of ofEach) await sql(text);
  await sql('delete from internal.captured_changes where seed = transaction_seed()');
  await sql('commit');
}

/** Locations of the street, as l. */
const street = `(select id from locations where name like 'Street %') l`;

const ofEach = [
  `insert into payment_methods (location_id, name, type) select l.id, 'Cash', 'cash' from ${street}`,
  `insert into api_keys (location_id, name, prefix, key_hash, permissions)
   select l.id, 'Till', 'cmd_live_', sha256(uuid_send(uuid_v7())), '{*}' from ${street}`,
  `insert into categories (location_id, external_id, name) select l.id, 'one', 'One' from ${street}`,
  `insert into products (location_id, external_id, sku, name, price) select l.id, 'one', 'one', 'One', 1 from ${street}`,
  `insert into product_categories (location_id, product_id, category_id)
   select l.id, p.id, c.id from ${street} join products p on p.location_id = l.id join categories c on c.location_id = l.id`,
  `insert into product_stock (location_id, product_id, quantity)
   select l.id, p.id, 5 from ${street} join products p on p.location_id = l.id`,
  `insert into subselections (location_id, product_id, name)
   select l.id, p.id, 'Size' from ${street} join products p on p.location_id = l.id`,
  `insert into subselection_items (location_id, subselection_id, name)
   select l.id, s.id, 'Large' from ${street} join subselections s on s.location_id = l.id`,
  `insert into menus (location_id, name) select l.id, 'Menu' from ${street}`,
  `insert into menu_categories (location_id, menu_id, category_id)
   select l.id, m.id, c.id from ${street} join menus m on m.location_id = l.id join categories c on c.location_id = l.id`,
  `insert into turns (location_id, batch_number) select l.id, 1 from ${street}`,
  `insert into orders (location_id, number, total, payment_method_id, turn_id)
   select l.id, 1, 1, m.id, t.id from ${street}
   join payment_methods m on m.location_id = l.id join turns t on t.location_id = l.id`,
  `insert into order_items (location_id, order_id, position, product_id, name, unit_price, quantity, total)
   select l.id, o.id, 1, p.id, 'One', 1, 1, 1 from ${street}
   join orders o on o.location_id = l.id join products p on p.location_id = l.id`,
  `update orders set status = 'ready' where location_id in (select l.id from ${street})`,
  `update turns set status = 'closed' where location_id in (select l.id from ${street})`,
  `insert into webhook_endpoints (location_id, url, events)
   select l.id, 'http://127.0.0.1:9/hook', '{order.created}' from ${street}`,
  `insert into internal.webhook_secrets (location_id, endpoint_id, encryption_key_id, sealed)
   select l.id, w.id, 'none', '' from ${street} join webhook_endpoints w on w.location_id = l.id`,
  `insert into internal.endpoint_health (location_id, endpoint_id, last_delivered_at)
   select l.id, w.id, now() from ${street} join webhook_endpoints w on w.location_id = l.id`,
  `insert into internal.location_counters (location_id, name, value)
   select l.id, n, 1 from ${street}, unnest(array['order', 'event', 'batch', 'catalog']) n
   on conflict do nothing`,
];
