import { newId } from '@comanda/db';
import { beforeEach, describe, expect, it, test } from 'vitest';
import { StockSyncResult } from '../../packages/api/src/resources/stock/schema.ts';
import { dataOf, refusalOf } from '../support/answers.ts';
import { type Call, useApi } from '../support/api.ts';
import { orderBody, postOrder } from '../support/orders.ts';
import { useNewPlace } from '../support/place.ts';

const api = useApi();
const site = useNewPlace(api, { key: { maxItemsPerBatch: 4 } });
let a: string;
let b: string;

beforeEach(async () => {
  const stock = { quantity: 5, minStockAlarm: 2, enabled: false };
  a = await site.make.product({ sku: 'a', externalId: 'x-a', stock });
  b = await site.make.product({ sku: 'b', externalId: 'x-b' });
  await captured();
});

const call = (items: unknown, more: object = {}, options: Call = {}) =>
  site.rest('POST /v2/stock/sync', { body: { items, ...more }, ...options });
const sync = async (items: unknown, more: object = {}) =>
  dataOf(await call(items, more), 200, StockSyncResult);

async function stockOf(productId: string) {
  const answer = await site.rest<{ data?: unknown }>(`GET /v1/products/${productId}/stock`);
  return answer.body.data;
}

/** The changes captured at the location since the last call. */
async function captured(): Promise<string[]> {
  const rows = await api.sql<
    Record<'what', string>
  >`with gone as (delete from internal.captured_changes where location_id = ${site.locationId} returning *)
    select concat_ws(' ', resource, operation, resource_id, array_to_string(changed, ',')) as what
    from gone, unnest(resource_ids) as resource_id`;
  return rows.map(({ what }) => what.trim()).sort();
}

const success = (total: number) => ({
  total_items: total,
  success_items: total,
  failed_items: 0,
  errors: [],
});

describe('POST /v2/stock/sync', () => {
  it.each([
    ['product_id', () => ({ product_id: a })],
    ['external_id', () => ({ external_id: 'x-a' })],
    ['sku', () => ({ sku: 'a' })],
  ])('names a product by %s and keeps what is left out', async (_, name) => {
    expect(await sync([{ ...name(), quantity: 7.125 }])).toEqual(success(1));
    expect(await stockOf(a)).toEqual({ enabled: false, quantity: 7.125, min_stock_alarm: 2 });
    expect(await captured()).toEqual([`stock update ${a} quantity`]);
  });

  it('sets what is given, and makes a record where there is none', async () => {
    const items = [
      { sku: 'a', quantity: 0, enabled: true, min_stock_alarm: 0 },
      { external_id: 'x-b', quantity: 3 },
    ];
    expect(await sync(items)).toEqual(success(2));
    expect(await stockOf(a)).toEqual({ enabled: true, quantity: 0, min_stock_alarm: 0 });
    expect(await stockOf(b)).toEqual({ enabled: true, quantity: 3, min_stock_alarm: 0 });
    const update = `stock update ${a} enabled,quantity,min_stock_alarm`;
    expect(await captured()).toEqual([`stock insert ${b}`, update].sort());
  });

  it('publishes nothing that is equal already, and leaves updated_at', async () => {
    const updatedAt = () => api.prisma.productStock.findFirstOrThrow({ where: { productId: a } });
    const before = await updatedAt();
    expect(await sync([{ sku: 'a', quantity: 5 }])).toEqual(success(1));
    expect(await updatedAt()).toEqual(before);
    expect(await captured()).toEqual([]);
  });

  it('fails the items of unknown products alone, each by its index', async () => {
    const foreign = await api.make.product();
    const named = [
      { product_id: foreign },
      { sku: 'a' },
      { product_id: 'no id' },
      { external_id: 'unknown' },
    ];
    const missing = (index: number, name: string) => ({
      index,
      code: 'resource_not_found',
      message: `There is no product with ${name}.`,
    });
    expect(await sync(named.map((name) => ({ ...name, quantity: 1 })))).toEqual({
      total_items: 4,
      success_items: 1,
      failed_items: 3,
      errors: [
        missing(0, `product_id ${foreign}`),
        missing(2, 'product_id no id'),
        missing(3, 'external_id unknown'),
      ],
    });
    expect(await captured()).toEqual([`stock update ${a} quantity`]);
  });

  const twice = [{ external_id: 'x-a' }, { sku: 'a' }].map((name) => ({ ...name, quantity: 1 }));
  test.each<[string, unknown]>([
    ['items: ', undefined],
    ['items: ', []],
    ['items: ', {}],
    ['items[0]: ', [{ quantity: 1 }]],
    ['items[0].sku: ', [{ external_id: 'x-a', sku: 'a', quantity: 1 }]],
    ['items[1].quantity: ', [{ sku: 'a', quantity: 1 }, { sku: 'b' }]],
    ['items[0].quantity: ', [{ sku: 'a', quantity: -1 }]],
    ['items[0].quantity: ', [{ sku: 'a', quantity: 0.0001 }]],
    ['items[0].quantity: ', [{ sku: 'a', quantity: '1' }]],
    ['items[0].enabled: ', [{ sku: 'a', quantity: 1, enabled: 'yes' }]],
    ['items[0].min_stock_alarm: ', [{ sku: 'a', quantity: 1, min_stock_alarm: null }]],
    ['items[0].sku: ', [{ sku: '', quantity: 1 }]],
    ['items[1].sku: is the same as items[0].sku', ['a', 'a'].map((sku) => ({ sku, quantity: 1 }))],
    ['items[1].sku: is the same as items[0].sku', ['z', 'z'].map((sku) => ({ sku, quantity: 1 }))],
    ['items[1].sku: names the same product as items[0]', twice],
  ])('refuses the whole batch, counts no job and changes nothing: %s', async (message, items) => {
    const answer = await call(items);
    expect(refusalOf(answer, 422, 'validation_error')).toContain(message);
    expect(answer.headers.get('x-ratelimit-batch-remaining')).toBe('30');
    expect(await captured()).toEqual([]);
  });

  it('holds at most max_items_per_batch items', async () => {
    const items = Array.from({ length: 5 }, (_, n) => ({ sku: `s-${n}`, quantity: 1 }));
    expect(refusalOf(await call(items), 422, 'validation_error')).toContain('at most 4 items');
    expect((await sync(items.slice(1))).failed_items).toBe(4);
  });

  it('counts a batch job, and refuses the one over the limit', async () => {
    const limited = await site.make.key({ batchJobsPerHour: 1 });
    const first = await call([{ sku: 'a', quantity: 1 }], {}, { key: limited.key });
    expect(first.headers.get('x-ratelimit-batch-remaining')).toBe('0');
    const second = await call([{ sku: 'a', quantity: 2 }], {}, { key: limited.key });
    refusalOf(second, 429, 'rate_limited');
    expect(second.headers.get('retry-after')).toMatch(/^\d+$/);
    expect(await stockOf(a)).toMatchObject({ quantity: 1 });
  });
});

describe('dry_run', () => {
  it('answers what would be changed field by field, changes nothing and counts no batch job', async () => {
    const items = [
      { sku: 'a', quantity: 6, enabled: true },
      { sku: 'unknown', quantity: 1 },
      { sku: 'b', quantity: 3 },
    ];
    const answer = await call([...items, { external_id: newId(), quantity: 1 }], { dry_run: true });
    const result = dataOf(answer, 200, StockSyncResult);
    expect(result).toMatchObject({ total_items: 4, success_items: 2, failed_items: 2, dry_run: true });
    expect(result.changes).toEqual([
      {
        index: 0,
        product_id: a,
        action: 'updated',
        changes: [
          { field: 'enabled', before: false, after: true },
          { field: 'quantity', before: 5, after: 6 },
        ],
      },
      {
        index: 2,
        product_id: b,
        action: 'created',
        changes: [
          { field: 'enabled', after: true },
          { field: 'quantity', after: 3 },
          { field: 'min_stock_alarm', after: 0 },
        ],
      },
    ]);
    expect(answer.headers.get('x-ratelimit-batch-remaining')).toBe('30');
    expect(await captured()).toEqual([]);
    expect(await stockOf(b)).toBeUndefined();
  });

  it('says of what is equal that it would be left', async () => {
    const { changes } = await sync([{ sku: 'a', quantity: 5 }], { dry_run: true });
    expect(changes).toEqual([{ index: 0, product_id: a, action: 'unchanged', changes: [] }]);
  });

  it('refuses what the real one refuses', async () => {
    const items = [{ external_id: 'x-a' }, { sku: 'a' }].map((name) => ({ ...name, quantity: 1 }));
    refusalOf(await call(items, { dry_run: true }), 422, 'validation_error');
    refusalOf(await call([{ sku: 'a', quantity: 1 }], { dry_run: 'yes' }), 422, 'validation_error');
  });
});

test('batches that name the same products in opposite orders, while orders arrive, cause no deadlock and lose nothing', async () => {
  const paymentMethodId = await site.make.paymentMethod();
  const full = { quantity: 1_000, enabled: true, min_stock_alarm: 2 };
  const start = [a, b].map((product_id) => ({ product_id, ...full }));
  await sync(start);
  const batches = Array.from({ length: 12 }, (_, n) => call(n % 2 === 0 ? start : start.toReversed()));
  const orders = Array.from({ length: 12 }, (_, n) => {
    const items = (n % 2 === 0 ? [a, b] : [b, a]).map((product_id) => ({ product_id, quantity: 1 }));
    return postOrder(site, orderBody({ productId: a, paymentMethodId }, { items }));
  });
  for (const answer of await Promise.all(batches)) expect(answer.status, answer.text).toBe(200);
  for (const answer of await Promise.all(orders)) expect(answer.status, answer.text).toBe(201);
  const left = await Promise.all([a, b].map(stockOf));
  // After any order of the two: the quantity that the batch set, less the orders after it, the same of both.
  expect(left[0]).toEqual(left[1]);
});
