import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { migrate } from '../../packages/db/src/migrate.ts';
import { repositoryRoot } from '../../packages/db/src/root.ts';
import { createEmptyDatabase, type TestDatabase } from '../support/database.ts';
import { schemaDifference } from '../support/schema-engine.ts';
import { runOnce } from '../support/server.ts';

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
