import { type Statement, statement } from '@comanda/db';
import type { ProductList } from './schema.ts';

// Not Prisma: reads are the hot path. One prepared statement finds the page first and lets Postgres build the
// JSON text, which goes out as it is; through Prisma a list of fifty costs several times as much.

/** A product as JSON text. */
export interface ProductText {
  doc: string;
}

/** $1 location, $2 id. */
export const readProduct = statement<ProductText>(
  'read_product',
  'select doc::text as doc from products_json($1::uuid, array[$2::uuid])',
);

/** $1 location, $2 external_id. */
export const readProductByExternalId = statement<ProductText>(
  'read_product_by_external_id',
  `select j.doc::text as doc from products p, lateral products_json(p.location_id, array[p.id]) j
   where p.location_id = $1::uuid and p.external_id = $2`,
);

/** A page of products as the text of a JSON array, and the exact total. */
export interface ProductPageText {
  data: string;
  total: number;
}

/** What narrows the list. */
export type ProductFilters = Omit<ProductList, 'limit' | 'offset'>;

/** The statement and values that list what passes the filters; only the filters that are given are in the SQL. */
export function listProducts(
  locationId: string,
  { limit, offset }: { limit: number; offset: number },
  filters: ProductFilters,
): { statement: Statement<ProductPageText>; values: unknown[] } {
  const given = filterNames.filter((name) => filters[name] !== undefined);
  return {
    statement: listStatement(given),
    values: [locationId, limit, offset, ...given.map((name) => filters[name])],
  };
}

// The columns sort and compare by code point; upper and lower case are Unicode's, whatever the database's locale.
const contains = (column: string, value: string) =>
  `strpos(lower(p.${column} collate "und-x-icu"), lower(${value} collate "und-x-icu")) > 0`;

const filterSql = {
  visible: (value) => `p.visible = ${value}::boolean`,
  category_id: (value) =>
    `exists (select from product_categories c
       where c.location_id = p.location_id and c.product_id = p.id and c.category_id = ${value}::uuid)`,
  search: (value) =>
    `(${['name', 'sku', 'external_id'].map((column) => contains(column, `${value}::text`)).join(' or ')})`,
  sku: (value) => `p.sku = ${value}`,
  external_id: (value) => `p.external_id = ${value}`,
} as const satisfies Record<keyof ProductFilters, (value: string) => string>;

const filterNames = Object.keys(filterSql) as (keyof ProductFilters)[];
const listStatements = new Map<string, Statement<ProductPageText>>();

function listStatement(given: readonly (keyof ProductFilters)[]): Statement<ProductPageText> {
  const name = ['list_products', ...given].join('_');
  const known = listStatements.get(name);
  if (known !== undefined) return known;
  const where = given.map((filter, index) => ` and ${filterSql[filter](`$${index + 4}`)}`).join('');
  const made = statement<ProductPageText>(
    name,
    `with matching as not materialized (
       select p.id, p.name from products p where p.location_id = $1::uuid${where}
     ), page as materialized (
       select id, name from matching order by name, id limit $2 offset $3
     )
     select coalesce(json_agg(j.doc order by page.name, page.id), '[]')::text as data,
       (select count(*) from matching)::int as total
     from (select array_agg(id) as ids from page) found, lateral products_json($1::uuid, found.ids) j
     join page on page.id = j.id`,
  );
  listStatements.set(name, made);
  return made;
}
