import { describe, expect, it, onTestFinished, test } from 'vitest';
import { migrate } from '../../packages/db/src/migrations/migrate.ts';
import { tableAccess, viewsForPeople } from '../../packages/db/src/roles/access.ts';
import { useApi } from '../support/api.ts';
import { openHand, useHand } from '../support/by-hand.ts';
import { createProduct } from '../support/factories.ts';
import { createOrderKitchen, placeOrder } from '../support/orders.ts';
import { openAs, roleUrl } from '../support/roles.ts';
import { ownTables } from '../support/tables.ts';

const api = useApi();
const sessions = {
  owner: useHand(api),
  service: useHand(api, { role: 'service' }),
  admin: useHand(api, { role: 'admin' }),
  reader: useHand(api, { role: 'reader' }),
};
const as = (role: keyof typeof sessions) => sessions[role];

const denied = { code: '42501' };

test('every table has its line in the table of access', async () => {
  const tables = (await ownTables(api.pool)).map(({ sql }) => sql.replace(/^public\./, ''));
  expect(tableAccess.map(({ table }) => table).sort()).toEqual(tables.sort());
});

test('people see the tables that they have a line for and the views for people, and none of the schema internal', async () => {
  const seen = tableAccess.filter(({ reader }) => reader.includes('select')).map(({ table }) => table);
  for (const role of ['admin', 'reader'] as const) {
    const rows = await as(role).sql<{ table_name: string }>`
      select table_name from information_schema.tables where table_schema not in ('pg_catalog', 'information_schema')`;
    expect(rows.map(({ table_name }) => table_name).sort()).toEqual([...seen, ...viewsForPeople].sort());
    await expect(as(role).sql('select from internal.webhook_secrets')).rejects.toMatchObject(denied);
  }
});

describe('the service', () => {
  it.each([
    'create table public.surprise (id int)',
    'create table internal.surprise (id int)',
    'create schema surprise',
    'alter table orders add column surprise int',
    'alter table orders disable trigger user',
    'drop table orders',
    'truncate orders',
    'create trigger surprise before insert on orders execute function touch_updated_at()',
    'create or replace function by_service() returns boolean language sql as $$ select true $$',
    'create role surprise',
    `update internal.sql_releases set release = '9'`,
    'delete from events',
  ])('may not %s', async (sql) => {
    await expect(as('service').sql(sql)).rejects.toMatchObject(denied);
  });

  it('is known by its role, under any name of its session', async () => {
    const [row] = await as('service').sql('select by_service() as yes');
    expect(row).toEqual({ yes: true });
  });
});

describe('an admin', () => {
  it('is not taken for the service, under any name of the session', async () => {
    await as('admin').sql(`set application_name = 'comanda-api'`);
    const rows = await as('admin').sql('select by_service() as yes');
    expect(rows).toEqual([{ yes: false }]);
  });

  it('edits what is listed, and the edit is counted and captured', async () => {
    const id = await createProduct(api.app.database, { locationId: api.locationId });
    await as('admin').sql('update products set price = 9.5 where id = $1', [id]);
    const rows = await as('service').sql`
      select operation from internal.captured_changes where ${id} = any (resource_ids) and changed = '{price}'`;
    expect(rows).toEqual([{ operation: 'update' }]);
  });

  it('writes an order by hand, which gets its number', async () => {
    const kitchen = await createOrderKitchen(api);
    await as('admin').sql('begin');
    const rows = await as('admin').sql<{ id: string }>`
      insert into orders (location_id, payment_method_id) values (${api.locationId}, ${kitchen.paymentMethodId}) returning id`;
    await as('admin').sql`
      insert into order_items (location_id, order_id, product_id, quantity) values (${api.locationId}, ${rows[0]?.id}, ${kitchen.productId}, 1)`;
    await as('admin').sql('commit');
    const order = await as('reader').sql<{ number: number }>`
      select number from orders where id = ${rows[0]?.id}`;
    expect(order[0]?.number).toBeGreaterThan(0);
  });

  it.each([
    'update orders set updated_at = now()',
    'delete from locations',
    'delete from api_keys',
    'do $$ begin lock table events in share mode; end $$',
    'select from events for update',
    'delete from events',
    'insert into settlements select * from settlements',
    'update internal.location_counters set value = 7',
    'alter table orders disable trigger user',
    'select remove_old_audit(uuid_v7(), 1, 1)',
    'select empty_sandbox(uuid_v7(), 0, 1)',
    'create table public.mine (id int)',
  ])('may not %s', async (sql) => {
    await expect(as('admin').sql(sql)).rejects.toMatchObject(denied);
  });

  it("puts no function of the owner on a table of one's own", async () => {
    await expect(
      as('admin').sql(`create temporary table mine (location_id uuid, id uuid);
        create trigger t before delete on mine for each row execute function capture_last_state_orders()`),
    ).rejects.toMatchObject(denied);
  });

  it('passes no guard by a deed', async () => {
    await placeOrder(api, await createOrderKitchen(api));
    const admin = await openHand(api.databaseUrl, 'admin');
    onTestFinished(() => admin.close());
    await expect(
      admin.deed(
        'import: orders of 2019',
        `insert into orders (location_id, payment_method_id, number)
          select location_id, id, 77 from payment_methods limit 1`,
      ),
    ).rejects.toMatchObject({ code: 'CM008' });
  });
});

test.each(['admin', 'reader'] as const)('role %s reads every column of a key but its hash', async (role) => {
  const rows = await as('owner').sql<{ columns: string }>`
    select string_agg(attname, ', ') as columns from pg_attribute
    where attrelid = 'public.api_keys'::regclass and attnum > 0 and not attisdropped and attname <> 'key_hash'`;
  await as(role).sql(`select ${rows[0]?.columns} from api_keys`);
  for (const sql of ['select key_hash from api_keys', 'select * from api_keys', 'select k from api_keys k'])
    await expect(as(role).sql(sql)).rejects.toMatchObject(denied);
});

test('a reader writes nothing, under any settings of the session', async () => {
  await expect(as('reader').sql('delete from products')).rejects.toMatchObject({ code: '25006' });
  await as('reader').sql('set default_transaction_read_only = off');
  for (const sql of [
    'update products set price = 1',
    'delete from products',
    `insert into locations (name) values ('x')`,
    'create table public.mine (id int)',
  ])
    await expect(as('reader').sql(sql)).rejects.toMatchObject(denied);
});

describe('the next migration of the owner', () => {
  const prefix = () => new URL(api.databaseUrl).username.replace(/_service$/, '');
  const run = () => migrate(roleUrl(api.databaseUrl, 'owner'), { rolePrefix: prefix() });
  const may = async (role: 'admin' | 'service', privilege: string) =>
    (
      await as('owner').sql('select has_table_privilege($1, $2, $3) as yes', [
        `${prefix()}_${role}`,
        'public.events',
        privilege,
      ])
    )[0];

  it('takes back what was granted otherwise, and gives again what was taken', async () => {
    await as('owner').sql(`grant delete on events to ${prefix()}_admin`);
    await as('owner').sql(`revoke insert on events from ${prefix()}_service`);
    await run();
    expect(await may('admin', 'DELETE')).toEqual({ yes: false });
    expect(await may('service', 'INSERT')).toEqual({ yes: true });
  });

  it('leaves a column readable that was granted with its whole table besides', async () => {
    await as('owner').sql(`grant select on api_keys to ${prefix()}_admin`);
    await run();
    await as('admin').sql('select id, name from api_keys');
    await expect(as('admin').sql('select key_hash from api_keys')).rejects.toMatchObject(denied);
  });

  it('writes no privilege again that is as it should be', async () => {
    const state = async () =>
      await as(
        'owner',
      ).sql(`select md5(string_agg(oid || ' ' || xmin, ',' order by oid)) as state from pg_class
        where relnamespace in ('public'::regnamespace, 'internal'::regnamespace)`);
    const before = await state();
    await run();
    expect(await state()).toEqual(before);
  });
});

test('every function of a trigger has a search path of its own, and only what works for others runs as the owner', async () => {
  const rows = await as('owner').sql<{ name: string }>`
    select proname as name from pg_proc where pronamespace = 'public'::regnamespace
    and (prorettype = 'trigger'::regtype or prosecdef)
    and coalesce(proconfig::text, '') !~ 'search_path=public, internal, pg_temp'`;
  expect(rows).toEqual([]);
  const definers = await as('owner').sql<{ name: string }>`
    select proname as name from pg_proc where pronamespace = 'public'::regnamespace and prosecdef
    and prorettype <> 'trigger'::regtype order by 1`;
  expect(definers.map(({ name }) => name)).toEqual([
    'begin_undo',
    'edit_order',
    'empty_sandbox',
    'end_undo',
    // A guard's question about a table that hands may not read.
    'held_by_move',
    // It does nothing unless the service captures its own changes.
    'note_order_moves',
    'remove_old_audit',
    'remove_old_events',
  ]);
  // These ask by whose right the session writes; where it is not said that its user is meant.
  const asking = await as('owner').sql<{ name: string; prosecdef: boolean }>`
    select proname as name, prosecdef from pg_proc where pronamespace = 'public'::regnamespace and prosrc ~ 'deed_passes\\(TG_RELID, [^,)]*\\)'`;
  expect(asking.filter(({ prosecdef }) => prosecdef)).toEqual([]);
});

test('triggers work in a session that has no search path', async () => {
  const id = await createProduct(api.app.database, { locationId: api.locationId });
  const owner = await openAs(api.databaseUrl, 'owner');
  onTestFinished(() => owner.end());
  await owner.query(`set search_path = ''`);
  await owner.query('update public.products set price = 3 where id = $1', [id]);
  await owner.query(`delete from public.products where id = $1`, [id]);
  await owner.query(`insert into public.turns (location_id, batch_number) values ($1, 1)`, [api.locationId]);
  await owner.query(`update public.turns set status = 'closed' where location_id = $1`, [api.locationId]);
  await expect(
    owner.query('delete from public.turns where location_id = $1', [api.locationId]),
  ).rejects.toMatchObject({ code: 'CM008' });
});
