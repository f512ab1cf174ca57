import {
  type IdentifiedTable,
  identified,
  isId,
  type Queryable,
  type Statement,
  statement,
} from '@comanda/db';
import type { Reference } from '../../references.ts';
import { unknownReferences } from '../../unknown-references.ts';
import { columnTypes, productColumns } from '../products/fields.schema.ts';
import type { NamedProduct } from './named-products.schema.ts';
import type {
  CategoryRow,
  Current,
  ItemRow,
  LinkRow,
  ProductRow,
  StockRow,
  SubselectionRow,
} from './rows.rules.ts';

const productColumnsSql = productColumns
  .map((name) => (columnTypes[name] === 'numeric' ? `${name}::float8` : name))
  .join(', ');

/** The rows that a batch names and decides from. */
export interface Asked {
  /** The rows that its fields refer to; existing ones are locked first. */
  references?: readonly Reference[];
  categories?: { ids?: readonly string[]; externalIds?: readonly string[] };
  products?: { ids?: readonly string[]; externalIds?: readonly string[]; skus?: readonly string[] };
  /** Also every category and product that has an external_id. */
  all?: boolean;
  /** Of the categories, by id, those whose products change with them: they get another name, or go. */
  changing?(categories: readonly CategoryRow[]): string[];
  /**
   * The rows that it locks in addition to the products that it names. Those under a changing category are only held.
   */
  stock?: boolean;
  links?: boolean;
  options?: boolean;
}

/** The products that items name. An id of another form names nothing. */
export const productsNamed = (items: readonly NamedProduct[]) => ({
  ids: items.flatMap(({ product_id: id }) => (id !== undefined && isId(id) ? id : [])),
  externalIds: items.flatMap(({ external_id }) => external_id ?? []),
  skus: items.flatMap(({ sku }) => sku ?? []),
});

/** Reads what is asked for, in the order of locks. */
export async function readCurrent(
  on: Queryable,
  locationId: string,
  reads: Reads,
  asked: Asked,
): Promise<Current> {
  const { references = [], all = false, stock = false, links = false, options = false } = asked;
  const unknown = await unknownReferences(on, locationId, references, reads === locking);
  const { ids = [], externalIds = [], skus = [] } = asked.products ?? {};
  const shelves = [asked.categories?.ids ?? [], asked.categories?.externalIds ?? []];
  const named = (lists: readonly (readonly string[])[]) => all || lists.some((list) => list.length > 0);
  const categories = named(shelves) ? await on.run(reads.categories, [locationId, all, ...shelves]) : [];
  const changing = asked.changing?.(categories) ?? [];
  const products = named([ids, externalIds, skus, changing])
    ? await on.run(reads.products, [locationId, all, ids, externalIds, skus, changing, stock])
    : [];
  const whole = products.flatMap((product) => (product.named ? product.id : []));
  const of = <Row>(asked: boolean, statement: Statement<Row>) =>
    asked && whole.length > 0 ? on.run(statement, [locationId, whole]) : [];
  return {
    unknown,
    categories,
    products,
    stock: products.flatMap(({ id, enabled, quantity, min_stock_alarm }) =>
      enabled === null ? [] : { product_id: id, enabled, quantity, min_stock_alarm },
    ),
    subselections: await of(options, reads.subselections),
    items: await of(options, reads.items),
    links: await of(links, readLinks),
  };
}

/** The statements that read what a batch decides from, with or without locks. */
export interface Reads {
  /** $1 location, $2 whether all that have an external id, $3 ids, $4 external ids. */
  categories: Statement<CategoryRow>;
  /** The same, $5 skus, $6 categories whose products are meant, $7 whether with stock. */
  products: Statement<
    ProductRow & { named: boolean } & (Omit<StockRow, 'product_id'> | { [Name in keyof StockRow]: null })
  >;
  /** $1 location, $2 product ids. */
  subselections: Statement<SubselectionRow>;
  items: Statement<ItemRow>;
}

export const reading = reads('read', '');
export const locking = reads('lock', ' for update');

// Rows that are named are looked up one by one: `limit 1`, `offset 0` and locks keep a look-up from becoming a join,
// which could read all of the location (docs/design/database.md, "Plans"). Rows that have another name once they are locked are
// skipped by their reader.
function reads(verb: string, lock: string): Reads {
  const fence = lock === '' ? ' limit 1' : lock;
  const named = (table: IdentifiedTable, name: 'external_id' | 'sku', values: string) =>
    `select n.id from unnest(${values}::text[]) as v (name) cross join lateral (
         select ${identified(table, name, '$1::uuid', 'v.name')} as id offset 0) n where n.id is not null`;
  const wanted = (table: IdentifiedTable) =>
    `select id from unnest($3::uuid[]) as v (id)
       union ${named(table, 'external_id', '$4')} and not $2::boolean
       union select id from ${table} where $2::boolean and location_id = $1::uuid and external_id is not null`;
  const inOrder = (table: string, columns: string, found: string) =>
    `select t.* from (select * from ${found} order by id) f cross join lateral (
       select ${columns} from ${table} where location_id = $1::uuid and id = f.id${fence}) t`;
  return {
    categories: statement(
      `${verb}_bulk_categories`,
      `with named as materialized (${wanted('categories')})
       ${inOrder('categories', 'id, external_id, name, priority, visible, image_url', 'named')}`,
    ),
    // The count comes first, and with it every product, before the first stock record is locked.
    products: statement(
      `${verb}_bulk_products`,
      `with held as materialized (
         select w.id, bool_or(w.named) as named from (
           select id, true as named from (${wanted('products')} union ${named('products', 'sku', '$5')}) n
           union all select l.product_id, false from unnest($6::uuid[]) as v (id) cross join lateral (
             select product_id from product_categories where location_id = $1::uuid and category_id = v.id offset 0) l
         ) w group by 1
       ), found as materialized (
         ${inOrder('products', `id, external_id, ${productColumnsSql}, f.named`, 'held')}
       )
       select p.*, s.* from (select * from found where (select count(*) from found) > 0 order by id) p left join lateral (
         select enabled, quantity::float8, min_stock_alarm::float8 from product_stock
         where $7::boolean and p.named and location_id = $1::uuid and product_id = p.id${fence}) s on true`,
    ),
    subselections: statement(
      `${verb}_bulk_subselections`,
      `with found as materialized (
         select s.id from unnest($2::uuid[]) as v (product_id) cross join lateral (
           select id from subselections where location_id = $1::uuid and product_id = v.product_id offset 0) s
       ) ${inOrder('subselections', 'id, product_id, external_id, name, min_selection, max_selection, single, position', 'found')}`,
    ),
    items: statement(
      `${verb}_bulk_items`,
      `with found as materialized (
         select i.id from unnest($2::uuid[]) as v (product_id) cross join lateral (
           select id from subselections where location_id = $1::uuid and product_id = v.product_id offset 0) s
         cross join lateral (
           select id from subselection_items where location_id = $1::uuid and subselection_id = s.id offset 0) i
       ) ${inOrder(
         'subselection_items',
         `id, subselection_id, external_id, name, price::float8, min, max, visible, image_url, position,
           stock_enabled, stock_quantity::float8`,
         'found',
       )}`,
    ),
  };
}

/** $1 location, $2 product ids. A change of links locks their product; only a deleted category takes them along. */
const readLinks = statement<LinkRow>(
  'read_bulk_links',
  `select l.product_id, l.category_id, coalesce(c.external_id, c.id::text) as category
   from unnest($2::uuid[]) as v (product_id) cross join lateral (
     select product_id, category_id from product_categories
     where location_id = $1::uuid and product_id = v.product_id offset 0) l
   cross join lateral (select id, external_id from categories where location_id = $1::uuid and id = l.category_id limit 1) c`,
);
