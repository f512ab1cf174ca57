import { expect, it } from 'vitest';
import { belongings, ownRow } from '../../packages/db/src/tables/belongings.ts';
import { useDatabase, useTestDatabase } from '../support/database.ts';
import { sqlOf } from '../support/sql.ts';
import { ownTables } from '../support/tables.ts';

const own = useTestDatabase();
const database = useDatabase(own);

const sql = sqlOf(database);
const short = (table: string) => table.replace('internal.', '');

it('what a location has is every table that names a location or one of its keys', async () => {
  const named = [
    ...(await ownTables(database.pool, 'location_id')),
    ...(await ownTables(database.pool, 'api_key_id')),
  ];
  // The trace that a location left is not its own: it stays behind.
  expect([...belongings.map(({ table }) => short(table)), 'moved_locations'].toSorted()).toEqual(
    [...new Set(named.map(({ name }) => name))].toSorted(),
  );
});

it('parents are before their children, and each table removed with a parent has a foreign key that says so', async () => {
  const keys = await sql<Record<string, string>>`
    select conrelid::regclass::text as child, confrelid::regclass::text as parent, confdeltype as on_delete
    from pg_constraint where contype = 'f' and connamespace in ('public'::regnamespace, 'internal'::regnamespace)
      and conrelid <> confrelid`;
  const places = [ownRow, ...belongings].map(({ table }) => short(table));
  // How far its move is stays behind as well, until the location's row goes.
  const wrong = keys.filter(
    ({ child = '', parent = '' }) =>
      short(child) !== 'location_moves' &&
      places.includes(short(parent)) &&
      places.indexOf(short(parent)) > places.indexOf(short(child)),
  );
  expect(wrong).toEqual([]);
  const goes = (table: string): string[] =>
    keys
      .filter(({ parent = '', on_delete }) => short(parent) === table && on_delete === 'c')
      .flatMap(({ child = '' }) => [short(child), ...goes(short(child))]);
  for (const { table, goesWith } of belongings)
    if (goesWith !== undefined) expect(goes(short(goesWith)), table).toContain(short(table));
});

it('of each number that all locations share its sequence is named', async () => {
  const found = await sql<Record<string, string>>`
    select a.attrelid::regclass::text as name, a.attname as column from pg_attribute a
    join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
    where pg_get_expr(d.adbin, d.adrelid) like 'nextval%' and a.attrelid::regclass::text !~ '^graphile_worker'
      and exists (select from pg_attribute l where l.attrelid = a.attrelid and l.attname = 'location_id')`;
  const counted = belongings.flatMap(({ table, counted: columns }) =>
    columns.map(({ column }) => `${short(table)}.${column}`),
  );
  expect(counted).toEqual(
    expect.arrayContaining(found.map(({ name, column }) => `${short(name ?? '')}.${column}`)),
  );
});
