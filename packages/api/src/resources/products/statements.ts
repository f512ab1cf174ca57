import { identified, pageBytes, type Statement, statement } from '@comanda/db';
import { type FilterSql, foldedSearch, type Given, givenFilters } from '../../call/filters.ts';
import { cutOf, type Entries, entriesUntilFull, type PageText } from '../../call/page-text.ts';
import type { Revised } from '../../call/tags.ts';
import type { JoinedRow } from '../../capacity/joined-reads.ts';
import { keptByName } from '../../kept.ts';
import { afterPosition, type Changes, changesStatements, firstFilter } from '../changes/statements.ts';
import type { Stock } from '../stock/schema.ts';
import { referenceColumns } from './fields.schema.ts';
import type { ProductList } from './schema.ts';

// Not Prisma: reads are the hot path, and Postgres builds the text that goes out as it is; through Prisma a list of fifty
// costs several times as much (docs/design/database.md, "JSON is made by the database"). tests/api/product-text.test.ts
// holds these equal to plain Prisma.

/** A product as JSON text. */
export interface ProductText extends Revised {
  id: string;
  doc: string;
}

/** The fields of a product: the documented fields, or its tax rate as well. */
export type Shown = 'plain' | 'tax';

/** SQL: the document of a product with its tax rate. */
const taxed = (doc: string, rate: string): string =>
  `left(${doc}, -1) || coalesce(',"tax_rate":' || trim_scale(${rate}), '') || '}'`;

/** `j.doc` of `products_json` with what is asked for, of the product `j.id` of this location. */
const documentOf: Readonly<Record<Shown, (location: string) => string>> = {
  plain: () => 'j.doc',
  tax: (location) => `(select ${taxed('j.doc', 'r.tax_rate')}
     from products r where r.location_id = ${location} and r.id = j.id)`,
};

function forEachShown<Row>(name: string, text: (doc: (location: string) => string) => string) {
  const reading = (shown: Shown) =>
    statement<Row>(shown === 'plain' ? name : `${name}_with_${shown}`, text(documentOf[shown]));
  return { plain: reading('plain'), tax: reading('tax') } as const satisfies Record<Shown, unknown>;
}

/** $1 locations, $2 ids, as many of each: what is asked for at once is read at once. */
export const readProducts = forEachShown<ProductText & JoinedRow>(
  'read_products',
  (doc) => `select k.location_id, j.id, ${doc('k.location_id')} as doc,
     (select r.revision from products r where r.location_id = k.location_id and r.id = j.id) as revision
   from unnest($1::uuid[], $2::uuid[]) as k (location_id, id), lateral products_json(k.location_id, array[k.id]) j`,
);

/** $1 location, $2 external_id. */
export const readProductByExternalId = forEachShown<ProductText>(
  'read_product_by_external_id',
  (doc) => `select p.id, ${doc('p.location_id')} as doc, p.revision
   from products p, lateral products_json(p.location_id, array[p.id]) j
   where p.location_id = $1::uuid and p.id = ${identified('products', 'external_id', '$1::uuid', '$2::text')}`,
);

/** $1 location, $2 id. */
export const readStock = statement<Stock>(
  'read_product_stock',
  `select enabled, quantity::float8, min_stock_alarm::float8 from product_stock
   where location_id = $1::uuid and product_id = $2::uuid`,
);

/** $1 location, $2 id, $3 external_id, $4 sku: another product that has one of them. */
export const findTaken = statement<{ id: string; field: 'external_id' | 'sku' }>(
  'find_taken_product',
  `select t.id, t.field from (values
     (1, 'external_id', ${identified('products', 'external_id', '$1::uuid', '$3::text')}),
     (2, 'sku', ${identified('products', 'sku', '$1::uuid', '$4::text')})) t (place, field, id)
   where t.id <> $2::uuid order by t.place limit 1`,
);

// The functions return the product or the quantity that is there in one column.
const docOrThere = `case when starts_with(doc, '{') then doc end as doc, case when not starts_with(doc, '{') then doc end as there`;

/**
 * $1 location, $2 id, $3 whether it is made, $4 its fields that are given as JSON, $5 its categories, $6 its stock, $7
 * request id; null: stays as it is. `doc` is the product after the change; null when a category does not exist, `known`
 * are those that do, and when another quantity than expected is `there`. No row: no such product.
 */
export const writeProduct = statement<
  Revised & { doc: string | null; known: string[] | null; there: string | null }
>(
  'write_product',
  `select ${docOrThere}, known, products_revision($1::uuid, $2::uuid) as revision
   from write_product($1::uuid, $2::uuid, $3, $4::jsonb, $5::uuid[], $6::jsonb, $7)`,
);

/** The outcome of the change at an index of the batch; `doc` is null when there is no such product, or when another quantity is `there`. */
export interface UpdatedRow extends Revised {
  place: number;
  doc: string | null;
  there: string | null;
}

/** $1 location, $2 whether alone; of each change $3 id, $4 fields as JSON or null, $5 stock or null, $6 request id, $7 seed (prisma/sql/products.sql). */
export const updateProducts = statement<UpdatedRow>(
  'update_products',
  `select place, ${docOrThere}, revision
   from update_products($1::uuid, $2::boolean, $3::uuid[], $4::jsonb[], $5::jsonb[], $6::text[], $7::uuid[])`,
);

/** $1 location, $2 ids. Held as `write_product` holds them, before the product. */
export const holdCategoriesOf = statement<never>(
  'hold_categories_of_product',
  `select from (select distinct v.id from unnest($2::uuid[]) as v (id) order by v.id) v cross join lateral (
     select c.id from categories c where c.location_id = $1::uuid and c.id = v.id for key share) c`,
);

/** The filters of the list. */
export type ProductFilters = Omit<ProductList, 'limit' | 'offset' | 'updated_since' | 'cursor' | 'include'>;

/** A page whose documents were made at once; `data` is null when they hold more than `pageBytes`. */
export type PageAtOnce = Omit<PageText, 'data'> & { data: string | null };

/**
 * The statements and values that list what passes the filters; only the filters that are given are in the SQL. `byOne` makes the documents
 * one by one until the page is full; `atOnce` costs two thirds of that, is for pages near the beginning, and may find them too large.
 */
export function listProducts(
  locationId: string,
  { limit, offset }: { limit: number; offset: number },
  filters: ProductFilters,
  shown: Shown,
): { atOnce?: Statement<PageAtOnce>; byOne(): Statement<PageText>; values: unknown[] } {
  const given = givenFilters(filterSql, filters);
  const tally = tallied(given.names);
  return {
    byOne: () => listStatement(given, shown),
    values: [locationId, limit, offset, ...given.values],
    ...(tally !== undefined && offset <= farthestAtOnce && { atOnce: listAtOnce(given, tally, shown) }),
  };
}

/** Of the product `p`. */
const filterSql: FilterSql<ProductFilters> = {
  visible: (value) => `p.visible = ${value}::boolean`,
  category_id: (value) =>
    `exists (select from product_categories c
       where c.location_id = p.location_id and c.product_id = p.id and c.category_id = ${value}::uuid)`,
  search: (value) => `strpos(p.search_text, ${foldedSearch(value)}) > 0`,
  sku: (value) => `p.id = ${identified('products', 'sku', '$1::uuid', `${value}::text`)}`,
  external_id: (value) => `p.id = ${identified('products', 'external_id', '$1::uuid', `${value}::text`)}`,
  ...(Object.fromEntries(
    referenceColumns.map((name) => [name, (value: string) => `p.${name} = ${value}::uuid`]),
  ) as Record<(typeof referenceColumns)[number], (value: string) => string>),
};

/** The products of a `page`, in this order. */
const productEntries = (order: string, shown: Shown): Entries =>
  entriesUntilFull({
    order,
    entry: `select ${documentOf[shown]('$1::uuid')} from products_json($1::uuid, array[k.id]) j`,
  });

const kept = keptByName<Statement<PageText>>();
const keptAtOnce = keptByName<Statement<PageAtOnce>>();

// By nothing or by visibility, the total is a count that is kept; otherwise what passes is looked for once, for page and total.
function tallied(given: readonly (keyof ProductFilters)[]): string | undefined {
  const all = "select coalesce(sum(t.n), 0) from tally($1::uuid, '{product visible,product hidden}') t";
  if (given.length === 0) return all;
  if (given.length === 1 && given[0] === 'visible')
    return `${all} where t.name = case when $4::boolean then 'product visible' else 'product hidden' end`;
  return undefined;
}

// Rows that the offset skips are read whole here, and only their index entries where the page is found first. Each level says the order
// that it has, or the planner sorts the documents.
const farthestAtOnce = 1_000;

function listAtOnce(given: Given<keyof ProductFilters>, tally: string, shown: Shown): Statement<PageAtOnce> {
  const name = ['list_products_at_once', ...given.names, ...(shown === 'plain' ? [] : ['with', shown])].join(
    '_',
  );
  return keptAtOnce(name, () => {
    const doc = 'product_text(p, s, c.list)';
    return statement<PageAtOnce>(
      name,
      `select (${tally})::int as total, case when coalesce(sum(octet_length(d.doc)), 0) <= ${pageBytes} then
         coalesce('[' || string_agg(d.doc, ',' order by d.name, d.id) || ']', '[]') end as data
       from (
         select p.name, p.id, ${shown === 'plain' ? doc : taxed(doc, 'p.tax_rate')} as doc from (
           select * from (
             select p.* from products p where p.location_id = $1::uuid${given.where(4)}
             order by p.name, p.id limit 200 offset $3::bigint) found order by name, id limit $2) p
         left join product_stock s on s.location_id = p.location_id and s.product_id = p.id
         cross join lateral product_shelves(p.location_id, p.id) c order by p.name, p.id offset 0) d`,
    );
  });
}

// The page is found first, on the index of names; the constant limit, because the planner takes an unknown one for a tenth
// of the table.
function listStatement(given: Given<keyof ProductFilters>, shown: Shown): Statement<PageText> {
  const name = ['list_products', ...given.names, ...(shown === 'plain' ? [] : ['with', shown])].join('_');
  return kept(name, () => {
    const entries = productEntries('page.name, page.id', shown);
    const tally = tallied(given.names);
    const passing = `select p.location_id, p.id, p.name from products p where p.location_id = $1::uuid${given.where(4)}`;
    const [found, total] = tally
      ? [`${passing} order by p.name, p.id limit 200 offset $3::bigint`, tally]
      : [
          'select * from passing order by name, id limit 200 offset $3::bigint',
          'select count(*) from passing',
        ];
    return statement<PageText>(
      name,
      `with recursive ${tally ? '' : `passing as materialized (${passing}), `}page as materialized (
         select * from (${found}) found limit $2
       )${entries.tables}
       select (${total})::int as total, ${entries.data} as data, ${cutOf(entries)} as cut`,
    );
  });
}

const keptChanges = keptByName<Omit<Changes, 'filters'>>();

/** Products that have changed, or whose stock has, by the later moment of the two; and, if asked for, those that were deleted. */
export function productChanges(filters: ProductFilters, listsDeleted: boolean, shown: Shown): Changes {
  const { names, values, where } = givenFilters(filterSql, filters);
  const name = ['products_changes', ...names, ...(shown === 'plain' ? [] : ['with', shown])].join('_');
  const rows = (most: string) => changedRows(where(firstFilter), most);
  const deleted = listsDeleted ? ({ table: 'products', resource: 'product' } as const) : undefined;
  const statements = keptChanges(`${name}${listsDeleted ? ' deleted' : ''}`, () => {
    const entries = productEntries('page.moment, page.id', shown);
    return changesStatements({ name, filters: values.length, rows, entries, ...(deleted && { deleted }) });
  });
  return { ...statements, filters: values };
}

// Each product once, where it changed last: found along the one index or the other, and skipped along the other one.
const changedRows = (narrowed: string, most: string) => `
  (select p.id, p.updated_at as moment from products p
   left join lateral (
     select updated_at from product_stock where location_id = $1::uuid and product_id = p.id limit 1) s on true
   where p.location_id = $1::uuid and ${afterPosition('p.updated_at', 'p.id')}${narrowed}
     and (s.updated_at is null or s.updated_at <= p.updated_at) ${most})
  union all
  (select s.product_id as id, s.updated_at as moment from product_stock s
   cross join lateral (select * from products where location_id = $1::uuid and id = s.product_id limit 1) p
   where s.location_id = $1::uuid and ${afterPosition('s.updated_at', 's.product_id')}
     and p.updated_at < s.updated_at${narrowed} ${most})`;
