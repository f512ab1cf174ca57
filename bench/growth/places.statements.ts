import { ranks } from './sizes.ts';

const [narrowest, widest] = [20 ** 0.3, (ranks + 20) ** 0.3];

// Locations and what they have before the first order. $1 locations, $2 days.

/** A UUIDv7 of a moment; `uuid_v7()` is one of now. */
export const idAt = `create function pg_temp.id_at(moment timestamptz) returns uuid language sql volatile as $$
  select encode(set_bit(set_bit(overlay(uuid_send(gen_random_uuid())
    placing substring(int8send((extract(epoch from moment) * 1000)::bigint) from 3) from 1 for 6), 52, 1), 53, 1), 'hex')::uuid $$`;

/** Every 50th has ten times the products of the others. */
export const draftPlaces = `create unlogged table bench_places as
  select place, pg_temp.id_at(began) as id, pg_temp.id_at(began) as method, pg_temp.id_at(began) as key,
    pg_temp.id_at(began) as endpoint, began, case when place % 50 = 1 then 300 else 30 end as products, null::uuid[] as menu
  from (select place, now() - make_interval(days => $2::int + 1) + place * interval '1 second' as began
    from generate_series(1, $1::int) place) p`;

export const places: readonly string[] = [
  `insert into locations (id, name, timezone, currency, created_at, updated_at)
   select id, 'Location ' || place, 'America/Montevideo', 'UYU', began, began from bench_places`,
  `insert into payment_methods (location_id, id, name, type, created_at, updated_at)
   select id, method, 'Cash', 'cash', began, began from bench_places`,
  `insert into categories (location_id, external_id, name, priority)
   select id, 'c' || n, 'Category ' || n, n from bench_places, generate_series(0, 4) n`,
  `insert into products (location_id, external_id, sku, name, description, price)
   select id, 'p' || n, 'SKU-' || n, 'Product ' || n, 'Made to order', 5 + n % 90
   from bench_places, generate_series(0, products - 1) n`,
  `insert into product_stock (location_id, product_id, enabled, quantity)
   select location_id, id, true, 900000000 from products`,
  `insert into product_categories (location_id, product_id, category_id)
   select p.location_id, p.id, c.id from products p
   join categories c on c.location_id = p.location_id and c.priority = substr(p.external_id, 2)::int % 5`,
  `update bench_places b set menu = m.ids
   from (select location_id, array_agg(id order by substr(external_id, 2)::int) as ids from products group by 1) m
   where m.location_id = b.id`,
  'create unique index on bench_places (place)',
  'analyze bench_places',
];

/** $1 ids of locations, $2 of keys, $3 prefixes, $4 hashes. */
export const keys = `insert into api_keys (location_id, id, name, prefix, key_hash, permissions)
  select location_id, id, 'Integration', prefix, hash, '{*}' from unnest($1::uuid[], $2::uuid[], $3::text[], $4::bytea[])
    as k (location_id, id, prefix, hash)`;

export const endpoints = `insert into webhook_endpoints (location_id, id, url, events)
  select id, endpoint, 'http://127.0.0.1:9/hook', '{order.created,order.updated,stock.updated}' from bench_places`;

/** $1 ids of locations, $2 of endpoints, $3 of encryption keys, $4 sealed secrets. */
export const secrets = `insert into internal.webhook_secrets (location_id, endpoint_id, encryption_key_id, sealed)
  select * from unnest($1::uuid[], $2::uuid[], $3::text[], $4::bytea[])`;

/**
 * Which location each order is of, when, and the numbers of its events. Sizes fall off as ranks of a Zipf-Mandelbrot law,
 * (rank + 20)^-0.7, drawn by its inverse. $1 orders, $2 days, $3 ranks a location.
 */
export const draftOrders = `create unlogged table bench_orders as
  select n, place, moment, pg_temp.id_at(moment) as id, pg_temp.id_at(moment) as payment,
    (row_number() over w)::int as number, sum(7 + n % 5) over w as last_event
  from (
    select n, date_trunc('milliseconds', now() - make_interval(days => $2::int) + n * (make_interval(days => $2::int) / ($1::int + 1))) as moment,
      ceil(least(${ranks}, greatest(0.5, power(random() * ${widest - narrowest} + ${narrowest}, 1 / 0.3) - 20)) / $3::int)::int as place
    from generate_series(1, $1::int) n offset 0) drawn
  window w as (partition by place order by n)`;
