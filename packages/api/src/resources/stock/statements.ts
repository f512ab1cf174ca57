import { statement } from '@comanda/db';
import { afterPlace, type Changes, changesStatements } from '../../changes/statements.ts';
import type { CurrentStock } from './rules.ts';

// Not Prisma: lists are a hot path, and a batch is written by one statement over the whole set.

/** A page of entries as the text of a JSON array, and the exact total. */
export interface StockPageText {
  data: string;
  total: number;
}

/** $1 location, $2 limit, $3 offset. */
export const listStock = statement<StockPageText>(
  'list_stock',
  `with page as materialized (
     select s.product_id, s.updated_at from product_stock s where s.location_id = $1::uuid
     order by s.updated_at, s.product_id limit $2 offset $3
   )
   select coalesce(json_agg(j.doc order by page.updated_at, page.product_id), '[]')::text as data,
     (select count(*) from product_stock s where s.location_id = $1::uuid)::int as total
   from page cross join lateral stock_json($1::uuid, array[page.product_id]) j`,
);

/** Records that have changed, as lists show them. */
export const stockChanges: Changes = {
  ...changesStatements({
    name: 'stock_changes',
    filters: 0,
    rows: () => `select s.product_id as id, s.updated_at as moment from product_stock s
      where s.location_id = $1::uuid and ${afterPlace('s.updated_at', 's.product_id')}`,
    entries: `coalesce(json_agg(j.doc order by page.moment, page.id), '[]')::text
      from page cross join lateral stock_json($1::uuid, array[page.id]) j`,
  }),
  filters: [],
};

// Rows that are named are looked up one by one: `limit 1` and locks keep a look-up from becoming a join, which could read
// all of the location (docs/decisions/0020).
const named = (column: string, name: string) => `select w.index, p.id from wanted w cross join lateral (
       select id from products where location_id = $1::uuid and ${column} = w.${name} limit 1) p`;

/** $1 location, $2 rows of index, product_id, external_id, sku. One snapshot, no locks. */
export const readNamedStock = statement<CurrentStock>(
  'read_named_stock',
  `with wanted as materialized (
     select * from json_to_recordset($2::json) as v (index int, product_id uuid, external_id text, sku text)
   ), named as (
     ${named('id', 'product_id')} union all ${named('external_id', 'external_id')} union all ${named('sku', 'sku')}
   )
   select n.index, n.id as product_id, s.product_id is not null as record, coalesce(s.enabled, true) as enabled,
     coalesce(s.quantity, 0)::float8 as quantity, coalesce(s.min_stock_alarm, 0)::float8 as min_stock_alarm
   from named n left join lateral (
     select * from product_stock where location_id = $1::uuid and product_id = n.id limit 1) s on true
   order by n.index`,
);

/** $1 location, $2 ids. Held against deletion and another name, in the order of ids as everybody locks. */
export const holdProducts = statement(
  'hold_products_for_stock',
  `select from (select * from unnest($2::uuid[]) as n (id) order by 1) v cross join lateral (
     select from products where location_id = $1::uuid and id = v.id for key share) p`,
);

/** $1 location, $2 ids. In the order in which orders lock stock. */
export const lockStock = statement(
  'lock_stock',
  `select from (select * from unnest($2::uuid[]) as n (id) order by 1) v cross join lateral (
     select from product_stock where location_id = $1::uuid and product_id = v.id for update) s`,
);

/** $1 location, $2 rows of product_id, enabled, quantity, min_stock_alarm. Writes only what differs. */
export const writeStock = statement(
  'write_stock',
  `insert into product_stock as s (location_id, product_id, enabled, quantity, min_stock_alarm)
   select $1::uuid, v.product_id, v.enabled, v.quantity, v.min_stock_alarm
   from json_to_recordset($2::json) as v (product_id uuid, enabled boolean, quantity numeric, min_stock_alarm numeric)
   order by v.product_id
   on conflict (location_id, product_id) do update
   set enabled = excluded.enabled, quantity = excluded.quantity, min_stock_alarm = excluded.min_stock_alarm
   where (s.enabled, s.quantity, s.min_stock_alarm) is distinct from
     (excluded.enabled, excluded.quantity, excluded.min_stock_alarm)`,
);
