import { statement } from '@comanda/db';
import { allEntries, type PageText } from '../../request/page-text.ts';
import { afterPosition, type Changes, changesStatements } from '../changes/statements.ts';

// Not Prisma: lists are a hot path.

/** $1 location, $2 limit, $3 offset. */
export const listStock = statement<PageText>(
  'list_stock',
  `with page as materialized (
     select s.product_id, s.updated_at from product_stock s where s.location_id = $1::uuid
     order by s.updated_at, s.product_id limit $2 offset $3
   )
   select coalesce('[' || string_agg(j.doc, ',' order by page.updated_at, page.product_id) || ']', '[]') as data,
     (select count(*) from product_stock s where s.location_id = $1::uuid)::int as total
   from page cross join lateral stock_json($1::uuid, array[page.product_id]) j`,
);

/** Records that have changed, as lists show them. */
export const stockChanges: Changes = {
  ...changesStatements({
    name: 'stock_changes',
    filters: 0,
    rows: () => `select s.product_id as id, s.updated_at as moment from product_stock s
      where s.location_id = $1::uuid and ${afterPosition('s.updated_at', 's.product_id')}`,
    entries:
      allEntries(`(select coalesce('[' || string_agg(j.doc, ',' order by page.moment, page.id) || ']', '[]')
      from page cross join lateral stock_json($1::uuid, array[page.id]) j)`),
  }),
  filters: [],
};
