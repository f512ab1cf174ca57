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
// array. Locks are taken in the order in which everybody takes them: categories, products, stock, options, each by id.

/** $1 location. One sync of a location at a time, products sync jobs included: they take the same lock. */
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

function reads(verb: string, lock: string): CatalogReads {
  const named = 'external_id is not null and ($3::boolean or external_id = any ($2::text[]))';
  return {
    categories: statement(
      `${verb}_synced_categories`,
      `select id, external_id, name, priority, visible, image_url from categories
       where location_id = $1::uuid and ${named} order by id${lock}`,
    ),
    products: statement(
      `${verb}_catalog_products`,
      `select id, external_id, sku, name, description, price::float8, visible, image_url from products
       where location_id = $1::uuid and ${named} order by id${lock}`,
    ),
    stock: statement(
      `${verb}_catalog_stock`,
      `select product_id, enabled, quantity::float8, min_stock_alarm::float8 from product_stock
       where location_id = $1::uuid and product_id = any ($2::uuid[]) order by product_id${lock}`,
    ),
    links: statement(
      `${verb}_catalog_links`,
      `select l.product_id, l.category_id, coalesce(c.external_id, c.id::text) as category
       from product_categories l join categories c on c.location_id = l.location_id and c.id = l.category_id
       where l.location_id = $1::uuid and l.product_id = any ($2::uuid[])
       order by l.product_id, l.category_id${lock === '' ? '' : `${lock} of l`}`,
    ),
    subselections: statement(
      `${verb}_catalog_subselections`,
      `select id, product_id, external_id, name, min_selection, max_selection, single, position from subselections
       where location_id = $1::uuid and product_id = any ($2::uuid[]) order by id${lock}`,
    ),
    items: statement(
      `${verb}_catalog_items`,
      `select i.id, i.subselection_id, i.external_id, i.name, i.price::float8, i.min, i.max, i.visible, i.image_url,
         i.position, i.stock_enabled, i.stock_quantity::float8
       from subselection_items i
       where i.location_id = $1::uuid and i.subselection_id in (
         select s.id from subselections s where s.location_id = $1::uuid and s.product_id = any ($2::uuid[]))
       order by i.id${lock}`,
    ),
    skuOwners: statement(
      `${verb}_catalog_sku_owners`,
      'select id, sku from products where location_id = $1::uuid and sku = any ($2::text[])',
    ),
  };
}

/** $1 location, $2 product ids. Skus that nobody else can have, until the new ones are written. */
export const releaseSkus = statement(
  'release_catalog_skus',
  `update products set sku = 'released ' || id where location_id = $1::uuid and id = any ($2::uuid[])`,
);

/** A table that a sync writes: statements over whole rows. */
export interface TableWrites {
  /** $1 location, $2 rows. */
  insert: Statement<unknown>;
  update: Statement<unknown>;
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
  const set = names.slice(1).map((name) => `${name} = v.${name}`);
  const from = `from json_to_recordset($2::json) as v (${columns})`;
  return {
    insert: statement(
      `insert_catalog_${table}`,
      `insert into ${table} (location_id, ${names.join(', ')})
       select $1::uuid, ${names.map((name) => `v.${name}`).join(', ')} ${from} order by v.${key}`,
    ),
    update: statement(
      `update_catalog_${table}`,
      `update ${table} t set ${set.join(', ')} ${from} where t.location_id = $1::uuid and t.${key} = v.${key}`,
    ),
    remove: statement(
      `remove_catalog_${table}`,
      `delete from ${table} where location_id = $1::uuid and ${key} = any ($2::uuid[])`,
    ),
  };
}
