import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot, type rows } from '@comanda/db';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { keylessOf } from '../../packages/api/src/request/keyless.ts';
import { productColumns } from '../../packages/api/src/resources/products/fields.schema.ts';
import { appRouter } from '../../packages/api/src/router.ts';
import { tableAccess } from '../../packages/db/src/roles/access.ts';
import { rules } from '../../packages/worker/src/relay/rules.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { operations } from '../support/documented.ts';
import { ownTables } from '../support/tables.ts';

// ARCHITECTURE says which places a new resource and a new field need. What the compiler cannot miss of them is looked for here:
// a test for each place, named after its file.

let database: TestDatabase;
let client: pg.Client;
beforeAll(async () => {
  database = await createTestDatabase();
  client = new pg.Client({ connectionString: database.url });
  await client.connect();
});
afterAll(async () => {
  await client.end();
  await database.drop();
});

test('prisma/sql/watched.sql has a row for every table, or packages/db/src/roles/access.ts says who writes it', async () => {
  const known = tableAccess().map(({ table }) => table);
  const tables = (await ownTables(client)).map(({ sql }) => sql.replace(/^public\./, ''));
  expect(tables.filter((table) => !known.includes(table))).toEqual([]);
});

test('packages/api/src/resources/events/types.schema.ts has the events of every resource that is told, or relay/rules.ts what becomes of it', async () => {
  const { rows: told } = await client.query<{ name: string }>(
    // A product's links are a part of it.
    `select distinct told_as as name from watched() where told_as is not null and told_as <> 'product_categories'`,
  );
  expect(told.filter(({ name }) => rules[name] === undefined)).toEqual([]);
  expect(told.length).toBeGreaterThan(8);
});

test('packages/api/src/router.ts has every resource that has a router', () => {
  const folder = join(repositoryRoot, 'packages/api/src/resources');
  const folders = readdirSync(folder).filter((name) => readdirSync(join(folder, name)).includes('router.ts'));
  const routed = new Set([...operations, ...keylessOf(appRouter)].map(({ name }) => name.split('.')[0]));
  const named = (name: string) => name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
  expect(folders.filter((name) => !routed.has(named(name)))).toEqual([]);
});

test('prisma/sql/watched.sql tells every column of products/fields.schema.ts', async () => {
  // That each stands in prisma/schema.prisma, the compiler holds.
  const columns: Snake<keyof rows.Product & string>[] = productColumns;
  const told = await toldOfProducts();
  expect(columns.filter((name) => !told.includes(name))).toEqual([]);
});

test('packages/api/src/resources/products/fields.schema.ts has every column of products that is told', async () => {
  const fields: string[] = [...productColumns, 'external_id'];
  expect((await toldOfProducts()).filter((name) => !fields.includes(name))).toEqual([]);
});

type Snake<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${Snake<Rest>}`
  : '';

async function toldOfProducts(): Promise<string[]> {
  const answer = await client.query<{ columns: string }>(
    `select translate(columns, '*^!', '') as columns from watched() where relation = 'products'`,
  );
  return (answer.rows[0]?.columns ?? '').split(' ');
}
