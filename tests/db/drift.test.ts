import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { migrate } from '../../packages/db/src/migrations/migrate.ts';
import { repositoryRoot } from '../../packages/db/src/root.ts';
import { collated } from '../../scripts/migration/collated.ts';
import { createEmptyDatabase, type TestDatabase } from '../support/database.ts';
import { schemaDifference } from '../support/schema-engine.ts';
import { runOnce } from '../support/server.ts';
import { sqlAt } from '../support/sql.ts';

const schema = readFileSync(join(repositoryRoot, 'prisma', 'schema.prisma'), 'utf8');

let database: TestDatabase;

beforeEach(async () => {
  database = await createEmptyDatabase();
  await migrate(database.url);
});

afterEach(() => database.drop());

test('the migrations make the database that schema.prisma describes', async () => {
  expect(await schemaDifference(database.url, schema)).toBe('');
});

// One change of every kind that the comparison is trusted with, and what it says about it.
test.each([
  ['a column too many', 'alter table orders add column surprise integer', 'DROP COLUMN "surprise"'],
  ['a column too few', 'alter table orders drop column identifier cascade', 'ADD COLUMN     "identifier"'],
  ['a column of another type', 'alter table order_items alter column comment type char(9)', '"comment"'],
  ['a table too many', 'create table surprise (id integer primary key)', 'DROP TABLE "surprise"'],
  ['an index too many', 'create index surprise on orders (identifier)', 'DROP INDEX "surprise"'],
  ['an enum value too many', `alter type order_status add value 'lost'`, 'order_status'],
])('%s is reported', async (_, change, report) => {
  await runOnce(database.url, change);
  expect(await schemaDifference(database.url, schema)).toContain(report);
});

test('what npm run migration writes gives every new column of text the collation "C"', async () => {
  const model = `model Surprise {
    id    Int @id
    name  String
    short String @db.VarChar(20)
    many  String[]
    @@map("surprises")
    @@schema("public")
  }`;
  const changed = schema.replace('model Product {', 'model Product {\n  surprise String?').concat(model);
  await runOnce(database.url, collated(await schemaDifference(database.url, changed)));
  expect(await schemaDifference(database.url, changed)).toBe('');
  expect(await uncollatedColumns(database.url)).toEqual([]);
});

test('every column of text has the collation "C": what sorts by it depends on no server', async () => {
  expect(await uncollatedColumns(database.url)).toEqual([]);
  await runOnce(database.url, 'alter table orders add column surprise text');
  expect(await uncollatedColumns(database.url)).toEqual(['public.orders.surprise']);
});

test('every table with updated_at is touched by every writer of a row', async () => {
  expect(await untouchedTables(database.url)).toEqual([]);
  await runOnce(database.url, 'create table surprise (id int, updated_at timestamptz)');
  expect(await untouchedTables(database.url)).toEqual(['surprise']);
});

/** The columns of text of our tables that sort otherwise. */
const uncollatedColumns = (url: string): Promise<string[]> =>
  namesIn(
    url,
    `select format('%s.%s.%s', n.nspname, c.relname, a.attname) as name
     from pg_attribute a join pg_class c on c.oid = a.attrelid join pg_namespace n on n.oid = c.relnamespace
     where c.relkind = 'r' and n.nspname in ('public', 'internal') and c.relname <> '_prisma_migrations'
       and a.attnum > 0 and not a.attisdropped and a.attcollation not in (0, '"C"'::regcollation) order by 1`,
  );

const untouchedTables = (url: string): Promise<string[]> =>
  namesIn(
    url,
    `select c.relname as name from pg_attribute a join pg_class c on c.oid = a.attrelid
     where c.relkind = 'r' and a.attname = 'updated_at' and c.relnamespace in ('public'::regnamespace, 'internal'::regnamespace)
       and not exists (select from pg_trigger t where t.tgrelid = c.oid and t.tgname = 'touch' and t.tgenabled = 'O'
         and t.tgfoid = 'touch_updated_at'::regproc) order by 1`,
  );

const namesIn = async (url: string, text: string): Promise<string[]> =>
  (await sqlAt(url)<{ name: string }>(text)).map(({ name }) => name);
