import { statement } from '@comanda/db';

// Not Prisma: lists are a hot path.

const listText = (filter: string) => `with matching as not materialized (
     select s.product_id, s.updated_at from product_stock s where s.location_id = $1::uuid${filter}
   ), page as materialized (
     select product_id, updated_at from matching order by updated_at, product_id limit $2 offset $3
   )
   select coalesce(json_agg(j.doc order by page.updated_at, page.product_id), '[]')::text as data,
     (select count(*) from matching)::int as total
   from page cross join lateral stock_json($1::uuid, array[page.product_id]) j`;

/** A page of entries as the text of a JSON array, and the exact total. */
export interface StockPageText {
  data: string;
  total: number;
}

/** $1 location, $2 limit, $3 offset. */
export const listStock = statement<StockPageText>('list_stock', listText(''));

/** $1 location, $2 limit, $3 offset, $4 moment. */
export const listStockSince = statement<StockPageText>(
  'list_stock_since',
  listText(' and s.updated_at >= $4::timestamptz'),
);
