import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { tables } from '../../packages/db/src/tables/index.ts';
import { isAudited } from '../../packages/db/src/tables/table.ts';
import { useApi } from '../support/api.ts';
import { useHand } from '../support/by-hand.ts';
import { createCategory, createKey, createLocation, createProduct } from '../support/factories.ts';
import { createOrderKitchen, type OrderKitchen, placeOrder } from '../support/orders.ts';
import { type HandEntry, handEntries } from './hand-entries.ts';

// A person's edits by psql or in Studio are in the audit: the author, and the values before and after.

const api = useApi();
const hand = useHand(api);
let location: string;
let other: string;
let role: string;
beforeAll(async () => {
  role = (await hand.sql<{ role: string }>('select session_user::text as role'))[0]?.role ?? '';
});
beforeEach(async () => {
  location = await createLocation(api.app.database);
  other = await createLocation(api.app.database);
});

const entries = (at: string | null = location) => handEntries(hand, at);
const summary = (found: readonly HandEntry[]) =>
  found.map(({ operation, relation, row_count }) => [operation, relation, row_count]);

const product = (fields: Partial<Parameters<typeof createProduct>[1]> = {}) =>
  createProduct(api.app.database, { locationId: location, ...fields });

const products = (at: string, count: number, sku = 'p') =>
  hand.sql`insert into products (location_id, sku, name, price)
    select ${at}, ${sku} || n, 'Tea', 2 from generate_series(1, ${count}::int) n`;

describe('a statement by hand is one entry a location:', () => {
  it('an update, with its author and the columns that differ', async () => {
    const id = await product({ price: 10, name: 'Tea' });
    await product({ price: 12.5, name: 'Mate' });
    await hand.sql(`update products set price = 12.50, name = name where location_id = $1`, [location]);
    expect(await entries()).toEqual([
      expect.objectContaining({
        location_id: location,
        actor_name: role,
        application_name: 'psql',
        operation: 'update',
        relation: 'products',
        resource_id: id,
        row_count: 1,
        deed: null,
        caused_by: null,
        undo_of: null,
        changes: { rows: [{ key: { id }, before: { price: 10 }, after: { price: 12.5 } }] },
      }),
    ]);
  });

  it('an insert and a delete, with the whole row', async () => {
    await hand.sql`insert into categories (location_id, name, priority) values (${location}, 'Coffee', 3)`;
    await hand.sql('delete from categories where location_id = $1', [location]);
    const [made, gone, ...rest] = await entries();
    expect(rest).toEqual([]);
    const row = made?.changes.rows[0]?.after;
    expect(row).toMatchObject({ name: 'Coffee', priority: 3, location_id: location, external_id: null });
    expect(row).not.toHaveProperty('updated_at');
    expect(made).toMatchObject({ operation: 'insert', changes: { rows: [{ before: null }] } });
    expect(gone).toMatchObject({ operation: 'delete', resource_id: made?.resource_id });
    expect(gone?.changes.rows).toEqual([{ key: { id: made?.resource_id }, before: row, after: null }]);
  });

  it('a statement over two locations is two entries', async () => {
    await products(location, 2);
    await products(other, 3);
    await hand.sql(`update products set name = 'Coffee' where location_id in ($1, $2)`, [location, other]);
    expect(summary(await entries())).toEqual([
      ['insert', 'products', 2],
      ['update', 'products', 2],
    ]);
    expect(summary(await entries(other))).toEqual([
      ['insert', 'products', 3],
      ['update', 'products', 3],
    ]);
  });

  it('of 250 rows those that were updated are kept, 100 of those that were inserted, and the count of all', async () => {
    await products(location, 250);
    await hand.sql('update products set price = price + 1 where location_id = $1', [location]);
    for (const entry of await entries()) {
      expect(entry).toMatchObject({ row_count: 250, resource_id: null });
      const kept = new Set(entry.changes.rows.map(({ key }) => JSON.stringify(key)));
      expect(kept.size).toBe(entry.operation === 'insert' ? 100 : 250);
    }
  });

  it('an upsert is an insert and an update', async () => {
    await products(location, 2);
    await hand.sql`insert into products (location_id, sku, name, price)
      select ${location}, 'p' || n, 'Mate', 2 from generate_series(2, 4) n
      on conflict (location_id, sku) do update set name = excluded.name`;
    expect(summary((await entries()).slice(1))).toEqual([
      ['insert', 'products', 2],
      ['update', 'products', 1],
    ]);
  });

  it('a MERGE is one for each of its actions', async () => {
    await products(location, 3);
    await hand.sql`
      merge into products p using (values ('p1'), ('p2'), ('p9')) v (sku) on p.location_id = ${location} and p.sku = v.sku
      when matched and v.sku = 'p1' then delete
      when matched then update set name = 'Mate'
      when not matched then insert (location_id, sku, name, price) values (${location}, v.sku, 'New', 1)`;
    expect(summary((await entries()).slice(1))).toEqual([
      ['delete', 'products', 1],
      ['insert', 'products', 1],
      ['update', 'products', 1],
    ]);
  });

  it('a COPY is an insert', async () => {
    await hand.copy('copy categories (location_id, name) from stdin (format csv)', [
      `${location},Coffee`,
      `${location},Tea`,
    ]);
    expect(summary(await entries())).toEqual([['insert', 'categories', 2]]);
  });

  it('a statement that changes nothing is none', async () => {
    await product();
    await hand.sql`update products set price = price, updated_at = now() where location_id = ${location}`;
    await hand.sql('delete from products where location_id = $1 and price < 0', [location]);
    expect(await entries()).toEqual([]);
  });

  it('what is rolled back, to a savepoint or whole, is none', async () => {
    const id = await product();
    await hand.sql('begin');
    await hand.sql(`update products set name = 'kept' where id = $1`, [id]);
    await hand.sql('savepoint s');
    await hand.sql('delete from products where id = $1', [id]);
    await hand.sql('rollback to s');
    await hand.sql('commit');
    await hand.sql('begin');
    await hand.sql('delete from products where id = $1', [id]);
    await hand.sql('rollback');
    expect(summary(await entries())).toEqual([['update', 'products', 1]]);
  });

  it('what a trigger does of it is none: a cancellation gives stock back and rejects the payment', async () => {
    const kitchen = await createOrderKitchen(api);
    const order = await placeOrder(api, kitchen);
    const before = (await entries(api.locationId)).length;
    await hand.sql(`update orders set status = 'canceled' where id = $1`, [order.id]);
    expect((await entries(api.locationId)).slice(before)).toEqual([
      expect.objectContaining({
        relation: 'orders',
        resource_id: order.id,
        changes: {
          rows: [{ key: { id: order.id }, before: { status: 'pending' }, after: { status: 'canceled' } }],
        },
      }),
    ]);
  });

  it('rows deleted by cascade are recorded with the deletion that caused it', async () => {
    const id = await product({
      stock: { quantity: 4 },
      categoryIds: [await createCategory(api.app.database, { locationId: location })],
    });
    await hand.sql('delete from products where id = $1', [id]);
    const [gone, ...caused] = await entries();
    expect(gone).toMatchObject({ relation: 'products', caused_by: null });
    expect(summary(caused)).toEqual([
      ['delete', 'product_categories', 1],
      ['delete', 'product_stock', 1],
    ]);
    for (const entry of caused) expect(entry).toMatchObject({ caused_by: gone?.id, resource_id: id });
  });

  it('a location that is deleted leaves that it went, and nothing of what was in it', async () => {
    await products(location, 2);
    await hand.sql('delete from locations where id = $1', [location]);
    expect(await entries()).toEqual([]);
    const gone = (await entries(null)).filter(({ resource_id }) => resource_id === location);
    expect(summary(gone)).toEqual([['delete', 'locations', 1]]);
  });

  it('an id that a repair changes is kept with the rows whose key follows it', async () => {
    const id = await product({ stock: { quantity: 4 } });
    await hand.deed('repair: a test', 'update products set id = uuid_v7() where id = $1', [id]);
    expect(summary(await entries())).toEqual([
      ['update', 'product_stock', 2],
      ['update', 'products', 2],
    ]);
  });
});

describe('a deed', () => {
  let kitchen: OrderKitchen;
  beforeAll(async () => {
    kitchen = await createOrderKitchen(api);
  });

  it('is written down with its text', async () => {
    const order = await placeOrder(api, kitchen);
    await hand.deed('repair: ticket 7', 'update orders set total = total + 1 where id = $1', [order.id]);
    const found = (await entries(api.locationId)).filter(({ resource_id }) => resource_id === order.id);
    expect(found).toEqual([
      expect.objectContaining({ deed: 'repair: ticket 7', operation: 'update', relation: 'orders' }),
    ]);
  });

  it('on a table of the service is written down without any row', async () => {
    await hand.deed('repair: ticket 8', 'update internal.location_counters set value = value + 1');
    await hand.deed('repair: ticket 8', `update audit_entries set operation = 'nothing' where false`);
    await hand.deed('repair: ticket 8', `insert into sync_jobs (location_id, total_items) values ($1, 1)`, [
      location,
    ]);
    await hand.deed('repair: ticket 8', `update sync_jobs set status = 'failed' where location_id = $1`, [
      location,
    ]);
    const found = (await entries(null)).filter(({ deed }) => deed === 'repair: ticket 8');
    expect(found).toEqual(
      [
        ['update', 'location_counters'],
        ['update', 'audit_entries'],
        ['insert', 'sync_jobs'],
        ['update', 'sync_jobs'],
      ].map(([operation, relation]) =>
        expect.objectContaining({ relation, operation, row_count: null, changes: { rows: [] } }),
      ),
    );
    expect(await entries()).toEqual([]);
  });

  it('that erases leaves no value behind', async () => {
    const id = await product({ name: 'Pereira, Ana' });
    await hand.sql(`update products set name = 'Ana Pereira' where id = $1`, [id]);
    await hand.deed('erase: asked by Ana', `delete from audit_entries where changes::text like '%Pereira%'`);
    await hand.deed('erase: asked by Ana', `update products set name = 'x' where id = $1`, [id]);
    await hand.deed('erase: asked by Ana', 'delete from products where id = $1', [id]);
    const found = await entries();
    expect(found[0]?.changes.rows).toEqual([{ key: { id }, before: {}, after: {}, left_out: ['name'] }]);
    expect(found[1]).toMatchObject({ operation: 'delete', resource_id: id, deed: 'erase: asked by Ana' });
    expect(JSON.stringify(found)).not.toContain('Pereira');
  });
});

describe('never kept', () => {
  it('is what a key is checked by, also when it is repaired or deleted', async () => {
    const { id } = await createKey(api.app.database, { locationId: location });
    await hand.deed(
      'repair: a test',
      `update api_keys set key_hash = sha256('another'), name = 'b' where id = $1`,
      [id],
    );
    await hand.sql('delete from api_keys where id = $1', [id]);
    const [changed, gone] = await entries();
    expect(changed?.changes.rows).toEqual([
      { key: { id }, before: { name: 'test' }, after: { name: 'b' }, left_out: ['key_hash'] },
    ]);
    expect(gone?.changes.rows[0]?.before).toMatchObject({ name: 'b' });
    expect(gone?.changes.rows[0]?.before).not.toHaveProperty('key_hash');
    expect(gone?.changes.rows[0]?.left_out).toEqual(['key_hash']);
  });

  it('are columns of bytes, or that are named like a secret', async () => {
    const audited = tables.filter(isAudited);
    const rows = await api.sql<{ place: string }>`
      select c.table_name || '.' || c.column_name as place from information_schema.columns c
      where c.table_name = any (${audited.map(({ name }) => name)}) and (c.data_type = 'bytea' or c.column_name ~ 'secret|token|password|hash|sealed|body')`;
    const leftOut = audited.flatMap(({ name, columns }) =>
      Object.entries(columns).flatMap(([column, { secret }]) => (secret ? [`${name}.${column}`] : [])),
    );
    expect(rows.map(({ place }) => place).filter((place) => !leftOut.includes(place))).toEqual([]);
    expect(leftOut).toContain('api_keys.key_hash');
  });
});

it('no entry is written except by an edit', async () => {
  await expect(
    hand.sql(`select record_hand_edit($1, 'update', 'products', 1, '[]', false, null, null)`, [location]),
  ).rejects.toMatchObject({ code: 'CM008' });
});
