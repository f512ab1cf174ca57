// The orders of a chunk and what came of them. $1 and $2: the first and the last of the draft.

/** One to five lines an order; of the newest orders one in fifty is open still, of all one in 25 canceled. */
const drafted = `chunk as materialized (
    select o.*, b.id as location, b.method, b.key, b.endpoint, b.menu, b.products, (case
      when o.moment > now() - interval '1 day' and o.n % 50 = 0 then 'pending' when o.n % 25 = 1 then 'canceled' else 'closed'
      end)::order_status as status
    from bench_orders o join bench_places b on b.place = o.place where o.n between $1::int and $2::int
  ), lines as materialized (
    select c.n, c.location, c.id, j as position, c.menu[1 + k] as product, k, 1 + (c.n + j) % 2 as quantity, 5 + k % 90 as price
    from chunk c, lateral generate_series(1, 1 + c.n % 5) j, lateral (select (c.n * 7::bigint + j * 13) % c.products as k) k
  )`;

export const orders = `with ${drafted}, totals as materialized (
    select n, sum(quantity * price) as total from lines group by n
  ), made as (
    insert into orders (location_id, id, number, external_id, status, total, channel, identifier, payment_method_id,
      created_at, updated_at, created_by, request_id)
    select location, id, number, 'order-' || c.n, status, t.total, 'till', '', method, moment,
      case status when 'pending' then moment else moment + interval '20 minutes' end, key, pg_temp.id_at(moment)
    from chunk c join totals t using (n) order by c.n
  ), bought as (
    insert into order_items (location_id, order_id, position, product_id, name, external_id, sku, unit_price, quantity, total, stock_taken)
    select location, id, position, product, 'Product ' || k, 'p' || k, 'SKU-' || k, price, quantity, price * quantity, true
    from lines order by n, position
  ), paid as (
    insert into payments (location_id, id, order_id, payment_method_id, amount, status, created_at, updated_at)
    select location, payment, id, method, t.total,
      (case status when 'closed' then 'completed' when 'canceled' then 'rejected' else 'pending' end)::payment_status,
      moment, case status when 'pending' then moment else moment + interval '20 minutes' end
    from chunk c join totals t using (n) order by c.n
  )
  insert into internal.order_moves (location_id, order_id, from_status, to_status, moved_by, request_id, moved_at)
  select location, id, m.old, m.new, key, null, moment + m.after from chunk c join (values
    ('closed'::order_status, 'pending'::order_status, 'ready'::order_status, interval '10 minutes'),
    ('closed', 'ready', 'closed', interval '20 minutes'), ('canceled', 'pending', 'canceled', interval '20 minutes')
  ) m (status, old, new, after) on m.status = c.status order by c.n, m.after`;

/** The events of orders that were closed, in their order; stock has one a line. An endpoint hears of six in ten. */
export const events = `with ${drafted}, shown as materialized (
    select c.n, wire_time(c.moment, 'America/Montevideo') as at, format(
      '"number":%s,"status":"@","total":%s,"created_at":"%s","payment":{"id":"%s","status":"pending"},"external_id":"order-%s","channel":"till","is_take_away":false,"identifier":"","payment_method_id":"%s","items":[%s]}',
      c.number, l.total, wire_time(c.moment, 'America/Montevideo'), c.payment, c.n, c.method, l.items) as body
    from chunk c join (select n, sum(quantity * price) as total, string_agg(format(
        '{"product_id":"%s","name":"Product %s","quantity":%s,"unit_price":%s,"total":%s}', product, k, quantity, price, quantity * price), ',') as items
      from lines group by n) l using (n)
  ), happened as materialized (
    select c.location, c.endpoint, pg_temp.id_at(c.moment + e.after) as event, c.moment + e.after as moment, e.type, e.heard,
      c.last_event - 7 - c.n % 5 + row_number() over (partition by c.n order by e.place, l.position) as number,
      coalesce(l.product, case e.type when 'payment.created' then c.payment else c.id end) as resource, case e.type
        when 'stock.updated' then format('{"product_id":"%s","external_id":"p%s","sku":"SKU-%s","name":"Product %s","stock":{"enabled":true,"quantity":899999000,"min_stock_alarm":0},"updated_at":"%s"}', l.product, l.k, l.k, l.k, s.at)
        when 'payment.created' then format('{"id":"%s","order_id":"%s","payment_method_id":"%s","method":"cash","amount":1,"status":"pending","created_at":"%s","updated_at":"%s"}', c.payment, c.id, c.method, s.at, s.at)
        when 'order.status_changed' then format('{"id":"%s","previous_status":"%s","status":"%s","external_id":"order-%s"}', c.id, e.old, e.new, c.n)
        else format('{"id":"%s",%s', c.id, replace(s.body, '@', e.new)) end as data, s.at
    from chunk c join shown s using (n) cross join (values
      (1, 'stock.updated', interval '0', true, '', ''), (2, 'order.created', '0', true, '', 'pending'), (3, 'payment.created', '0', false, '', ''),
      (4, 'order.status_changed', '10 minutes', false, 'pending', 'ready'), (5, 'order.updated', '10 minutes', true, '', 'ready'),
      (6, 'order.status_changed', '20 minutes', false, 'ready', 'closed'), (7, 'order.updated', '20 minutes', true, '', 'closed')
    ) e (place, type, after, heard, old, new)
    left join lines l on l.n = c.n and e.type = 'stock.updated'
  ), told as (
    insert into events (location_id, id, number, type, resource_id, body, request_id, created_at, published_at)
    select location, event, number, type, resource, format('{"id":"%s","type":"%s","api_version":"v2","created_at":"%s","location_id":"%s","data":%s}',
      event, type, at, location, data), event, moment, moment + interval '50 milliseconds'
    from happened order by moment
  ), sent as materialized (
    select pg_temp.id_at(moment + interval '60 milliseconds') as id, * from happened where heard
  ), delivered as (
    insert into webhook_deliveries (location_id, id, endpoint_id, event_id, status, attempts, created_at)
    select location, id, endpoint, event, 'delivered', 1, moment + interval '60 milliseconds' from sent order by moment
  )
  insert into webhook_attempts (location_id, delivery_id, endpoint_id, event_id, event_type, attempt, status, response_code, response_body,
    duration_ms, attempted_at)
  select location, id, endpoint, event, type, 1, 'delivered', 200, 'ok', 20, moment + interval '80 milliseconds' from sent order by moment`;

/** The answers that a repeated request gets again: of the orders that $1 and $2 name. */
export const answers = `with ${drafted}
  insert into internal.idempotency_keys (location_id, api_key_id, operation, key, request_hash, response, created_at)
  select location, key, 'orders.create', 'order-' || n, sha256(n::text::bytea), repeat('x', 900), moment from chunk`;
