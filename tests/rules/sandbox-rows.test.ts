import { expect, it } from 'vitest';
import type { Catalog, ForeignKey } from '../../packages/db/src/made/catalog.ts';
import { sandboxSql } from '../../packages/db/src/made/sandbox.ts';
import { tables } from '../../packages/db/src/tables/index.ts';
import type { SandboxReset, Table } from '../../packages/db/src/tables/table.ts';

it('a reset empties a new table before what its rows name, and again after the lock of the turn where that is emptied then', () => {
  expect(emptied([of('invoices', 'emptied'), ...tables], [names('invoices', 'menus')])).toEqual([
    'orders',
    'invoices',
    'categories',
    'menus',
    'products',
    'lock',
    'orders',
    'payment_methods',
    'turns',
    'sync_jobs',
    'internal.idempotency_keys',
  ]);
  expect(
    emptied(
      [...tables, of('invoices', 'emptied twice')],
      [names('invoices', 'orders'), names('orders', 'turns')],
    ),
  ).toEqual([
    'invoices',
    'orders',
    'categories',
    'menus',
    'products',
    'lock',
    'invoices',
    'orders',
    'payment_methods',
    'turns',
    'sync_jobs',
    'internal.idempotency_keys',
  ]);
});

it('a part of rows that names others holds those like the rows themselves', () => {
  expect(emptied(tables, [names('subselection_items', 'menus')]).slice(0, 4)).toEqual([
    'orders',
    'categories',
    'products',
    'menus',
  ]);
});

it('a row that would still be named is refused before it is SQL', () => {
  expect(() =>
    emptied([...tables, of('invoices', { kept: 'a test' })], [names('invoices', 'products')]),
  ).toThrow('a reset of a sandbox cannot empty products: invoices names it, and is not emptied before');
  expect(() => emptied([...tables, of('invoices', 'emptied last')], [names('invoices', 'products')])).toThrow(
    'cannot empty products',
  );
  expect(() => emptied(tables, [names('menus', 'products'), names('products', 'menus')])).toThrow(
    'these name each other: menus, products',
  );
});

/** The emptied tables, in this order. */
function emptied(rows: readonly Table[], foreignKeys: readonly ForeignKey[]): (string | undefined)[] {
  const keys = Object.fromEntries(rows.map(({ name, key }) => [name, ['location_id', ...key]]));
  const catalog: Catalog = { columns: [], foreignKeys, keys };
  return [...sandboxSql(rows, catalog).matchAll(/DELETE FROM (\S+)|turn_lock/g)]
    .map(([, table]) => table ?? 'lock')
    .filter((name) => judged.has(name));
}

/** Tables with a declared place in these tests: another resource has one of its own. */
const judged = new Set([
  'lock',
  'invoices',
  'orders',
  'categories',
  'menus',
  'products',
  'payment_methods',
  'turns',
  'sync_jobs',
  'internal.idempotency_keys',
]);

const of = (name: string, sandbox: SandboxReset): Table => ({
  name,
  schema: 'public',
  key: ['id'],
  columns: { location_id: {}, id: {} },
  access: { service: [], people: 'none' },
  belongs: { sandbox },
});

function names(table: string, parent: string): ForeignKey {
  return { table, parent, columns: [], parentColumns: [], cascades: false };
}
