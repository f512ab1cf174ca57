import { identified, type Statement, statement } from '@comanda/db';
import type { Revised } from '../../call/tags.ts';
import type { JoinedRow } from '../../capacity/joined-reads.ts';
import { keptByName } from '../../kept.ts';
import type { PaymentStatus } from '../payments/schema.ts';
import type { OrderStatus } from './schema.ts';

// Not Prisma: orders are the hot path. Each of these is one prepared statement and one round trip, and lets
// Postgres build the JSON text that goes out as it is; through Prisma they cost three to ten times as much.

/** An order as JSON text. */
export interface OrderText extends Revised {
  id: string;
  doc: string;
}

const shownParts = ['customer', 'details', 'tax', 'snapshot'] as const;

/** The SQL of what `include` adds to an order `o` in full. */
const additions: Readonly<Record<string, string>> = {
  books: 'order_books(o.location_id, o.id)',
  payments: 'order_payments(o.location_id, o.id)',
};

/** What of `include` decides the statement, as `customer_and_books`; empty for the documented fields. */
export const shownOf = (include: readonly string[]): string =>
  [...shownParts, ...Object.keys(additions)].filter((part) => include.includes(part)).join('_and_');

/** SQL: orders of a location by ids with what `include` names, as a table of `id` and `doc`. */
export function ordersShowing(include: readonly string[], location: string, ids: string): string {
  const parts = shownParts.filter((part) => include.includes(part));
  return parts.length === 0
    ? `orders_json(${location}, ${ids})`
    : `orders_showing(${location}, ${ids}, '{${parts.join()}}')`;
}

/** One statement for each of what may be shown. */
function forEachShown<Row>(
  name: string,
  text: (doc: string, from: string) => string,
): (shown: string) => Statement<Row> {
  const kept = keptByName<Statement<Row>>();
  return (shown) =>
    kept(shown, () => {
      const parts = shown.split('_and_');
      const added = parts.flatMap((part) => additions[part] ?? []);
      const doc = added.length === 0 ? 'j.doc' : `left(j.doc, -1) || ${added.join(' || ')} || '}'`;
      const from = ordersShowing(parts, 'o.location_id', 'array[o.id]');
      return statement<Row>(shown === '' ? name : `${name}_with_${shown}`, text(doc, from));
    });
}

/** $1 locations, $2 ids, as many of each: what is asked for at once is read at once. */
export const readOrders = forEachShown<OrderText & JoinedRow>(
  'read_orders',
  (doc, from) =>
    `select o.location_id, o.id, ${doc} as doc, o.revision
     from unnest($1::uuid[], $2::uuid[]) as k (location_id, id)
     cross join lateral (select * from orders where location_id = k.location_id and id = k.id limit 1) o
     cross join lateral ${from} j`,
);

/** $1 location, $2 external_id. */
export const readOrderByExternalId = forEachShown<OrderText>(
  'read_order_by_external_id',
  (doc, from) =>
    `select o.id, ${doc} as doc, o.revision from orders o, lateral ${from} j
     where o.location_id = $1::uuid and o.id = ${identified('orders', 'external_id', '$1::uuid', '$2::text')}`,
);

/**
 * The outcome of the move at an index of the batch. `previous` is null when there is no such order, `response` when
 * it may not move so.
 */
export interface MovedRow extends Revised {
  place: number;
  previous: OrderStatus | null;
  response: string | null;
}

/** $1 location, $2 whether alone, $3 the moves; prisma/sql/orders.sql has their fields. */
export const moveOrderBatch = statement<MovedRow>(
  'move_order_batch',
  'select place, previous, response, revision from move_order_batch($1::uuid, $2::boolean, $3::jsonb)',
);

/**
 * The data that orders are decided from (prisma/sql/orders.sql), as JSON, of several locations. Decimals and versions
 * are text.
 */
export interface OrderFactsRow {
  products: {
    location_id: string;
    id: string;
    external_id: string | null;
    name: string;
    price: string;
    left: string | null;
    subselections: { id: string; name: string; min: number; max: number; single: boolean }[] | null;
    version: string;
  }[];
  choices: {
    location_id: string;
    id: string;
    product_id: string;
    subselection_id: string;
    name: string;
    price: string;
    min: number;
    max: number;
    left: string | null;
    version: string;
  }[];
  payment_methods: { location_id: string; id: string; enabled: boolean }[];
}

/** Locations and ids, as many of each: $1, $2 products; $3, $4 chosen items; $5, $6 payment methods. */
export const readOrderFacts = statement<OrderFactsRow>(
  'read_order_facts',
  `select
     (select coalesce(json_agg(json_build_object('location_id', k.location_id, 'id', k.id, 'external_id', o.external_id,
         'name', o.name, 'price', o.price::text, 'left', o.stock::text, 'subselections', o.subselections,
         'version', o.version::text)), '[]')
       from unnest($1::uuid[], $2::uuid[]) as k (location_id, id)
       cross join lateral product_for_sale(k.location_id, k.id) o
     ) as products,
     (select coalesce(json_agg(json_build_object('location_id', k.location_id, 'id', k.id, 'product_id', o.product_id,
         'subselection_id', o.subselection_id, 'name', o.name, 'price', o.price::text, 'min', o.min, 'max', o.max,
         'left', o.stock::text, 'version', o.version::text)), '[]')
       from unnest($3::uuid[], $4::uuid[]) as k (location_id, id)
       cross join lateral offered_item(k.location_id, k.id) o
     ) as choices,
     (select coalesce(json_agg(json_build_object('location_id', m.location_id, 'id', m.id, 'enabled', m.enabled)), '[]')
       from unnest($5::uuid[], $6::uuid[]) as k (location_id, id)
       cross join lateral (select * from payment_methods m where m.location_id = k.location_id and m.id = k.id limit 1) m
     ) as payment_methods`,
);

/** The outcome of the order at an index of the batch. */
export interface PlacedRow {
  place: number;
  outcome: 'created' | 'replayed' | 'reused' | 'stale' | 'busy' | 'taken' | 'short' | 'paused';
  response: string | null;
}

/** $1 location, $2 whether alone, $3 the batch; prisma/sql/orders.sql has its fields. */
export const placeOrderBatch = statement<PlacedRow>(
  'place_order_batch',
  'select place, outcome, response from place_order_batch($1::uuid, $2::boolean, $3::jsonb)',
);

/** What stands against an order, whatever it asks for. */
export interface ObstaclesRow {
  /** The order that has its external_id. */
  other: string | null;
  paused: boolean;
  /** When the pause ends, in the zone of the location, and in how many seconds: from 1 on. Null where it has no end. */
  until: string | null;
  seconds: number | null;
}

/** $1 location, $2 external_id. */
export const readOrderObstacles = statement<ObstaclesRow>(
  'read_order_obstacles',
  `select ${identified('orders', 'external_id', '$1::uuid', '$2::text')} as other, pause_holds(l) as paused,
     wire_time(l.paused_until, l.timezone) as until,
     case when l.paused_until is not null
       then least(greatest(ceil(extract(epoch from l.paused_until - now())), 1), 2147483647)::int end as seconds
   from locations l where l.id = $1::uuid`,
);

/** $1 location. Orders written by hand may be ahead of the counter, or come before there is one. */
export const catchUpOrderNumber = statement(
  'catch_up_order_number',
  `insert into internal.location_counters as c (location_id, name, value)
   select $1::uuid, 'order', max(o.number) from orders o where o.location_id = $1::uuid having count(*) > 0
   on conflict (location_id, name) do update set value = greatest(c.value, excluded.value)`,
);

/**
 * What an order is when a payment is added to it: `order_status` is null when there is no such order, `previous` is the status of its
 * payment, `enabled` is null when there is no such method. `response` is the payment, when these allow it.
 */
export interface AddedPayment {
  order_status: OrderStatus | null;
  previous: PaymentStatus | null;
  enabled: boolean | null;
  response: string | null;
}

/** $1 location, $2 order, $3 payment method, $4 operation, $5 request, $6 API key, $7 client address; prisma/sql/money.sql. */
export const addPayment = statement<AddedPayment>(
  'add_payment',
  'select order_status, previous, enabled, response from add_payment($1::uuid, $2::uuid, $3::uuid, $4, $5, $6::uuid, $7)',
);
