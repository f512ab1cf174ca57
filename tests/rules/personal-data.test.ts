import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { eraseAnswers, eraseCopies } from '../../packages/api/src/resources/orders/erase.statements.ts';
import type { Catalog } from '../../packages/db/src/made/catalog.ts';
import { erasureSql } from '../../packages/db/src/made/erasure.ts';
import { repositoryRoot } from '../../packages/db/src/root.ts';
import { copiedColumns } from '../../packages/db/src/tables/erased.ts';
import { tableNamed, tables } from '../../packages/db/src/tables/index.ts';
import type { Column, Table } from '../../packages/db/src/tables/table.ts';
import { documentsWithRows, withRowTables } from '../../scripts/docs/row-tables.ts';

test.each(documentsWithRows)(
  '%s says of the tables what packages/db/src/tables does: npm run docs',
  (file) => {
    const text = readFileSync(join(repositoryRoot, file), 'utf8');
    expect(text).toBe(withRowTables(file, text));
  },
);

const copies = tables.flatMap((table) =>
  copiedColumns(table).map((column) => ({ table: table.name, column })),
);

test.each(copies)(
  'packages/api/src/resources/orders/erase.statements.ts erases the copies in $column of $table',
  ({ table, column }) => {
    const erasures: Readonly<Record<string, { text: string }>> = { ...eraseCopies, ...eraseAnswers };
    expect(erasures[table]?.text).toMatch(new RegExp(`\\b${column} = `));
  },
);

it('copies are looked for in more than one table', () => {
  expect(new Set(copies.map(({ table }) => table)).size).toBeGreaterThan(4);
});

describe('a personal column is refused when erased() would not find it, or find more', () => {
  it.each([
    {
      why: 'it is no text',
      row: withColumn('orders', 'birthday', 'null'),
      type: 'jsonb',
      says: 'orders.birthday is of type jsonb, and only text can be erased',
    },
    {
      why: 'no order reaches it',
      row: withColumn('turns', 'note', 'null'),
      says: 'comanda erase --order does not reach turns.note',
    },
    {
      why: 'it is published under an id of its own',
      row: withColumn('payments', 'note', 'empty'),
      says: 'comanda erase --order does not reach payments.note',
    },
    {
      why: 'another column has its name',
      row: withColumn('orders', 'name', 'empty'),
      says: 'orders.name is erased by its name, which order_items.name has too',
    },
  ])('$why', ({ row, type = 'text', says }) => {
    const rows = tables.map((table) => (table.name === row.name ? row : table));
    expect(() => erasureSql(rows, catalog(rows, type))).toThrow(says);
  });

  it('and its name is among those of erased() otherwise', () => {
    const row = withColumn('orders', 'phone', 'null');
    const rows = tables.map((table) => (table.name === row.name ? row : table));
    expect(erasureSql(rows, catalog(rows, 'text'))).toMatch(/"\([\w|]*\bphone\b[\w|]*\)":/);
  });
});

function withColumn(name: string, column: string, erasedTo: 'empty' | 'null'): Table {
  const table = tableNamed(name);
  const personal: Column = { personal: { what: 'of a test', erasedTo } };
  return { ...table, columns: { ...table.columns, [column]: personal } };
}

/** All columns are text, except for those of a type of their own. */
function catalog(rows: readonly Table[], type: string): Catalog {
  const known = new Set(
    tables.flatMap((table) => Object.keys(table.columns).map((column) => `${table.name}.${column}`)),
  );
  return {
    columns: rows.flatMap((table) =>
      Object.keys(table.columns).map((name) => ({
        table: table.name,
        name,
        notNull: false,
        type: known.has(`${table.name}.${name}`) ? 'text' : type,
      })),
    ),
    foreignKeys: [],
    keys: {},
  };
}
