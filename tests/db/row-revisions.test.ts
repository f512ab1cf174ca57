import { newId } from '@comanda/db';
import { beforeEach, describe, expect, it } from 'vitest';
import { tables } from '../../packages/db/src/tables/index.ts';
import { useHand } from '../support/by-hand.ts';
import { useDatabase, useTestDatabase } from '../support/database.ts';
import { createCategory, createLocation, createPaymentMethod, createProduct } from '../support/factories.ts';
import { words } from '../support/words.ts';
import { statementFor } from './statement-for.ts';

const test = useTestDatabase();
const database = useDatabase(test);
const hand = useHand(test);
const other = useHand(test);

/** Another value of columns that a person edits, as SQL over the row. A column that is not here gets one that is made for its type. */
const changes: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  products: { image_url: "'https://example.com/other.png'" },
  categories: { image_url: "'https://example.com/other.png'" },
  orders: { status: "'ready'" },
  webhook_endpoints: {
    events: "'{order.updated}'",
    status: "'disabled'",
    api_version: "'v1'",
    include: "'{snapshot}'",
  },
  locations: {
    name: "name || 'x'",
    timezone: "'America/Montevideo'",
    currency: "'UYU'",
    status: "'read_only'",
    paused: 'true',
    paused_until: 'now()',
    pause_reason: "'No gas'",
    opening_hours: `'{"weekly": [], "exceptions": []}'`,
  },
};

const versioned = tables.filter((table) => table.versioned !== undefined);
const edited = versioned.flatMap(({ name, columns }) =>
  Object.entries(columns).flatMap(([column, { edited }]) => (edited ? [{ table: name, column }] : [])),
);

let ids: Record<string, string>;
beforeEach(async () => {
  const locations = await createLocation(database);
  const methodId = await createPaymentMethod(database, { locationId: locations });
  const categories = await createCategory(database, { locationId: locations });
  const products = await createProduct(database, { locationId: locations });
  ids = { locations, categories, products, orders: newId(), menus: newId(), webhook_endpoints: newId() };
  await hand.deed(
    'import: a test',
    `with o as (insert into orders (location_id, id, number, external_id, status, total, payment_method_id)
       values ($1, $2::uuid, 1, $2::text, 'pending', 10, $5)),
     m as (insert into menus (location_id, id, name) values ($1, $3, 'Menu'))
     insert into webhook_endpoints (location_id, id, url, events) values ($1, $4, 'https://example.com', '{order.created}')`,
    [locations, ids.orders, ids.menus, ids.webhook_endpoints, methodId],
  );
});

async function revision(table: string, on = hand): Promise<bigint> {
  const [row] = await on.sql<{ revision: string }>(`select revision from ${table} where id = $1`, [
    ids[table],
  ]);
  return BigInt(row?.revision ?? '');
}

it('the resources of the contract have a revision', () => {
  const names = words('categories locations menus orders products webhook_endpoints');
  expect(versioned.map(({ name }) => name).sort()).toEqual(names);
});

describe('a change by hand moves the revision', () => {
  it.each(edited)('of $table, of $column', async ({ table, column }) => {
    const value = changes[table]?.[column];
    // The currency of a location with orders never changes.
    if (column === 'currency') ids.locations = await createLocation(database);
    // Only a canceled order has a reason.
    if (column === 'cancel_reason')
      await hand.sql("update orders set status = 'canceled' where id = $1", [ids.orders]);
    const before = await revision(table);
    await hand.sql(`update ${table} set ${column} = ${column} where id = $1`, [ids[table]]);
    expect(await revision(table)).toBe(before);

    if (value === undefined)
      await hand.sql(await statementFor(hand.sql, ids.locations ?? '', { table, column }), [ids.locations]);
    else await hand.sql(`update ${table} set ${column} = ${value} where id = $1`, [ids[table]]);
    expect(await revision(table)).toBeGreaterThan(before);
  });

  it.each([
    {
      table: 'products',
      insert: 'insert into product_categories (location_id, product_id, category_id) values ($1, $2, $3)',
      remove:
        'delete from product_categories where location_id = $1 and product_id = $2 and category_id = $3',
    },
    {
      table: 'menus',
      insert: 'insert into menu_categories (location_id, menu_id, category_id) values ($1, $2, $3)',
      remove: 'delete from menu_categories where location_id = $1 and menu_id = $2 and category_id = $3',
    },
  ])(
    'of $table, of its categories, when a category is deleted as well',
    async ({ table, insert, remove }) => {
      const values = [ids.locations, ids[table], ids.categories];
      const revisions = [await revision(table)];
      for (const statement of [insert, remove, insert]) {
        await hand.sql(statement, values);
        revisions.push(await revision(table));
      }
      await hand.sql('delete from categories where id = $1', [ids.categories]);
      revisions.push(await revision(table));
      for (const [index, each] of revisions.entries())
        if (index > 0) expect(each).toBeGreaterThan(revisions[index - 1] ?? 0n);
    },
  );

  it('of a product that another transaction changed after this one began', async () => {
    await hand.sql('begin');
    await hand.sql("update categories set name = name || 'x' where id = $1", [ids.categories]);
    await hand.sql('select announce_change()');
    await other.sql("update products set name = name || 'x' where id = $1", [ids.products]);
    const between = await revision('products', other);
    await hand.sql`
      insert into product_categories (location_id, product_id, category_id) values (${ids.locations}, ${ids.products}, ${ids.categories})`;
    await hand.sql('commit');
    expect(await revision('products')).toBeGreaterThan(between);
  });

  it('past every revision that a deleted row had, when it is brought back', async () => {
    const [row] = await hand.sql<{ row: object }>`
      select to_jsonb(c) as row from categories c where id = ${ids.categories}`;
    await hand.sql("update categories set name = name || 'x' where id = $1", [ids.categories]);
    const before = await revision('categories');
    await hand.sql('delete from categories where id = $1', [ids.categories]);
    await hand.sql`
      insert into categories select * from jsonb_populate_record(null::categories, ${JSON.stringify(row?.row)})`;
    expect(await revision('categories')).toBeGreaterThan(before);
  });
});

it('stock leaves the revision of its product, and a payment that of its order', async () => {
  await hand.sql`
    insert into product_stock (location_id, product_id, enabled, quantity, min_stock_alarm) values (${ids.locations}, ${ids.products}, true, 5, 0)
    on conflict (location_id, product_id) do update set enabled = true, quantity = 5`;
  const before = [await revision('products'), await revision('orders')];
  await hand.sql`
    update product_stock set quantity = 4, min_stock_alarm = 1 where product_id = ${ids.products}`;
  await hand.sql("update payments set status = 'completed' where order_id = $1", [ids.orders]);
  expect([await revision('products'), await revision('orders')]).toEqual(before);
});

it.each(versioned)('no manual edit writes the revision of $name', async ({ name }) => {
  await expect(
    hand.sql(`update ${name} set revision = revision + 1 where id = $1`, [ids[name]]),
  ).rejects.toMatchObject({ message: expect.stringContaining('never changes by hand') });
  await expect(
    hand.deed('repair: a test', `update ${name} set revision = 1000 where id = $1`, [ids[name]]),
  ).rejects.toMatchObject({ message: expect.stringContaining('never changes by hand') });
});
