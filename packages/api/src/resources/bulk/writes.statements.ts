import { type Statement, statement, type Transaction } from '@comanda/db';
import { columnTypes } from '../products/fields.schema.ts';
import type {
  CategoryRow,
  ItemRow,
  ProductRow,
  StockRow,
  SubselectionRow,
  Writes,
  Written,
} from './rows.rules.ts';

// Not Prisma: a batch is written by a few statements over whole sets, many times faster than row by row. Columns come as
// one array each, which Postgres reads faster than JSON (docs/design/orders-and-batches.md, "Bulk writes").

/**
 * Writes a plan: sends all statements at once, so that PostgreSQL runs one while the values of the next are made. A failure is that of the
 * transaction. The rows it touches are locked already, except links, which come last in the order of locks.
 */
export function write(tx: Pick<Transaction, 'send'>, locationId: string, writes: Writes): void {
  const { removed, releasedSkus, removedLinks, addedLinks } = writes;
  const of = (lists: readonly (readonly unknown[])[], run: Statement<unknown>) => {
    if (lists.some((list) => list.length > 0)) tx.send(run, [locationId, ...lists]);
  };
  const put = <Row>({ insert, update, columns }: Table<Row>, written: Partial<Written<Row>>) => {
    for (const [statement, rows = []] of [
      [update, written.updated],
      [insert, written.created],
    ] as const)
      if (rows.length > 0)
        tx.send(statement, [locationId, ...columns.map((name) => rows.map((row) => row[name]))]);
  };
  of([...linkColumns(removedLinks), removed.products, removed.categories], removeLinks);
  of([removed.items], items.remove);
  of([removed.subselections], subselections.remove);
  of([removed.products], products.remove);
  of([removed.categories], categories.remove);
  of([releasedSkus], releaseSkus);
  put(categories, writes.categories);
  const { created, updated } = writes.products;
  // Skus go from one product to another: what gives one up is written first. And stock before the names that it shows,
  // which touch what is not written yet (prisma/sql/changes.sql).
  put(stock, { updated: writes.stock.updated });
  put(products, { updated });
  put(products, { created });
  put(stock, { created: writes.stock.created });
  put(subselections, writes.subselections);
  put(items, writes.items);
  of(linkColumns(addedLinks), addLinks);
}

const linkColumns = (links: Writes['addedLinks']) => [
  links.map(({ product_id }) => product_id),
  links.map(({ category_id }) => category_id),
];

/** A table that a batch writes: statements over whole rows. */
interface Table<Row> {
  columns: (keyof Row & string)[];
  /** $1 location, then the columns, an array each. */
  insert: Statement<unknown>;
  update: Statement<unknown>;
  /** $1 location, $2 keys. */
  remove: Statement<unknown>;
}

const common = { id: 'uuid', external_id: 'text', name: 'text' };
const categories = table<CategoryRow>('categories', {
  ...common,
  priority: 'int',
  visible: 'boolean',
  image_url: 'text',
});
const products = table<ProductRow>('products', {
  id: 'uuid',
  external_id: 'text',
  ...columnTypes,
});
const stock = table<StockRow>('product_stock', {
  product_id: 'uuid',
  enabled: 'boolean',
  quantity: 'numeric',
  min_stock_alarm: 'numeric',
});
const subselections = table<SubselectionRow>('subselections', {
  ...common,
  product_id: 'uuid',
  min_selection: 'int',
  max_selection: 'int',
  single: 'boolean',
  position: 'int',
});
const items = table<ItemRow>('subselection_items', {
  ...common,
  subselection_id: 'uuid',
  price: 'numeric',
  min: 'int',
  max: 'int',
  visible: 'boolean',
  image_url: 'text',
  position: 'int',
  stock_enabled: 'boolean',
  stock_quantity: 'numeric',
});

/** The first column is the key. */
function table<Row>(name: string, types: Record<keyof Row & string, string>): Table<Row> {
  const columns = Object.keys(types) as (keyof Row & string)[];
  const [key] = columns;
  const arrays = columns.map((column, index) => `$${index + 2}::${types[column]}[]`);
  const given = `unnest(${arrays.join(', ')}) as v (${columns.join(', ')})`;
  const set = columns.slice(1).map((column) => `${column} = w.${column}`);
  return {
    columns,
    insert: statement(
      `insert_bulk_${name}`,
      `insert into ${name} (location_id, ${columns.join(', ')}) select $1::uuid, v.* from ${given} order by v.${key}`,
    ),
    // By their ctids, which cannot change while they are locked.
    update: statement(
      `update_bulk_${name}`,
      `update ${name} t set ${set.join(', ')} from (
         select v.*, l.place from ${given} cross join lateral (
           select ctid as place from ${name} where location_id = $1::uuid and ${key} = v.${key} limit 1) l
       ) w where t.ctid = w.place`,
    ),
    remove: statement(`remove_bulk_${name}`, `delete from ${name} where ctid = any (${placesOf(name, key)})`),
  };
}

/** The ctids of the rows of $1 location and $2 ids, which this transaction has locked. */
function placesOf(name: string, key = 'id'): string {
  return `array(select t.place from unnest($2::uuid[]) as v (id) cross join lateral (
     select ctid as place from ${name} where location_id = $1::uuid and ${key} = v.id for update) t)`;
}

/** $1 location, $2 product ids. Temporary skus that no other product can have, until the new ones are written. */
const releaseSkus = statement(
  'release_bulk_skus',
  `update products set sku = 'released ' || id where ctid = any (${placesOf('products')})`,
);

/** $1 location, $2 products, $3 categories, as many of each. */
const addLinks = statement(
  'add_bulk_links',
  `insert into product_categories (location_id, product_id, category_id)
   select $1::uuid, v.product_id, v.category_id from unnest($2::uuid[], $3::uuid[]) as v (product_id, category_id)
   order by 2, 3 on conflict do nothing`,
);

/**
 * $1 location, $2 products, $3 categories, as many of each; $4 products and $5 categories that go. Their links are
 * locked in the one order and deleted with them: the event of a deleted product names its categories.
 */
const removeLinks = statement(
  'remove_bulk_links',
  `with named as materialized (
     select product_id, category_id, true as alone
     from unnest($2::uuid[], $3::uuid[]) as v (product_id, category_id)
     union all select l.*, false from unnest($4::uuid[]) as v (id) cross join lateral (
       select product_id, category_id from product_categories where location_id = $1::uuid and product_id = v.id offset 0) l
     union all select l.*, false from unnest($5::uuid[]) as v (id) cross join lateral (
       select product_id, category_id from product_categories where location_id = $1::uuid and category_id = v.id offset 0) l
   )
   delete from product_categories where ctid = any (array(
     select case when n.alone then l.place end
     from (select * from named order by product_id, category_id) n cross join lateral (
       select ctid as place from product_categories
       where location_id = $1::uuid and product_id = n.product_id and category_id = n.category_id for update) l))`,
);
