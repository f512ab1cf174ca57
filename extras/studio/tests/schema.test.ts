import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { tableAccess, viewsForPeople } from '../../../packages/db/src/roles/access.ts';
import { repositoryRoot } from '../../../packages/db/src/root.ts';
import { useHand } from '../../../tests/support/by-hand.ts';
import { useDatabase, useTestDatabase } from '../../../tests/support/database.ts';
import { roleUrl } from '../../../tests/support/roles.ts';
import { useClosed } from '../../../tests/support/use.ts';
import { bundleEdits, edited, holdsFor, readBundle } from '../src/bundle.ts';
import { openStudioDatabase } from '../src/database.ts';
import { deskLinks } from '../src/desk-links.ts';
import { arrows, hiddenColumns, hiddenTables, keptRows, lateColumns } from '../src/layout.ts';
import type { StudioTable } from '../src/schema.ts';

const own = useTestDatabase();
const service = useDatabase(own);
const admin = useHand(own, { role: 'admin' });
const asAdmin = useClosed(() =>
  openStudioDatabase({ url: roleUrl(own.url, 'admin'), name: 'ana', role: null, readOnly: false }),
);
const asReader = useClosed(() =>
  openStudioDatabase({ url: roleUrl(own.url, 'reader'), name: 'bob', role: null, readOnly: true }),
);

it('shows the tables and views for people, and none of the schema internal', async () => {
  const wanted = tableAccess
    .filter(({ table }) => !table.includes('.') && !hiddenTables.includes(table))
    .map(({ table }) => table);
  for (const database of [asAdmin, asReader])
    expect((await database.tables()).map(({ name }) => name).sort()).toEqual(
      [...wanted, ...viewsForPeople].sort(),
    );
});

it('names only tables and columns that are there', async () => {
  const tables = await asAdmin.tables();
  const there = tables.flatMap(({ name, columns }) => columns.map((column) => `${name}.${column.name}`));
  expect(there).toEqual(
    expect.arrayContaining([
      ...Object.keys(arrows),
      ...Object.values(arrows),
      ...lateColumns,
      ...Object.entries(deskLinks).flatMap(([at, id]) => [at, at.replace(/\w+$/, id)]),
    ]),
  );
  expect(there.filter((column) => hiddenColumns.includes(column))).toEqual([]);
});

it('opens no editor in a column that leads to the desk, else it would have no link', async () => {
  const opens = (await asAdmin.tables()).flatMap(({ name, columns }) =>
    columns.flatMap((one) => (one.computed || one.fixed ? [] : [`${name}.${one.name}`])),
  );
  expect(opens).toContain('products.price');
  expect(Object.keys(deskLinks).filter((column) => opens.includes(column))).toEqual([]);
});

it('puts what an admin looks for before ids', async () => {
  const tables = await asAdmin.tables();
  const orders = namesOf(tables, 'orders');
  expect(orders.slice(0, 5)).toEqual(['restaurant', 'number', 'external_id', 'status', 'total']);
  expect(
    orders.filter((name) => ['turn', 'payment_method', 'created_by_name', 'id'].includes(name)).at(-1),
  ).toBe('id');
  expect(namesOf(tables, 'product_categories').slice(0, 3)).toEqual(['restaurant', 'product', 'category']);
  expect(namesOf(tables, 'products').slice(0, 6)).toEqual([
    'restaurant',
    'external_id',
    'sku',
    'name',
    'description',
    'price',
  ]);
  expect(namesOf(tables, 'orders_today').slice(0, 4)).toEqual(['restaurant', 'number', 'status', 'total']);
  for (const { name, columns } of tables) {
    const kinds = columns.map((column) =>
      lateColumns.includes(`${name}.${column.name}`) ? 'late' : column.datatype === 'uuid' ? 'id' : 'useful',
    );
    expect(kinds, name).toEqual([...kinds].sort((a, b) => order.indexOf(a) - order.indexOf(b)));
  }
});
const order = ['useful', 'id', 'late'];

it('opens an editor in a row that is there for the columns of which the guide says so, and for no other', async () => {
  const guide = readFileSync(join(repositoryRoot, 'docs', 'admin.md'), 'utf8');
  const [, table = ''] = guide.split(/<!-- (?:end of )?edits of people/);
  const said = [...table.matchAll(/^\| `(\w+)` \| ([^|]+) \|/gm)].map(([, name = '', columns = '']) => [
    name,
    [...columns.matchAll(/\w+(?=`)/g)].map(([column]) => column).sort(),
  ]);
  expect(said.length).toBeGreaterThan(10);
  const tables = await asAdmin.tables();
  expect(said.map(([name]) => [name, editedOf(tables, String(name))])).toEqual(said);
});
const editedOf = (tables: StudioTable[], name: string) =>
  tables
    .find((table) => table.name === name)
    ?.columns.flatMap((column) => (column.computed || column.fixed ? [] : column.name))
    .sort();

it('leaves nothing behind for the next statement: no transaction, no setting', async () => {
  await asAdmin.run([{ sql: `set statement_timeout = '7s'; set comanda.deed = 'repair: by mistake'` }]);
  await asAdmin.run([{ sql: 'begin; select 1 / 0' }]);
  const sql = `select current_setting('comanda.deed', true) as deed, current_setting('statement_timeout') as patience`;
  for (let turn = 0; turn < 5; turn++)
    expect(await asAdmin.run([{ sql }])).toEqual({ rows: [[{ deed: '', patience: '30s' }]] });
});

it('gives every table and view a key, with which Studio distinguishes its rows', async () => {
  for (const { name, columns } of await asAdmin.tables()) {
    const key = columns.flatMap(({ pk }) => pk ?? []).sort();
    expect([name, key]).toEqual([name, key.map((_, index) => index + 1)]);
    expect(key.length, name).toBeGreaterThan(0);
  }
});

it('opens an editor for what the role may write, and for nothing of a view or of a Studio that only reads', async () => {
  const tables = await asAdmin.tables();
  const editable = (name: string) =>
    tables
      .find((table) => table.name === name)
      ?.columns.flatMap((column) => (column.computed ? [] : column.name));
  expect(editable('products')).toEqual(expect.arrayContaining(['name', 'price', 'visible', 'location_id']));
  expect(editable('products')).not.toContain('updated_at');
  for (const name of ['events', 'webhook_deliveries', 'audit_entries', ...viewsForPeople])
    expect(editable(name)).toEqual([]);
  for (const { columns } of await asReader.tables())
    expect(columns.every(({ computed }) => computed)).toBe(true);
});

it('leads by each foreign key to the column at the same place, and from every table to its restaurant', async () => {
  const tables = await asAdmin.tables();
  const led = tables.flatMap(({ name, columns }) =>
    columns.flatMap(({ name: column, fk_table, fk_column }) =>
      fk_table === null ? [] : `${name}.${column} → ${fk_table}.${fk_column}`,
    ),
  );
  const { rows } = await service.pool.query<{ arrow: string }>(
    `select format('%s.%s → %s.%s', c.conrelid::regclass, a.attname, c.confrelid::regclass, r.attname) as arrow
     from pg_constraint c cross join unnest(c.conkey, c.confkey) k (own, other)
     join pg_attribute a on a.attrelid = c.conrelid and a.attnum = k.own
     join pg_attribute r on r.attrelid = c.confrelid and r.attnum = k.other
     where c.contype = 'f' and c.connamespace = 'public'::regnamespace and a.attname <> 'location_id'
       and c.conrelid::regclass::text !~ '\\.' and c.confrelid::regclass::text !~ '\\.'`,
  );
  expect(rows.length).toBeGreaterThan(10);
  expect(led).toEqual(expect.arrayContaining(rows.map(({ arrow }) => arrow)));
  for (const { name } of tables.filter((table) => table.name !== 'locations'))
    expect(led, name).toContain(`${name}.location_id → locations.id`);
});

it('takes an amount of a domain for the number that it is', async () => {
  const total = (await asAdmin.tables())
    .find(({ name }) => name === 'orders')
    ?.columns.find(({ name }) => name === 'total');
  expect(total).toMatchObject({ datatype: 'numeric', datatype_schema: 'pg_catalog' });
});

it('deletes rows of the tables of which the guide says so, and of no other', async () => {
  const guide = readFileSync(join(repositoryRoot, 'docs', 'admin.md'), 'utf8');
  const [, table = ''] = guide.split(/<!-- (?:end of )?edits of people/);
  const said = [...table.matchAll(/^\| `(\w+)` \| [^|]+ \| (?<rows>[^|]+) \|/gm)];
  expect(said.length).toBeGreaterThan(10);
  const may = await admin.sql<{ name: string }>(
    `select name from unnest($1::text[]) name where has_table_privilege(name, 'delete')`,
    [said.map(([, name]) => name)],
  );
  const deleted = may.flatMap(({ name }) => (keptRows[name] === undefined ? [name] : []));
  expect(deleted).toEqual(
    said.flatMap(([, name, rows = '']) => (/^added, deleted|^deleted/.test(rows) ? name : [])),
  );
  expect(deleted).not.toContain('orders');
  expect(deleted).not.toContain('webhook_endpoints');
});

it('every edit of the page has its one place, in this version', () => {
  const { script, styles } = readBundle();
  for (const { gives, find, put } of bundleEdits)
    expect(script.split(put === '' ? find : put), gives).toHaveLength(put === '' ? 1 : 2);
  expect(styles).toContain('{');
  // Made twice, an edit finds no place, or two of them.
  expect(() => edited(script)).toThrow(
    /^Prisma's page has \d places for ".+": look at extras\/studio\/src\/bundle\.ts$/,
  );
});

it('does not serve the page of another version', () => {
  const home = mkdtempSync(join(tmpdir(), 'comanda-prisma-'));
  writeFileSync(join(home, 'package.json'), '{ "version": "7.99.0" }');
  expect(() => readBundle(home)).toThrow(
    `extras/studio/src/bundle.ts holds for prisma ${holdsFor}, and this is 7.99.0: look at its edits again`,
  );
  rmSync(home, { recursive: true });
});

it('is never called by a name in the URL, which could be that of the service', async () => {
  const url = `${own.url}?application_name=comanda-api`;
  const database = await openStudioDatabase({ url, name: 'ana', role: null, readOnly: false });
  const result = await database.run([{ sql: `select current_setting('application_name') as name` }]);
  await database.close();
  expect(result).toEqual({ rows: [[{ name: 'ana' }]] });
});

const namesOf = (tables: StudioTable[], name: string): string[] =>
  tables.find((table) => table.name === name)?.columns.map((column) => column.name) ?? [];
