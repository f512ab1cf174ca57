import { beforeAll, describe, expect, it } from 'vitest';
import { tables } from '../../packages/db/src/tables/index.ts';
import type { Table } from '../../packages/db/src/tables/table.ts';
import { useHand } from '../support/by-hand.ts';
import { createKey, createLocation, createPaymentMethod } from '../support/factories.ts';
import { createOrderKitchen, orderBody, placeOrder } from '../support/orders.ts';
import { useSteppedApi } from '../support/published.ts';
import { statementFor } from './statement-for.ts';

// docs/admin.md says of each table which events an edit by hand publishes, from `editEvents`. Here an admin edits every column.

const api = useSteppedApi();
const admin = useHand(api, { role: 'admin' });
const edited = tables.filter(({ access }) => access.people === 'edit' || access.people === 'keep');

/** An edit of a table: a statement, and the column that it is of. Without a statement one is made for the column, or for a new row. */
interface Edit {
  columns: string;
  sql?: string;
}

const set = (table: string, column: string, value: string, where = 'true'): Edit => ({
  columns: column,
  sql: `update ${table} set ${column} = ${value} where ${table === 'locations' ? 'id' : 'location_id'} = $1 and ${where}`,
});
const named = (table: string, name: string, by = 'name') =>
  `(select id from ${table} where location_id = $1 and ${by} = '${name}')`;
const product = named('products', 'cola', 'sku');
const category = (name: string) =>
  `(select id from categories where location_id = $1 and name like '${name}%')`;
const cola = `product_id = ${product}`;

/** The edits of each table, in this order. A table and a column that are not here get edits that are made for them. */
const edits: Readonly<Record<string, readonly Edit[]>> = {
  locations: [
    set('locations', 'name', `'Bar Nuevo'`),
    set('locations', 'timezone', `'America/Santiago'`),
    // That of a location with orders never changes.
    {
      columns: 'currency',
      sql: `update locations set currency = 'CLP' where name = 'Without orders' and id <> $1`,
    },
    set('locations', 'opening_hours', `'{"weekly": [], "exceptions": []}'`),
    set('locations', 'paused', 'true'),
    set('locations', 'paused_until', `'2099-01-01'`),
    set('locations', 'pause_reason', `'No gas'`),
    set('locations', 'status', `'read_only'`),
    set('locations', 'status', `'active'`),
  ],
  api_keys: [
    set('api_keys', 'name', `'Till'`, `name = 'spare'`),
    set('api_keys', 'per_minute', '77', `name = 'Till'`),
    set('api_keys', 'monthly', '7777', `name = 'Till'`),
    set('api_keys', 'batch_jobs_per_hour', '7', `name = 'Till'`),
    set('api_keys', 'max_items_per_batch', '70', `name = 'Till'`),
    set('api_keys', 'expires_at', `'2099-01-01'`, `name = 'Till'`),
    set('api_keys', 'revoked_at', 'now()', `name = 'Till'`),
  ],
  payment_methods: [
    set('payment_methods', 'name', `'Voucher'`, `name = 'unused'`),
    set('payment_methods', 'type', `'card'`, `name = 'Voucher'`),
    set('payment_methods', 'enabled', 'false', `name = 'Voucher'`),
  ],
  categories: [
    set('categories', 'external_id', `'c-1'`, `name = 'Drinks'`),
    set('categories', 'name', `'Drinks and more'`, `name = 'Drinks'`),
    set('categories', 'priority', '7', `name like 'Drinks%'`),
    set('categories', 'visible', 'false', `name like 'Drinks%'`),
    set('categories', 'visible', 'true', `name like 'Drinks%'`),
    set('categories', 'image_url', `'https://x.test/c.png'`, `name like 'Drinks%'`),
  ],
  products: [
    set('products', 'external_id', `'p-1'`, `sku = 'cola'`),
    set('products', 'name', `'Cola 0,5'`, `sku = 'cola'`),
    set('products', 'description', `'Cold'`, `sku = 'cola'`),
    set('products', 'price', '99.9', `sku = 'cola'`),
    set('products', 'visible', 'false', `sku = 'cola'`),
    set('products', 'image_url', `'https://x.test/p.png'`, `sku = 'cola'`),
    set('products', 'tax_rate', '22', `sku = 'cola'`),
    set('products', 'sku', `'other'`, `sku = 'tea'`),
    { columns: '', sql: `insert into products (location_id, sku, name, price) values ($1, 'new', 'New', 1)` },
    { columns: '', sql: `delete from products where location_id = $1 and sku = 'new'` },
  ],
  product_categories: [
    set(
      'product_categories',
      'category_id',
      category('Food'),
      `${cola} and category_id = ${category('Sweets')}`,
    ),
    set(
      'product_categories',
      'product_id',
      named('products', 'other', 'sku'),
      `${cola} and category_id = ${category('Food')}`,
    ),
  ],
  product_stock: [
    set('product_stock', 'quantity', '17.5', cola),
    set('product_stock', 'min_stock_alarm', '2', cola),
    set('product_stock', 'enabled', 'false', cola),
  ],
  subselections: [
    set('subselections', 'external_id', `'s-1'`, `name = 'Extras'`),
    set('subselections', 'name', `'More extras'`, `name = 'Extras'`),
    set('subselections', 'max_selection', '3'),
    set('subselections', 'min_selection', '1'),
    {
      columns: 'single',
      sql: 'update subselections set single = true, max_selection = 1 where location_id = $1',
    },
    set('subselections', 'position', '5'),
    set('subselections', 'product_id', named('products', 'other', 'sku')),
  ],
  subselection_items: [
    set('subselection_items', 'external_id', `'i-1'`, `name = 'Ice'`),
    set('subselection_items', 'price', '3.25', `name = 'Ice'`),
    set('subselection_items', 'max', '3', `name = 'Ice'`),
    set('subselection_items', 'min', '1', `name = 'Ice'`),
    set('subselection_items', 'visible', 'false', `name = 'Ice'`),
    set('subselection_items', 'image_url', `'https://x.test/i.png'`, `name = 'Ice'`),
    set('subselection_items', 'position', '9', `name = 'Ice'`),
    set('subselection_items', 'stock_enabled', 'true', `name = 'Ice'`),
    set('subselection_items', 'stock_quantity', '8', `name = 'Ice'`),
    set('subselection_items', 'subselection_id', named('subselections', 'Sizes'), `name = 'Ice'`),
    set('subselection_items', 'name', `'Ice cubes'`, `name = 'Ice'`),
  ],
  menus: [
    set('menus', 'name', `'Winter 2026'`, 'is_published'),
    set('menus', 'published_at', `'2026-01-01'`, 'is_published'),
    set('menus', 'is_published', 'false', 'is_published'),
    set('menus', 'is_published', 'true', `name like 'Winter%'`),
  ],
  menu_categories: [
    set('menu_categories', 'position', '7', `category_id = ${category('Drinks')}`),
    set('menu_categories', 'category_id', category('Food'), `category_id = ${category('Drinks')}`),
    set('menu_categories', 'menu_id', named('menus', 'Summer'), `category_id = ${category('Food')}`),
  ],
  orders: [
    set('orders', 'external_id', `'ERP-1'`, 'number = 1'),
    set('orders', 'channel', `'phone'`, 'number = 1'),
    set('orders', 'is_take_away', 'true', 'number = 1'),
    set('orders', 'identifier', `'Ana'`, 'number = 1'),
    set('orders', 'status', `'ready'`, 'number = 1'),
    set('orders', 'status', `'closed'`, 'number = 1'),
    set('orders', 'status', `'canceled'`, 'number = 2'),
    set('orders', 'cancel_reason', `'The guest left'`, 'number = 2'),
  ],
  order_items: [],
  payments: [
    set('payments', 'status', `'completed'`, '(select number from orders o where o.id = order_id) = 3'),
    set('payments', 'status', `'rejected'`, '(select number from orders o where o.id = order_id) = 4'),
  ],
  turns: [
    set('turns', 'status', `'closed'`, `status = 'open'`),
    { columns: '', sql: 'insert into turns (location_id) values ($1)' },
  ],
  webhook_endpoints: [
    set('webhook_endpoints', 'url', `'https://example.com/other'`),
    set('webhook_endpoints', 'events', `'{order.created,turn.open}'`),
    set('webhook_endpoints', 'api_version', `'v1'`),
    set('webhook_endpoints', 'include', `'{snapshot}'`),
    set('webhook_endpoints', 'status', `'disabled'`),
  ],
};

beforeAll(async () => {
  const { database } = api.app;
  const client = api.client();
  const kitchen = await createOrderKitchen(api);
  const ids: string[] = [];
  for (const name of ['Drinks', 'Food', 'Sweets'])
    ids.push((await client.categories.create.mutate({ name, priority: 1, visible: true })).id);
  const [drinks = '', , sweets = ''] = ids;
  const stock = { enabled: true, quantity: 5, min_stock_alarm: 0 };
  for (const sku of ['cola', 'tea'])
    await client.products.create.mutate({
      sku,
      name: sku,
      description: '',
      price: 3,
      ...(sku === 'cola' ? { category_ids: [drinks, sweets], stock } : { category_ids: [drinks] }),
    });
  const juice = await client.products.create.mutate({ name: 'juice', description: '', price: 3, stock });
  for (const name of ['Extras', 'Sizes'])
    await admin.sql(
      `insert into subselections (location_id, product_id, name, min_selection, max_selection, single)
       values ($1, ${product}, $2, 0, 2, false)`,
      [api.locationId, name],
    );
  await admin.sql`insert into subselection_items (location_id, subselection_id, name, price)
    values (${api.locationId}, (select id from subselections where location_id = ${api.locationId} and name = 'Extras'), 'Ice', 0)`;
  await client.menus.create.mutate({ name: 'Summer' });
  const { id } = await client.menus.create.mutate({ name: 'Winter', category_ids: [drinks] });
  await client.menus.publish.mutate({ id });
  await client.turns.open.mutate();
  // The second is of a product with stock, which a cancellation gives back.
  for (const productId of [kitchen.productId, juice.id, kitchen.productId, kitchen.productId])
    await placeOrder(api, kitchen, orderBody({ ...kitchen, productId }));
  await createKey(database, { locationId: api.locationId, name: 'spare' });
  await createLocation(database, { name: 'Without orders' });
  await createPaymentMethod(database, { locationId: api.locationId, name: 'unused' });
  const url = 'https://example.com/hook';
  await client.webhookEndpoints.create.mutate({ url, events: ['order.created'] });
  await api.published();
}, 120_000);

/** The edits of a table: those above, and one for each other column that people edit. */
function editsOf(table: Table): Edit[] {
  const given = edits[table.name] ?? [{ columns: '' }];
  const known = new Set(given.map(({ columns }) => columns));
  const columns = Object.entries(table.columns).flatMap(([name, column]) => (column.edited ? [name] : []));
  const left = table.name in edits && given.length === 0 ? [] : columns.filter((name) => !known.has(name));
  const isDeleted =
    !(table.name in edits) && table.editEvents?.publish?.some((type) => type.endsWith('.deleted'));
  return [
    ...given,
    ...left.map((name) => ({ columns: name })),
    ...(isDeleted ? [{ columns: '', sql: `delete from ${table.name} where location_id = $1` }] : []),
  ];
}

/** The types of the events of an edit. */
async function published(table: string, edit: Edit): Promise<string[]> {
  const sql = edit.sql ?? (await statementFor(admin.sql, api.locationId, { table, column: edit.columns }));
  // It may insert a row that the edit refers to.
  await api.published();
  const [before] = await admin.sql<{
    ids: string[];
  }>`select coalesce(array_agg(id), '{}') as ids from events`;
  const written = await admin.sql(`${sql} returning 1`, [api.locationId]);
  expect(written.length, `no row was edited by: ${sql}`).toBeGreaterThan(0);
  await api.published();
  const found = await admin.sql<{ type: string }>`
    select type from events where id <> all (${before?.ids}::uuid[]) order by number`;
  return found.map(({ type }) => type);
}

it('every table that people edit says which events its edits publish', () => {
  for (const table of edited) expect(table.editEvents, table.name).toBeDefined();
  expect(Object.keys(edits).filter((name) => !edited.some((table) => table.name === name))).toEqual([]);
});

// An edit finds its row by the values that the edit before it wrote.
describe('an edit', { shuffle: false }, () => {
  describe.each(edited.filter((table) => editsOf(table).length > 0))('of $name', (table) => {
    const { editEvents } = table;
    const named = editEvents?.publish ?? [];
    const silent = editEvents?.publish === undefined ? [] : (editEvents.except ?? []);
    const seen = new Set<string>();

    it.each(editsOf(table))('$columns $sql', async (edit) => {
      const types = await published(table.name, edit);
      for (const type of types) seen.add(type);
      const isPublished = named.length > 0 && !silent.includes(edit.columns);
      expect({ edit, types, isPublished: types.length > 0 }).toEqual({ edit, types, isPublished });
      if (isPublished) expect(named).toEqual(expect.arrayContaining(types));
    });

    it('publishes no fewer events than are named', () => {
      // An order is not inserted here (hand-orders.test.ts does it).
      const inserted = ['order.created'];
      expect(named.filter((type) => !seen.has(type) && !inserted.includes(type))).toEqual([]);
    });
  });
});
