import { beforeAll, describe, expect, it, test } from 'vitest';
import { type StockEntry, StockPage } from '../../packages/api/src/resources/stock/schema.ts';
import { refusalOf } from '../support/answers.ts';
import { useApi } from '../support/api.ts';
import { runOnce } from '../support/server.ts';
import { parseStrict } from '../support/strict.ts';
import { words } from '../support/words.ts';

const api = useApi();
const ids: Record<string, string> = {};
const moments = ['2026-01-01T10:00:00.001Z', '2026-01-01T10:00:00.002Z', '2026-01-01T10:00:00.002Z'];

beforeAll(async () => {
  const { locationId } = api;
  for (const sku of ['a', 'b', 'c']) {
    const stock = { quantity: 1.125, minStockAlarm: 2, enabled: sku !== 'b' };
    ids[sku] = await api.make.product({ locationId, sku, stock, ...(sku === 'a' && { externalId: 'x-a' }) });
  }
  await api.make.product({ locationId, sku: 'without', name: 'No record' });
  await api.make.product({ locationId: await api.make.location(), stock: { quantity: 9 } });
  await setMoments();
});

/** updated_at moves by itself; here it is fixed for the tests. */
async function setMoments(): Promise<void> {
  await runOnce(api.databaseUrl, 'alter table product_stock disable trigger touch');
  for (const [index, sku] of ['b', 'a', 'c'].entries()) await setMoment(sku, moments[index] ?? '');
  await runOnce(api.databaseUrl, 'alter table product_stock enable trigger touch');
}

const setMoment = (sku: string, moment: string) =>
  api.pool.query('update product_stock set updated_at = $1 where product_id = $2', [moment, ids[sku]]);

async function list(query = '') {
  const answer = await api.rest(`GET /v2/stock${query}`);
  expect(answer.status, answer.text).toBe(200);
  return parseStrict(StockPage, answer.body);
}
const skus = (entries: StockEntry[]) => entries.map(({ sku }) => sku);

describe('GET /v2/stock', () => {
  it('lists the products that have a stock record, by its last change, then id', async () => {
    const { data, pagination } = await list();
    expect(skus(data)).toEqual(['b', 'a', 'c']);
    expect(pagination).toEqual({ limit: 50, offset: 0, total: 3 });
    expect(data[1]).toEqual({
      product_id: ids.a,
      external_id: 'x-a',
      sku: 'a',
      name: 'Flat White',
      stock: { enabled: true, quantity: 1.125, min_stock_alarm: 2 },
      updated_at: '2026-01-01T10:00:00.002+00:00',
    });
  });

  it('pages with an exact total, also past the end', async () => {
    const pages = await Promise.all([0, 1, 2, 3].map((offset) => list(`?limit=1&offset=${offset}`)));
    expect(pages.map(({ data }) => skus(data))).toEqual([['b'], ['a'], ['c'], []]);
    expect(pages.map(({ pagination }) => pagination.total)).toEqual([3, 3, 3, 3]);
  });

  test.each([
    ['2026-01-01T10:00:00.002Z', ['a', 'c']],
    ['2026-01-01T07:00:00.001-03:00', ['b', 'a', 'c']],
    ['2026-01-01T10:00:00.003Z', []],
    ['2025-12-31T11:00:00.002-23:00', ['a', 'c']],
    ['0001-01-01T00:00:00+23:00', ['b', 'a', 'c']],
  ])('updated_since=%s includes that moment: %j', async (since, expected) => {
    const { data, pagination } = await list(`?updated_since=${encodeURIComponent(since)}`);
    expect(skus(data)).toEqual(expected);
    expect(pagination.total).toBe(expected.length);
  });

  it('shows a change at the moment of the change', async () => {
    const since = new Date(Date.now() - 1_000).toISOString();
    const body = { items: [{ sku: 'b', quantity: 7 }] };
    try {
      expect((await api.rest('POST /v2/stock/sync', { body })).status).toBe(200);
      expect(skus((await list(`?updated_since=${since}`)).data)).toEqual(['b']);
    } finally {
      await setMoments();
    }
  });

  test.each(
    words(`updated_since=yesterday updated_since=2026-01-01 updated_since=2026-01-01T10:00:00
      updated_since=2026-02-30T10:00:00Z limit=0 limit=201 offset=-1 limit=5&limit=5`),
  )('refuses ?%s and names the parameter', async (query) => {
    const message = refusalOf(await api.rest(`GET /v2/stock?${query}`), 422, 'validation_error');
    expect(message).toContain(`${query.split('=')[0]}: `);
  });
});
