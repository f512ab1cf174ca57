import { openDatabase } from '@comanda/db';
import { beforeEach, describe, expect, it } from 'vitest';
import { undo } from '../../packages/api/src/resources/audit/store.ts';
import { type TestApi, useApi } from '../support/api.ts';
import { useHand } from '../support/by-hand.ts';
import { createCategory, createKey, createLocation, createProduct } from '../support/factories.ts';
import { createOrderKitchen, placeOrder } from '../support/orders.ts';
import { roleUrl } from '../support/roles.ts';
import { useClosed } from '../support/use.ts';
import { handEntries } from './hand-entries.ts';

// `comanda audit undo` reverts every manual edit: by the same guards, into the same audit.

const api = useApi();
const hand = useHand(api);
const owner = useClosed(async () =>
  openDatabase({ url: roleUrl(api.databaseUrl, 'owner'), poolSize: 2, applicationName: 'comanda-cli' }),
);
let location: string;
beforeEach(async () => {
  location = await createLocation(api.app.database);
});

async function lastEntry(at = location): Promise<string> {
  const statements = (await handEntries(hand, at)).filter(({ caused_by }) => caused_by === null);
  return statements.at(-1)?.id ?? '';
}

const undoOf = (entry: string, { dryRun = false, deed }: { dryRun?: boolean; deed?: string } = {}) =>
  undo(owner, entry, { dryRun, deed });
const undoLast = async ({ at, ...options }: { dryRun?: boolean; deed?: string; at?: string } = {}) =>
  undoOf(await lastEntry(at), options);

/** Every row of the catalog at the location, except for the moments of change. */
const catalog = async () =>
  hand.sql(
    ['categories', 'products', 'product_categories', 'product_stock', 'subselections', 'subselection_items']
      .map(
        (table) =>
          `select to_jsonb(t) - '{updated_at,revision}'::text[] as row from ${table} t where location_id = $1`,
      )
      .join(' union all ')
      .concat(' order by 1'),
    [location],
  );

const refusal = (message: RegExp) => ({ code: 'CM008', message: expect.stringMatching(message) });

/** A product with all that hangs on it. */
async function fullProduct(): Promise<string> {
  const id = await createProduct(api.app.database, {
    locationId: location,
    price: 12.5,
    stock: { quantity: 4.125 },
    categoryIds: [await createCategory(api.app.database, { locationId: location })],
  });
  await api.sql`
    with made as (insert into subselections (location_id, product_id, name) values (${location}, ${id}, 'Size') returning id)
    insert into subselection_items (location_id, subselection_id, name, price)
    select ${location}, id, 'Large', 1.50 from made`;
  return id;
}

describe('undoing', () => {
  it.each([
    ['an update', `update products set price = 99999999.99, description = E'a\\tb' where location_id = $1`],
    ['an insert', `insert into categories (location_id, name, external_id) values ($1, 'New', 'n-1')`],
    ['a delete, with what went by cascade', 'delete from products where location_id = $1'],
    ['a delete of a link', 'delete from product_categories where location_id = $1'],
    [
      'a MERGE’s delete',
      `merge into product_stock s using (select $1::uuid as id) v on s.location_id = v.id
       when matched then delete`,
    ],
  ])('%s restores the rows before it, and is in the audit as its undo', async (_, sql) => {
    await fullProduct();
    const before = await catalog();
    await hand.sql(sql, [location]);
    const entry = await lastEntry();
    expect(await catalog()).not.toEqual(before);

    const { entries, dry_run } = await undoLast();

    expect(await catalog()).toEqual(before);
    expect(dry_run).toBe(false);
    expect(entries.length).toBeGreaterThan(0);
    for (const written of entries)
      expect(written).toMatchObject({ actor: 'database', undo_of: entry, application: 'audit undo' });
  });

  it('an undo does again what was undone', async () => {
    await fullProduct();
    await hand.sql(`update products set name = 'Mate' where location_id = $1`, [location]);
    const after = await catalog();
    await undoLast();
    await undoLast();
    expect(await catalog()).toEqual(after);
  });

  it('only rehearsed says what it would do, and leaves everything as it is', async () => {
    await fullProduct();
    await hand.sql(`update products set name = 'Mate' where location_id = $1`, [location]);
    const state = await catalog();
    const { entries, dry_run } = await undoLast({ dryRun: true });
    expect(dry_run).toBe(true);
    expect(entries).toEqual([
      expect.objectContaining({
        rows: [expect.objectContaining({ before: { name: 'Mate' }, after: { name: 'Flat White' } })],
      }),
    ]);
    expect(await catalog()).toEqual(state);
    expect(await handEntries(hand, location)).toHaveLength(1);
  });

  it('publishes its changes like any others', async () => {
    const id = await fullProduct();
    await hand.sql(`update products set price = 3 where location_id = $1`, [location]);
    const captured = () =>
      hand.sql`
        select from internal.captured_changes where ${id} = any (resource_ids) and changed = ${['price']}`;
    const before = (await captured()).length;
    await undoLast();
    expect(await captured()).toHaveLength(before + 1);
  });

  it('what a deed did needs a deed', async () => {
    const kitchen = await createOrderKitchen(api);
    const { id, total } = await placeOrder(api, kitchen);
    await hand.deed('repair: a test', 'update orders set total = total + 1 where id = $1', [id]);
    await expect(undoLast({ at: api.locationId })).rejects.toMatchObject(
      refusal(/^the total of an order never changes/),
    );
    const { entries } = await undoLast({ at: api.locationId, deed: 'repair: back' });
    expect(entries).toEqual([expect.objectContaining({ deed: 'repair: back', table: 'orders' })]);
    expect(await hand.sql('select total::float8 from orders where id = $1', [id])).toEqual([{ total }]);
  });
});

/** $1 the location, $2 how many. */
const teas = `insert into products (location_id, sku, name, price) select $1, 's' || n, 'Tea', 1 from generate_series(1, $2) n`;

describe('an undo of more than 100 rows', () => {
  it('takes back an import of 5,000 by its keys', async () => {
    await hand.sql(teas, [location, 5_000]);
    expect(
      await hand.sql`
        select row_count, jsonb_array_length(changes->'keys') as keys from audit_entries where location_id = ${location}`,
    ).toEqual([{ row_count: 5_000, keys: 5_000 }]);
    await undoLast();
    expect(await catalog()).toEqual([]);
  });

  it('takes back new prices of 1,110 products, and shows the first 100', async () => {
    await hand.sql(teas, [location, 1_110]);
    const before = await catalog();
    await hand.sql('update products set price = price + 1 where location_id = $1', [location]);
    const { entries } = await undoLast();
    expect(entries.map(({ row_count, rows = [] }) => [row_count, rows.length])).toEqual([[1_110, 100]]);
    expect(await catalog()).toEqual(before);
  });

  it('brings back what went with a category of 120 products, and what was deleted', async () => {
    const category = await createCategory(api.app.database, { locationId: location });
    await hand.sql(teas, [location, 120]);
    await hand.sql`
      insert into product_categories (location_id, product_id, category_id) select location_id, id, ${category} from products where location_id = ${location}`;
    const before = await catalog();
    for (const sql of [
      'delete from categories where location_id = $1',
      'delete from products where location_id = $1',
    ]) {
      await hand.sql(sql, [location]);
      await undoLast();
      expect(await catalog()).toEqual(before);
    }
  });
});

describe('an undo is refused', () => {
  it('where a later change exists', async () => {
    const id = await fullProduct();
    await hand.sql('update products set price = 3 where id = $1', [id]);
    const entry = await lastEntry();
    await hand.sql('update products set price = 4 where id = $1', [id]);
    const again = (dryRun: boolean) => undoOf(entry, { dryRun });
    await expect(again(false)).rejects.toMatchObject(refusal(/^a later change is in products/));
    await expect(again(true)).rejects.toMatchObject(refusal(/^a later change is in products/));
    // Another column of the same row is no such change.
    await hand.sql('update products set price = 3, name = $2 where id = $1', [id, 'Mate']);
    await again(false);
    expect(await hand.sql('select price::float8, name from products where id = $1', [id])).toEqual([
      { price: 12.5, name: 'Mate' },
    ]);
  });

  it('where the rows are gone, or there again', async () => {
    const id = await fullProduct();
    await hand.sql('update products set price = 3 where id = $1', [id]);
    const update = await lastEntry();
    await hand.sql('delete from products where id = $1', [id]);
    const removal = await lastEntry();
    await expect(undoOf(update)).rejects.toMatchObject(refusal(/a later change/));
    await undoOf(removal);
    await expect(undoOf(removal)).rejects.toMatchObject(refusal(/a later change/));
  });

  it('where later rows would be deleted by cascade', async () => {
    await hand.sql(`insert into categories (location_id, name) values ($1, 'New')`, [location]);
    const entry = await lastEntry();
    await hand.sql`insert into product_categories (location_id, product_id, category_id)
      select ${location}, ${await fullProduct()}, id from categories where location_id = ${location} and name = 'New'`;
    const before = await catalog();
    await expect(undoOf(entry)).rejects.toMatchObject(refusal(/would go with them/));
    expect(await catalog()).toEqual(before);
  });

  it('where 10,000 of 10,001 rows are kept', async () => {
    await hand.sql(teas, [location, 10_001]);
    await hand.sql('update products set price = 2 where location_id = $1', [location]);
    await expect(undoLast()).rejects.toMatchObject(
      refusal(/^of the 10001 rows that were changed 10000 are kept/),
    );
  });

  it('of an import of which one row has changed since', async () => {
    await hand.sql(teas, [location, 101]);
    const entry = await lastEntry();
    await hand.sql(`update products set price = 2 where location_id = $1 and sku = 's7'`, [location]);
    await expect(undoOf(entry)).rejects.toMatchObject(
      refusal(/^a later change is in products: "some of 101 rows"/),
    );
  });

  it('where a guard refuses, with its sentence', async () => {
    const kitchen = await createOrderKitchen(api, location);
    const key = await createKey(api.app.database, { locationId: location });
    const rest: TestApi['rest'] = (route, call = {}) => api.rest(route, { key: key.key, ...call });
    const order = await placeOrder({ rest }, kitchen);
    await hand.sql(`update orders set status = 'canceled' where id = $1`, [order.id]);
    await expect(undoLast()).rejects.toMatchObject({
      code: 'CM001',
      message: 'an order cannot move from canceled to pending',
    });
    await hand.sql('update api_keys set revoked_at = now() where id = $1', [key.id]);
    await expect(undoLast()).rejects.toMatchObject(refusal(/^a key is revoked for good/));
  });

  it('where values are not kept', async () => {
    const key = await createKey(api.app.database, { locationId: location });
    await hand.sql('delete from api_keys where id = $1', [key.id]);
    await expect(undoLast()).rejects.toMatchObject(refusal(/^values are not kept: key_hash/));
  });

  it('of a location that came or went', async () => {
    const [made] = await hand.sql<{ id: string }>(`insert into locations (name) values ('New') returning id`);
    await expect(undoLast({ at: made?.id ?? '' })).rejects.toMatchObject(
      refusal(/^no undo makes or deletes a location/),
    );
  });

  it('of what no hand did, and of nothing', async () => {
    const key = await createKey(api.app.database, { locationId: location });
    const made = await api.client(key.key).menus.create.mutate({ name: 'Lunch', category_ids: [] });
    const [entry] = await hand.sql<{ id: string }>`
      select id from audit_entries where resource_id = ${made.id}`;
    await expect(undoOf(entry?.id ?? '')).rejects.toMatchObject(
      refusal(/^only what was changed by hand is undone/),
    );
    for (const id of ['nothing', location])
      await expect(undoOf(id)).rejects.toMatchObject({ errorCode: 'resource_not_found' });
  });
});
