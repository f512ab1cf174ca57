import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { repositoryRoot } from '../../packages/db/src/root.ts';

const read = (name: string) => readFileSync(join(repositoryRoot, 'docs', name), 'utf8');
const rowsOf = (text: string) =>
  text
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
const numberOf = (cell = '') => Number(/[\d.,]+/.exec(cell)?.[0].replaceAll(',', ''));

const scaling = rowsOf(read('scaling.md'));
const page = rowsOf(read('operations/sizing.md'));
/** Bytes of an order in a table, as scaling has it. */
const bytesOf = (table: string) => numberOf(scaling.find(([name]) => name === table)?.[3]);

const kept = bytesOf('orders, items, payments, moves');
const passing = bytesOf('events') + bytesOf('webhook_deliveries') + bytesOf('webhook_attempts');
const repeats = bytesOf('idempotency_keys');
/** Of an order: what a row of the page is computed from, in its unit. */
const gigabytes: Record<string, number> = {
  'orders of a year, kept for good': (kept * 365) / 1e9,
  'events, deliveries, attempts of 32 days': (passing * 32) / 1e9,
  'answers kept for repeats, 7 days': (repeats * 7) / 1e9,
  'rows written a day': (kept + passing + repeats) / 1e9,
  // A creation, two moves, and an attempt for each of nine webhooks.
  'lines of log a day, from orders alone': 12,
};

test.each(Object.entries(gigabytes))('%s are those of the bytes that were measured', (name, each) => {
  const cells = page.find(([first]) => first === name)?.slice(1) ?? [];
  expect(cells).toHaveLength(3);
  for (const [index, cell] of cells.entries()) {
    const exact = each * 1_000 * 10 ** index;
    // The page has one or two digits.
    expect(Math.abs(numberOf(cell) - exact), `${cell} and ${exact}`).toBeLessThanOrEqual(exact * 0.2);
  }
});

test('connections are those of the processes that the page takes', () => {
  const cells = (name: string) =>
    page
      .find(([first]) => first === name)
      ?.slice(1)
      .map(numberOf) ?? [];
  const [apis, workers] = [cells('API processes'), cells('workers')];
  expect(cells('connections to PostgreSQL at most')).toEqual(
    apis.map((api, index) => api * 26 + (workers[index] ?? 0) * 25),
  );
  for (const [index, most] of cells('`max_connections`').entries())
    expect(most).toBeGreaterThan(cells('connections to PostgreSQL at most')[index] ?? 0);
});
