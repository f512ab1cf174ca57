import { statement } from '@comanda/db';
import { allEntries, pageStatement } from '../../call/page-text.ts';
import { afterPosition, type Changes, changesStatements } from '../changes/statements.ts';

// Not Prisma: lists are a hot path.

/** $1 location, $2 limit, $3 offset. */
export const listStock = pageStatement({
  name: 'list_stock',
  table: 'product_stock',
  order: 'r.updated_at, r.product_id',
  entry: 'j.doc',
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

/** The outcome of the adjustment at an index of the batch, and what it says. */
export interface AdjustedRow {
  place: number;
  outcome: 'adjusted' | 'replayed' | 'reused' | 'busy' | 'refused' | 'unknown' | 'nothing';
  response: string | null;
}

/** $1 location, $2 whether alone, $3 the calls; prisma/sql/products.sql has their fields. */
export const adjustStockBatch = statement<AdjustedRow>(
  'adjust_stock_batch',
  'select place, outcome, response from adjust_stock_batch($1::uuid, $2::boolean, $3::jsonb)',
);
