import { allEntries, pageStatement } from '../../request/page-text.ts';
import { afterPosition, type Changes, changesStatements } from '../changes/statements.ts';

// Not Prisma: lists are a hot path.

/** $1 location, $2 limit, $3 offset. */
export const listStock = pageStatement({
  ...{ name: 'list_stock', table: 'product_stock', order: 'r.updated_at, r.product_id', entry: 'j.doc' },
  joins: 'cross join lateral stock_json($1::uuid, array[r.product_id]) j',
});

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
