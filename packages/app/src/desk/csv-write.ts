import { type ComandaClient, comandaError, tagOf } from '@comanda/client';
import { type Category, type CsvCells, categoryIdsOf, cellsOf } from './csv-cells.ts';
import type { CsvChange } from './csv-products.ts';

/** The values that another person wrote since the difference was shown; nothing of the line is written then. */
export class ChangedSince extends Error {
  /** The present values of the columns that the line would change. */
  readonly now: string;
  constructor(now: string) {
    super(`changed since: ${now}`);
    this.now = now;
  }
}

const overtaken = new Set<string | undefined>(['stock_changed', 'changed_since']);

/**
 * Writes a line: makes its product, or changes the columns that differ. A repeat with the same `attempt` makes nothing twice. Throws
 * `ChangedSince` where one of these columns is another now, also when it changes while the write is on its way, and what the service refuses it with.
 */
export async function writeLine(
  comanda: ComandaClient,
  change: CsvChange,
  categories: readonly Category[],
  attempt: string,
  signal: AbortSignal,
): Promise<void> {
  for (;;) {
    try {
      return await (change.id === undefined
        ? make(comanda, change, categories, `${attempt} ${change.line}`)
        : update(comanda, { ...change, id: change.id }, categories));
    } catch (error) {
      const refused = comandaError(error);
      // Changed while the write was on its way: the next attempt reads it again, and shows what is there.
      if (overtaken.has(refused?.reason)) continue;
      if (refused?.reason !== 'minute_limit') throw error;
      // A long file is more than a minute allows: it goes on in the next.
      await pause(refused.retryAfterSeconds, signal);
    }
  }
}

async function make(
  comanda: ComandaClient,
  { after }: CsvChange,
  categories: readonly Category[],
  idempotencyKey: string,
): Promise<void> {
  const { external_id, sku, name, description, price, visible, stock } = after;
  await comanda.products.create.mutate({
    name,
    description,
    price: Number(price),
    visible: visible === 'yes',
    idempotencyKey,
    ...(external_id !== '' && { external_id }),
    ...(sku !== '' && { sku }),
    ...(stock !== '' && { stock: { enabled: true, quantity: Number(stock), min_stock_alarm: 0 } }),
    category_ids: categoryIdsOf(after.categories, categories),
  });
}

async function update(
  comanda: ComandaClient,
  { id, columns, before, after }: CsvChange & { id: string },
  categories: readonly Category[],
): Promise<void> {
  const there = await comanda.products.get.query({ id });
  const now = cellsOf(there, categories, '.');
  const differing = columns.filter((column) => now[column] !== before?.[column]);
  if (differing.length > 0)
    throw new ChangedSince(differing.map((column) => `${column}: ${now[column] || '–'}`).join(', '));
  const has = (column: keyof CsvCells) => columns.includes(column);
  const { external_id, sku, name, description, price, visible, stock } = after;
  await comanda.products.update.mutate({
    id,
    expected: tagOf(there),
    ...(has('external_id') && { external_id }),
    ...(has('sku') && { sku }),
    ...(has('name') && { name }),
    ...(has('description') && { description }),
    ...(has('price') && { price: Number(price) }),
    ...(has('visible') && { visible: visible === 'yes' }),
    ...(has('categories') && { category_ids: categoryIdsOf(after.categories, categories) }),
    ...(has('stock') && {
      stock_change: { enabled: true, quantity: Number(stock), expected: there.stock.quantity },
    }),
  });
}

const pause = (seconds: number, signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, seconds * 1_000);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
