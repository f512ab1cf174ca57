import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot, type rows } from '@comanda/db';
import { expect, test } from 'vitest';
import { keylessOf } from '../../packages/api/src/call/keyless.ts';
import { productColumns } from '../../packages/api/src/resources/products/fields.schema.ts';
import { appRouter } from '../../packages/api/src/router.ts';
import { tableNamed, tables } from '../../packages/db/src/tables/index.ts';
import type { ColumnsOf } from '../../packages/db/src/tables/table.ts';
import { rules } from '../../packages/worker/src/relay/rules.ts';
import { operations } from '../support/documented.ts';
import { resourceOfTable, tableReferredBy } from '../support/referred.ts';

// ARCHITECTURE says which places a new resource and a new field need. The places that the compiler does not check are checked here:
// a test for each place, named after its file.

/** The deletions of what fields refer to. */
const referred = [...new Set(tableReferredBy.values())].flatMap((table) => {
  const deletion = operations.find(({ name }) => name === `${resourceOfTable(table)}.delete`);
  const file = `packages/api/src/resources/${table.replaceAll('_', '-')}/router.ts`;
  return deletion === undefined ? [] : [{ file, deletion }];
});

test('packages/api/src/resources/events/types.schema.ts has the events of every published resource, or relay/rules.ts has its rule', () => {
  const published = new Set(tables.flatMap(({ published: row }) => row?.as ?? []));
  // A product's links are a part of it.
  published.delete('product_categories');
  expect([...published].filter((name) => rules[name] === undefined)).toEqual([]);
  expect(published.size).toBeGreaterThan(8);
});

test('packages/api/src/router.ts has every resource that has a router', () => {
  const folder = join(repositoryRoot, 'packages/api/src/resources');
  const folders = readdirSync(folder).filter((name) => readdirSync(join(folder, name)).includes('router.ts'));
  const routed = new Set([...operations, ...keylessOf(appRouter)].map(({ name }) => name.split('.')[0]));
  const named = (name: string) => name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
  expect(folders.filter((name) => !routed.has(named(name)))).toEqual([]);
});

test('packages/db/src/tables/products.ts publishes every column of products/fields.schema.ts', () => {
  // That prisma/schema.prisma has each, the compiler holds.
  const columns: ColumnsOf<rows.Product>[] = productColumns;
  expect(columns.filter((name) => !published('products').includes(name))).toEqual([]);
});

test('packages/api/src/resources/products/fields.schema.ts has every column of products that is published', () => {
  const fields: string[] = [...productColumns, 'external_id'];
  expect(published('products').filter((name) => !fields.includes(name))).toEqual([]);
});

for (const { file, deletion } of referred)
  test(`${file} says that a deletion can be a conflict`, () => {
    expect(deletion.meta.errors).toContain('conflict');
  });

const published = (table: string): string[] =>
  Object.entries(tableNamed(table).columns).flatMap(([name, column]) => (column.published ? [name] : []));
