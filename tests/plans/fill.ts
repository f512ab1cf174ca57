import type { Service } from './service.ts';

/** How much a location is given. */
export interface Amount {
  products: number;
  orders: number;
}

/**
 * Fills a location as years of business would, by SQL. Derived values (counts, tallies, versions) are derived by
 * triggers; changes captured for the relay are removed in the same transaction. Nothing is analysed. The location needs
 * a payment method, a key and an endpoint.
 */
export async function fill({ sql }: Pick<Service, 'sql'>, locationId: string, amount: Amount): Promise<void> {
  const atOnce = async (texts: readonly string[], ...values: unknown[]) => {
    // Plans of triggers, from when this session filled something small.
    await sql('discard plans');
    await sql('begin');
    for (const text of texts) await sql(text, [locationId, ...values]);
    await sql('delete from internal.captured_changes where seed = transaction_seed()');
    await sql('commit');
  };
  await atOnce([categories]);
  for (const [from, to] of chunksOf(amount.products)) await atOnce(products, from, to);
  for (const [from, to] of chunksOf(amount.orders)) {
    await atOnce([orders, orderCounter], from, to);
    await sql('begin');
    // Rows that no trigger counts or captures: without the foreign keys, which would take most of the time.
    await sql('set local session_replication_role = replica');
    for (const text of [moves, events, deliveries, attempts, answers, eventCounter])
      await sql(text, [locationId, from, to]);
    await sql('commit');
  }
  await sql('begin');
  await sql('set local session_replication_role = replica');
  for (const text of others) await sql(text, [locationId, Math.ceil(amount.orders / 100)]);
  await sql('commit');
}

function chunksOf(count: number): [from: number, to: number][] {
  const size = 5_000;
  return Array.from({ length: Math.ceil(count / size) }, (_, n) => [
    n * size + 1,
    Math.min(count, (n + 1) * size),
  ]);
}

const categories = `
  insert into categories (location_id, external_id, name, priority)
  select $1, 'filled-' || n, 'Filled ' || n, n from generate_series(1, 40) n`;

// $1 location, $2 the first, $3 the last.
const products = [
  `insert into products (location_id, external_id, sku, name, description, price, visible)
   select $1, 'filled-' || n, 'filled-' || n, 'Filled ' || n, 'One of many.', n % 90, n % 10 > 0
   from generate_series($2::int, $3::int) n`,
  `insert into product_stock (location_id, product_id, quantity)
   select p.location_id, p.id, 1000 from products p, generate_series($2::int, $3::int) n
   where p.location_id = $1 and p.external_id = 'filled-' || n`,
  `insert into product_categories (location_id, product_id, category_id)
   select p.location_id, p.id, c.id from generate_series($2::int, $3::int) n
   join products p on p.location_id = $1 and p.external_id = 'filled-' || n
   join categories c on c.location_id = $1 and c.external_id = 'filled-' || (n % 40 + 1)`,
  `insert into subselections (location_id, product_id, external_id, name)
   select p.location_id, p.id, 'size', 'Size' from generate_series($2::int, $3::int) n
   join products p on p.location_id = $1 and p.external_id = 'filled-' || n
   where n % 2 = 0`,
  `insert into subselection_items (location_id, subselection_id, external_id, name, price)
   select s.location_id, s.id, 'option-' || o, 'Option ' || o, o from generate_series(1, 2) o,
     generate_series($2::int, $3::int) n
   join products p on p.location_id = $1 and p.external_id = 'filled-' || n
   join subselections s on s.location_id = $1 and s.product_id = p.id`,
];

// Over the last 20 days, so that the feed and the replays have them, and none is old.
const moment = `now() - interval '20 days' + n * interval '20 days' / ($3::int + 1)`;

const orders = `
  with counted as (
    select coalesce(max(value), 0) as value from internal.location_counters where location_id = $1 and name = 'order'
  ), made as (
    insert into orders (location_id, number, external_id, total, channel, payment_method_id, status, created_at)
    select $1, counted.value + n - $2::int + 1, 'filled-' || n, 25, case when n % 5 = 0 then 'kiosk' end,
      (select m.id from payment_methods m where m.location_id = $1 order by m.id limit 1),
      (case n % 20 when 0 then 'pending' when 1 then 'ready' when 2 then 'canceled' else 'closed' end)::order_status, ${moment}
    from generate_series($2::int, $3::int) n, counted
    returning location_id, id, total, payment_method_id, status, created_at
  ), bought as (
    insert into order_items (location_id, order_id, position, product_id, name, unit_price, quantity, total)
    select m.location_id, m.id, p, (select id from products where location_id = $1 order by id limit 1), 'Filled', 12.5, 1, 12.5
    from made m, generate_series(1, 2) p
  )
  insert into payments (location_id, order_id, payment_method_id, amount, status, created_at)
  select location_id, id, payment_method_id, total,
    (case status when 'closed' then 'completed' when 'canceled' then 'rejected' else 'pending' end)::payment_status, created_at
  from made`;

const counter = (name: string) => `
  insert into internal.location_counters as c (location_id, name, value) values ($1, '${name}', $3::int - $2::int + 1)
  on conflict (location_id, name) do update set value = c.value + excluded.value`;
const orderCounter = counter('order');
const eventCounter = counter('event');

const made = `generate_series($2::int, $3::int) n join orders o on o.location_id = $1 and o.external_id = 'filled-' || n`;

const moves = `
  insert into internal.order_moves (location_id, order_id, from_status, to_status, moved_at)
  select $1, o.id, 'pending', 'ready', o.created_at from ${made}`;

// The feed shows bodies as they are: these have that of an order of the service.
const events = `
  insert into events (location_id, id, number, type, resource_id, body, request_id, created_at)
  select $1, uuid_v7(), c.value + n - $2::int + 1, sample.type, o.id, sample.body, 'filled-' || n, o.created_at
  from ${made} cross join (select type, body from events where type = 'order.created' limit 1) sample cross join (
    select coalesce(max(value), 0) as value from internal.location_counters where location_id = $1 and name = 'event') c`;

const deliveries = `
  insert into webhook_deliveries (location_id, endpoint_id, event_id, status, attempts, created_at)
  select $1, (select id from webhook_endpoints where location_id = $1 order by id limit 1), e.id,
    (case when n % 50 = 0 then 'dead' else 'delivered' end)::delivery_status, 1, e.created_at
  from ${made} join events e on e.location_id = $1 and e.resource_id = o.id and e.request_id = 'filled-' || n`;

const attempts = `
  insert into webhook_attempts (location_id, delivery_id, endpoint_id, event_id, event_type, attempt, status,
    response_code, duration_ms, attempted_at)
  select $1, d.id, d.endpoint_id, e.id, e.type, 1, d.status, 200, 20, e.created_at
  from ${made} join events e on e.location_id = $1 and e.resource_id = o.id and e.request_id = 'filled-' || n
  join webhook_deliveries d on d.location_id = $1 and d.event_id = e.id`;

const answers = `
  insert into internal.idempotency_keys (location_id, api_key_id, operation, key, request_hash, response)
  select $1, (select id from api_keys where location_id = $1 order by id limit 1), 'orders.create', 'filled-' || n,
    sha256(n::text::bytea), '{}'
  from generate_series($2::int, $3::int) n`;

// $1 location, $2 how many of each.
const others = [
  `insert into turns (location_id, batch_number, status, started_at, ended_at)
   select $1, 1000000 + n, 'closed', now() - interval '20 days', now() from generate_series(1, $2::int) n`,
  `insert into settlements (location_id, turn_id, batch_number, started_at, ended_at, total_orders, total_collected,
     average_ticket, payments, orders)
   select t.location_id, t.id, t.batch_number, t.started_at, t.ended_at, 1, 25, 25, '[]', '{}'
   from turns t where t.location_id = $1 and t.batch_number between 1000001 and 1000000 + $2::int`,
  `insert into sync_jobs (location_id, status, total_items, processed_items, success_items, created_at, completed_at)
   select $1, 'completed', 1, 1, 1, now() - n * interval '1 minute', now() from generate_series(1, $2::int) n`,
  `insert into price_changes (location_id, effective_at, status, prices, total_prices, created_at, ended_at)
   select $1, now() + interval '1 year', case when n % 10 = 0 then 'planned' else 'applied' end, '[]', 0, now() - n * interval '1 minute', now()
   from generate_series(1, $2::int * 10) n`,
  `insert into audit_entries (location_id, actor_kind, operation, created_at)
   select $1, 'database', 'products.update', now() - n * interval '1 second' from generate_series(1, $2::int * 10) n`,
  `insert into api_keys (location_id, name, prefix, key_hash, permissions)
   select $1, 'Filled ' || n, 'cmd_live_', sha256(uuid_send(uuid_v7())), '{*}' from generate_series(1, $2::int) n`,
  `insert into payment_methods (location_id, name, type) select $1, 'Filled ' || n, 'card' from generate_series(1, least(5, $2::int)) n`,
  `insert into menus (location_id, name) select $1, 'Filled ' || n from generate_series(1, least(5, $2::int)) n`,
  `insert into internal.limit_counters (api_key_id, "window", window_start, used)
   select k.id, 'minute', date_trunc('minute', now()) - interval '1 day' - n * interval '1 minute', 1
   from api_keys k, generate_series(1, least(10, $2::int)) n where k.location_id = $1`,
  `insert into locations (name) select 'Other ' || $1::text || n from generate_series(1, $2::int) n`,
];
