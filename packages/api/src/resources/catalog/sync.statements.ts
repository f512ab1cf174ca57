import { type Statement, statement } from '@comanda/db';
import type {
  CategoryRow,
  CurrentCatalog,
  ItemRow,
  LinkRow,
  ProductRow,
  StockRow,
  SubselectionRow,
} from './sync.rows.ts';

// Not Prisma: a catalog is read and written by a few statements over whole sets, each with its rows as one JSON
// array. Locks are taken in this order: categories, products, stock, options, each by id.

/** $1 location. One sync of the catalog of a location at a time. Products sync jobs do not take this lock. */
export const lockCatalog = statement(
  'lock_catalog_sync',
  `select pg_advisory_xact_lock(hashtextextended('sync-products:' || $1::text, 0))`,
);

/** First in a transaction: all that it reads is of one moment. */
export const beginSnapshot = statement(
  'begin_catalog_snapshot',
  'set transaction isolation level repeatable read, read only',
);

/** The statements that read what a sync decides from, with or without locks. */
export interface CatalogReads {
  /** $1 location, $2 external ids, $3 whether all that have one. */
  categories: Statement<CategoryRow>;
  products: Statement<ProductRow>;
  /** $1 location, $2 product ids. */
  stock: Statement<StockRow>;
  links: Statement<LinkRow>;
  subselections: Statement<SubselectionRow>;
  items: Statement<ItemRow>;
  /** $1 location, $2 skus. */
  skuOwners: Statement<CurrentCatalog['skuOwners'][number]>;
}

export const reading = reads('read', '');
export const locking = reads('lock', ' for update');

// Rows that are named are looked up one by one: `limit 1`, `offset 0` and locks keep a look-up from becoming a join, which
// could read all of the location (docs/decisions/0020). They are locked by id, and only while they bear their name.
function reads(verb: string, lock: string): CatalogReads {
  const fence = lock === '' ? ' limit 1' : lock;
  const named = (table: string, columns: string) => `with named as materialized (
       select n.id, n.external_id from unnest($2::text[]) as v (external_id) cross join lateral (
         select id, external_id from ${table} where location_id = $1::uuid and external_id = v.external_id limit 1) n
       where not $3::boolean
       union all
       select id, external_id from ${table} where $3::boolean and location_id = $1::uuid and external_id is not null
     )
     select t.* from (select * from named order by id) n cross join lateral (
       select ${columns} from ${table}
       where location_id = $1::uuid and id = n.id and external_id = n.external_id${fence}) t`;
  const ofProducts = (table: string, columns: string, found = 'id') => `with found as materialized (
       select t.${found} from unnest($2::uuid[]) as v (product_id) cross join lateral (
         select ${found} from ${table} where location_id = $1::uuid and product_id = v.product_id offset 0) t
     )
     select t.* from (select * from found order by 1) f cross join lateral (
       select ${columns} from ${table} where location_id = $1::uuid and ${found} = f.${found}${fence}) t`;
  return {
    categories: statement(
      `${verb}_synced_categories`,
      named('categories', 'id, external_id, name, priority, visible, image_url'),
    ),
    products: statement(
      `${verb}_catalog_products`,
      named('products', 'id, external_id, sku, name, description, price::float8, visible, image_url'),
    ),
    stock: statement(
      `${verb}_catalog_stock`,
      ofProducts(
        'product_stock',
        'product_id, enabled, quantity::float8, min_stock_alarm::float8',
        'product_id',
      ),
    ),
    links: statement(
      `${verb}_catalog_links`,
      `select l.product_id, l.category_id, coalesce(c.external_id, c.id::text) as category
       from (select * from unnest($2::uuid[]) as n (product_id) order by 1) v cross join lateral (
         select product_id, category_id from product_categories
         where location_id = $1::uuid and product_id = v.product_id
         order by category_id${lock === '' ? ' offset 0' : lock}) l
       cross join lateral (select id, external_id from categories where location_id = $1::uuid and id = l.category_id limit 1) c`,
    ),
    subselections: statement(
      `${verb}_catalog_subselections`,
      ofProducts(
        'subselections',
        'id, product_id, external_id, name, min_selection, max_selection, single, position',
      ),
    ),
    items: statement(
      `${verb}_catalog_items`,
      `with found as materialized (
         select i.id from unnest($2::uuid[]) as v (product_id)
         cross join lateral (
           select id from subselections where location_id = $1::uuid and product_id = v.product_id offset 0) s
         cross join lateral (
           select id from subselection_items where location_id = $1::uuid and subselection_id = s.id offset 0) i
       )
       select i.* from (select id from found order by id) f cross join lateral (
         select id, subselection_id, external_id, name, price::float8, min, max, visible, image_url, position,
           stock_enabled, stock_quantity::float8
         from subselection_items where location_id = $1::uuid and id = f.id${fence}) i`,
    ),
    skuOwners: statement(
      `${verb}_catalog_sku_owners`,
      `select p.* from unnest($2::text[]) as v (sku) cross join lateral (
         select id, sku from products where location_id = $1::uuid and sku = v.sku limit 1) p`,
    ),
  };
}

/** Where the rows of $1 location and $2 keys stand, which this transaction has locked or now locks. */
function placesOf(table: string, key: string): string {
  return `array(select t.place from unnest($2::uuid[]) as v (key) cross join lateral (
     select ctid as place from ${table} where location_id = $1::uuid and ${key} = v.key for update) t)`;
}

/** $1 location, $2 product ids. Skus that nobody else can have, until the new ones are written. */
export const releaseSkus = statement(
  'release_catalog_skus',
  `update products set sku = 'released ' || id where ctid = any (${placesOf('products', 'id')})`,
);

/** A table that a sync writes: statements over whole rows. */
export interface TableWrites {
  /** $1 location, $2 rows, which are new or changed as a whole. */
  put: Statement<unknown>;
  /** $1 location, $2 ids. */
  remove: Statement<unknown>;
}

const common = 'id uuid, external_id text, name text';

export const categories = writes('categories', `${common}, priority int, visible boolean, image_url text`);
export const products = writes(
  'products',
  `${common}, sku text, description text, price numeric, visible boolean, image_url text`,
);
export const stock = writes(
  'product_stock',
  'product_id uuid, enabled boolean, quantity numeric, min_stock_alarm numeric',
);
export const subselections = writes(
  'subselections',
  `${common}, product_id uuid, min_selection int, max_selection int, single boolean, position int`,
);
export const items = writes(
  'subselection_items',
  `${common}, subselection_id uuid, price numeric, min int, max int, visible boolean, image_url text, position int,
   stock_enabled boolean, stock_quantity numeric`,
);

/** $1 location, $2 rows of product_id, category_id. */
export const addLinks = statement(
  'add_catalog_links',
  `insert into product_categories (location_id, product_id, category_id)
   select $1::uuid, v.product_id, v.category_id
   from json_to_recordset($2::json) as v (product_id uuid, category_id uuid)
   on conflict do nothing`,
);

/** $1 location, $2 rows of product_id, category_id. */
export const removeLinks = statement(
  'remove_catalog_links',
  `delete from product_categories l using json_to_recordset($2::json) as v (product_id uuid, category_id uuid)
   where l.location_id = $1::uuid and l.product_id = v.product_id and l.category_id = v.category_id`,
);

function writes(table: string, columns: string): TableWrites {
  const names = columns.split(',').map((column) => column.trim().split(' ')[0] ?? '');
  const [key] = names;
  const set = names.slice(1).map((name) => `${name} = excluded.${name}`);
  return {
    // By the key, whatever the planner takes the location for: an update could be joined.
    put: statement(
      `put_catalog_${table}`,
      `insert into ${table} (location_id, ${names.join(', ')})
       select $1::uuid, ${names.map((name) => `v.${name}`).join(', ')} from json_to_recordset($2::json) as v (${columns})
       order by v.${key}
       on conflict (location_id, ${key}) do update set ${set.join(', ')}`,
    ),
    remove: statement(
      `remove_catalog_${table}`,
      `delete from ${table} where ctid = any (${placesOf(table, key ?? 'id')})`,
    ),
  };
}
