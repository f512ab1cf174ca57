import { means, openDatabase, sqlState } from '@comanda/db';
import pg from 'pg';
import { expect, test } from 'vitest';
import { useTestDatabase } from '../support/database.ts';
import { createLocation } from '../support/factories.ts';
import { createManyOrders } from '../support/many-orders.ts';
import { withClient } from '../support/sql.ts';

// The errors that the running PostgreSQL reports, in any version, have the meaning that the table says.

const database = useTestDatabase();

const scene = `
  create temp table parents (id int primary key, name text unique, check (id > 0));
  create temp table children (parent int references parents on delete restrict);
  create temp table others (parent int references parents);
  insert into parents values (1, 'one'), (2, 'two');
  insert into children values (1);
  insert into others values (2);
`;

/** The SQLSTATE of what the statements end with, in a session of their own. */
async function stateOf(text: string): Promise<string | undefined> {
  try {
    await withClient(database.superuserUrl, async (client) => {
      await client.query(scene);
      await client.query(text);
    });
    return undefined;
  } catch (error) {
    return sqlState(error)?.code;
  }
}

const raise = (state: string) => `do $$ begin raise exception 'refused' using errcode = '${state}'; end $$`;

test.each([
  ['taken', `insert into parents values (3, 'one')`],
  ['referenced', 'insert into others values (9)'],
  ['referenced', 'delete from parents where id = 1'],
  ['referenced', 'delete from parents where id = 2'],
  ['tooLong', `create temp table codes (code char(3)); insert into codes values ('UYUU')`],
  ['constraint', 'insert into parents values (0)'],
  ['constraint', 'delete from parents where id = 1'],
  ['canceled', `set statement_timeout = '20ms'; select pg_sleep(5)`],
  ['readOnly', 'begin read only; create table gone (id int)'],
  ['goingDown', 'select pg_terminate_backend(pg_backend_pid())'],
  ['notGranted', 'create role plain; set role plain; create schema theirs'],
  ['undefinedObject', 'select from nowhere'],
  ['undefinedObject', 'select nothing_such()'],
  ['undefinedObject', 'drop role nobody_such'],
  ['undefinedObject', 'drop schema nowhere'],
  ['invalidParameter', `select now() at time zone 'Nowhere/Such'`],
  ['data', 'select 1 / 0'],
  ['data', `do $$ begin raise exception 'by itself'; end $$`],
  ['illegalMove', raise('CM001')],
  ['insufficientStock', raise('CM002')],
  ['externalIdTaken', raise('CM003')],
  ['guarded', raise('CM008')],
  ['notActive', raise('CM009')],
] as const)('%s is what PostgreSQL reports of: %s', async (meaning, text) => {
  const state = await stateOf(text);
  expect({ state, meant: means(state, meaning) }).toEqual({ state, meant: true });
});

test('a lock that does not come in time, a deadlock and a serialization failure have their meanings', async () => {
  const open = async () => {
    const client = new pg.Client({ connectionString: database.superuserUrl });
    await client.connect();
    return client;
  };
  const [one, other] = [await open(), await open()];
  await one.query('create table met (id int primary key, n int); insert into met values (1, 0), (2, 0)');
  const failed = (work: Promise<unknown>) => work.then(() => undefined, sqlState);
  await one.query('begin; update met set n = 1 where id = 1');
  const late = await failed(other.query(`set lock_timeout = '20ms'; update met set n = 2 where id = 1`));
  expect(means(late?.code, 'lockTimeout')).toBe(true);
  await other.query(`set lock_timeout = 0; begin; update met set n = 2 where id = 2`);
  const both = [
    failed(one.query('update met set n = 3 where id = 2')),
    failed(other.query('update met set n = 3 where id = 1')),
  ];
  const [dead] = (await Promise.all(both)).filter((state) => state !== undefined);
  expect(means(dead?.code, 'deadlocked') && means(dead?.code, 'collided', 'rolledBack')).toBe(true);
  for (const client of [one, other]) await client.query('rollback');
  for (const client of [one, other])
    await client.query('begin isolation level repeatable read; select from met');
  await one.query('update met set n = 4 where id = 1; commit');
  const torn = await failed(other.query('update met set n = 5 where id = 1'));
  expect(means(torn?.code, 'collided')).toBe(true);
  for (const client of [one, other]) await client.end();
});

test('a database that does not exist, and a role that has no connection left, have their meanings', async () => {
  const refusal = async (change: (url: URL) => void) => {
    const url = new URL(database.superuserUrl);
    change(url);
    const client = new pg.Client({ connectionString: url.href });
    return client.connect().then(() => undefined, sqlState);
  };
  const unknown = await refusal((url) => {
    url.pathname = '/nowhere_such';
  });
  expect(means(unknown?.code, 'loginRefused')).toBe(true);
  expect(means('53300', 'noConnectionLeft', 'exhausted') && means('57P03', 'starting', 'goingDown')).toBe(
    true,
  );
});

test('what means nothing to us, and what is no SQLSTATE, has no meaning', () => {
  expect(means(undefined, 'taken')).toBe(false);
  expect(means('23514', 'taken', 'referenced')).toBe(false);
  expect(means('42601', 'undefinedObject', 'notGranted')).toBe(false);
});

// A row removed with its parent causes no refusal; a row that stays does, and a caller that meets it in a race must know it.
test('the deletion of a row that a foreign key of the service keeps is refused with that meaning', async () => {
  const ours = openDatabase({ url: database.url });
  const locationId = await createLocation(ours);
  await createManyOrders(ours, { locationId, count: 1, from: '2026-01-01T00:00:00Z' });
  await ours.close();
  const client = new pg.Client({ connectionString: database.superuserUrl });
  await client.connect();
  // An order of a turn; past the guards, which have no say here.
  await client.query(`set session_replication_role = replica;
    insert into turns (location_id, batch_number) select id, 1 from locations;
    update orders o set turn_id = t.id from turns t where t.location_id = o.location_id;
    set session_replication_role = origin`);
  const { rows: keys } = await client.query<{ name: string; parent: string; child: string; columns: string }>(
    `select c.conname as name, c.confrelid::regclass::text as parent, c.conrelid::regclass::text as child,
       (select string_agg(format('p.%I = c.%I', p.attname, a.attname), ' and ')
        from unnest(c.confkey, c.conkey) k (parent, child)
        join pg_attribute p on p.attrelid = c.confrelid and p.attnum = k.parent
        join pg_attribute a on a.attrelid = c.conrelid and a.attnum = k.child) as columns
     from pg_constraint c where c.contype = 'f' and c.confdeltype in ('r', 'a') and c.connamespace in ('public'::regnamespace, 'internal'::regnamespace)`,
  );
  const met: string[] = [];
  for (const { name, parent, child, columns } of keys) {
    // A reference between resources of which there are no rows here is judged by tests/contract/references.test.ts.
    const { rowCount } = await client.query(`select from ${parent} p join ${child} c on ${columns} limit 1`);
    if (rowCount === 0) continue;
    met.push(`${child} ${parent}`);
    await client.query(`begin; select deed('repair: a test')`);
    const state = await client
      .query(`delete from ${parent} p where exists (select from ${child} c where ${columns})`)
      .then(({ rowCount }) => `${rowCount} deleted`)
      .catch((error: unknown) => sqlState(error)?.code);
    await client.query('rollback');
    expect({ name, state, meant: means(state, 'referenced') }).toEqual({ name, state, meant: true });
  }
  expect(met.toSorted()).toEqual([
    'locations internal.time_zones',
    'orders payment_methods',
    'orders turns',
    'payments payment_methods',
  ]);
  await client.end();
});
