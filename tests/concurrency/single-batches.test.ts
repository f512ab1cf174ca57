import { beforeAll, describe, expect, it } from 'vitest';
import { category, product } from '../api/catalog-bodies.ts';
import { useApi } from '../support/api.ts';

const api = useApi();
beforeAll(async () => {
  await sync([category('drinks', [product('tea', { sku: 'tea', stock: { enabled: true, quantity: 1 } })])]);
});

const sync = async (categories: unknown) =>
  (await api.rest('POST /v2/catalog/sync', { body: { categories } })).status;
const setStock = (quantity: number) =>
  api.rest('POST /v2/stock/sync', { body: { items: [{ sku: 'tea', quantity }] } });
async function stocked(): Promise<number | undefined> {
  const rows = await api.sql<{ quantity: number }>`
    select quantity::int from product_stock where location_id = ${api.locationId}`;
  return rows[0]?.quantity;
}

/** Does it while a transaction that has run the statement is left open. */
async function beside<Result>(text: string, work: () => Promise<Result>): Promise<Result> {
  const holder = await api.app.database.pool.connect();
  try {
    await holder.query('begin');
    await holder.query(text, [api.locationId]);
    return await work();
  } finally {
    await holder.query('rollback');
    holder.release();
  }
}

describe('a batch of one item', () => {
  it('is a single write: it waits for no other batch of its location', async () => {
    const batch = 'select hold_bulk_writes($1)';
    expect((await beside(batch, () => setStock(7))).status).toBe(200);
    expect(await stocked()).toBe(7);
    expect(await beside(batch, () => sync([category('drinks', [], { name: 'Cold drinks' })]))).toBe(200);
  });

  it('with others of the same item leaves the values of one of them, and counts each', async () => {
    const numbers = [11, 12, 13, 14, 15, 16];
    const answers = await Promise.all(numbers.map(setStock));
    expect(answers.map(({ status }) => status)).toEqual(numbers.map(() => 200));
    expect(numbers).toContain(await stocked());
    const left = answers.map(({ headers }) => headers.get('x-ratelimit-batch-remaining'));
    expect(new Set(left).size).toBe(numbers.length);
  });
});

describe('a category that gets another name', () => {
  it('leaves the stock of its products to concurrent orders', async () => {
    const held = 'select from product_stock where location_id = $1 for update';
    expect(await beside(held, () => sync([category('drinks', [], { name: 'Hot drinks' })]))).toBe(200);
  });
});
