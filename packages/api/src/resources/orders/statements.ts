import { statement } from '@comanda/db';
import type { JoinedRow } from '../../joined-reads.ts';
import type { OrderStatus } from './schema.ts';

// Not Prisma: orders are the hot path. Each of these is one prepared statement and one round trip, and lets
// Postgres build the JSON text that goes out as it is; through Prisma they cost three to ten times as much.

/** An order as JSON text. */
export interface OrderText {
  doc: string;
}

/** $1 locations, $2 ids, as many of each: what is asked for at once is read at once. */
export const readOrders = statement<OrderText & JoinedRow>(
  'read_orders',
  `select k.location_id, j.id, j.doc::text as doc
   from unnest($1::uuid[], $2::uuid[]) as k (location_id, id), lateral orders_json(k.location_id, array[k.id]) j`,
);

/** $1 location, $2 external_id. */
export const readOrderByExternalId = statement<OrderText>(
  'read_order_by_external_id',
  `select j.doc::text as doc from orders o, lateral orders_json(o.location_id, array[o.id]) j
   where o.location_id = $1::uuid and o.external_id = $2`,
);

/** $1 location, $2 id, $3 target, $4 reason or null, $5 request id, $6 API key. `previous` is null when there is no such order. */
export const moveOrder = statement<{ previous: OrderStatus | null; response: string | null }>(
  'move_order',
  'select previous, response from move_order($1::uuid, $2::uuid, $3::order_status, $4, $5, $6::uuid)',
);

/** What an order is decided from, as JSON. Decimals are text. */
export interface OrderFactsRow {
  products: { id: string; external_id: string | null; name: string; price: string; left: string | null }[];
  subselections: {
    id: string;
    product_id: string;
    name: string;
    min: number;
    max: number;
    single: boolean;
  }[];
  choices: {
    id: string;
    product_id: string;
    subselection_id: string;
    name: string;
    price: string;
    min: number;
    max: number;
    left: string | null;
  }[];
  payment_method_enabled: boolean | null;
}

/** $1 location, $2 product ids, $3 ids of chosen items, $4 payment method or null. */
export const readOrderFacts = statement<OrderFactsRow>(
  'read_order_facts',
  `select
     (select coalesce(json_agg(json_build_object('id', p.id, 'external_id', p.external_id, 'name', p.name,
         'price', p.price::text, 'left', case when s.enabled then s.quantity::text end)), '[]')
       from products p left join product_stock s on s.location_id = p.location_id and s.product_id = p.id
       where p.location_id = $1::uuid and p.id = any ($2::uuid[])) as products,
     (select coalesce(json_agg(json_build_object('id', s.id, 'product_id', s.product_id, 'name', s.name,
         'min', s.min_selection, 'max', s.max_selection, 'single', s.single) order by s.position, s.id), '[]')
       from subselections s
       where s.location_id = $1::uuid and s.product_id = any ($2::uuid[])) as subselections,
     (select coalesce(json_agg(json_build_object('id', i.id, 'product_id', s.product_id, 'subselection_id', s.id,
         'name', i.name, 'price', i.price::text, 'min', i.min, 'max', i.max,
         'left', case when i.stock_enabled then i.stock_quantity::text end)), '[]')
       from subselection_items i
       join subselections s on s.location_id = i.location_id and s.id = i.subselection_id
       where i.location_id = $1::uuid and i.id = any ($3::uuid[])) as choices,
     (select m.enabled from payment_methods m
       where m.location_id = $1::uuid and m.id = $4::uuid) as payment_method_enabled`,
);

/** The outcome of creation; prisma/sql/orders.sql defines place_order and what its values are. */
export const placeOrder = statement<{
  outcome: 'created' | 'replayed' | 'reused' | 'stale';
  response: string | null;
}>(
  'place_order',
  `select outcome, response from place_order($1::uuid, $2::uuid, $3, $4, $5::bytea, $6::int, $7,
     $8::uuid, $9, $10, $11::boolean, $12, $13::uuid, $14::numeric,
     $15::uuid[], $16::numeric[], $17::numeric[], $18::uuid[], $19::numeric[], $20::numeric[],
     $21::uuid[], $22::text[], $23::numeric[], $24::numeric[], $25::numeric[], $26::text[], $27::jsonb[])`,
);

/** $1 location, $2 external_id. */
export const findOrderId = statement<{ id: string }>(
  'find_order_id',
  'select id from orders where location_id = $1::uuid and external_id = $2',
);

/** $1 location. Orders written by hand may be ahead of the counter, or come before there is one. */
export const catchUpOrderNumber = statement(
  'catch_up_order_number',
  `insert into location_counters as c (location_id, name, value)
   select $1::uuid, 'order', max(o.number) from orders o where o.location_id = $1::uuid having count(*) > 0
   on conflict (location_id, name) do update set value = greatest(c.value, excluded.value)`,
);
