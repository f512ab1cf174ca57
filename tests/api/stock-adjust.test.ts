import { newId } from '@comanda/db';
import { beforeEach, describe, expect, it } from 'vitest';
import { settledQuantity } from '../../packages/api/src/resources/stock/rules.ts';
import { Stock, StockSyncResult } from '../../packages/api/src/resources/stock/schema.ts';
import { dataOf, refusalOf } from '../support/answers.ts';
import { type Call, useApi } from '../support/api.ts';
import { createChance } from '../support/chance.ts';
import { orderBody, postOrder } from '../support/orders.ts';
import { useNewPlace } from '../support/place.ts';

const api = useApi();
const site = useNewPlace(api);
let product: string;

beforeEach(async () => {
  const stock = { quantity: 5, minStockAlarm: 2, enabled: true };
  product = await site.make.product({ sku: 'a', stock });
});

const sent = (items: object[], more: object = {}) =>
  site.rest('POST /v2/stock/sync', { body: { items, ...more } });
const sync = async (item: object, more?: object) =>
  dataOf(await sent([{ sku: 'a', ...item }], more), 200, StockSyncResult);
const adjust = (body: object, options: Call = {}, id = product) =>
  site.rest(`POST /v2/products/${id}/stock/adjust`, {
    body,
    headers: { 'idempotency-key': newId() },
    ...options,
  });
const left = async () => dataOf(await site.rest(`GET /v1/products/${product}/stock`), 200, Stock).quantity;
async function sell(quantity: number): Promise<number> {
  const paymentMethodId = await site.make.paymentMethod();
  const items = [{ product_id: product, quantity }];
  return (await postOrder(site, orderBody({ productId: product, paymentMethodId }, { items }))).status;
}

describe('a count that was read before five were sold', () => {
  it('sells ten of five when it is sent as the quantity alone', async () => {
    expect(await sell(5)).toBe(201);
    await sync({ quantity: 5 });
    expect(await sell(5)).toBe(201);
  });

  it('fails its item when it says what it expected', async () => {
    await sell(5);
    expect(await sync({ quantity: 5, expected: 5 })).toEqual({
      total_items: 1,
      success_items: 0,
      failed_items: 1,
      errors: [{ index: 0, code: 'conflict', message: 'There are 0, not 5.', quantity: 0 }],
    });
    expect(await sell(1)).toBe(422);
  });

  it('adds up when it says what came', async () => {
    await sell(5);
    expect(await sync({ adjust: 2 })).toMatchObject({ success_items: 1 });
    expect(await left()).toBe(2);
    const changes = [{ action: 'updated', changes: [{ field: 'quantity', before: 2, after: 1.875 }] }];
    expect(await sync({ adjust: -0.125, expected: 2 }, { dry_run: true })).toMatchObject({ changes });
    expect(await left()).toBe(2);
  });
});

describe('POST /v2/stock/sync', () => {
  it.each([
    [{ adjust: -5.001 }, 'There are 5, so 5.001 cannot be taken.'],
    [{ adjust: 9_999_999_999 }, 'There are 5: with 9999999999 there would be more than 9999999999.99.'],
    [{ adjust: 1, expected: 4 }, 'There are 5, not 4.'],
  ])('fails the item alone: %j', async (item, message) => {
    const other = await site.make.product({ sku: 'b' });
    const answer = await sent([
      { sku: 'a', ...item },
      { product_id: other, quantity: 1 },
    ]);
    expect(dataOf(answer, 200, StockSyncResult)).toEqual({
      total_items: 2,
      success_items: 1,
      failed_items: 1,
      errors: [{ index: 0, code: 'conflict', message, quantity: 5 }],
    });
    expect(await left()).toBe(5);
  });

  it('fails the item of a product that has no stock, when it does not set it', async () => {
    await site.make.product({ sku: 'none' });
    for (const item of [{ adjust: 1 }, { quantity: 1, expected: 0 }])
      expect((await sync({ ...item, sku: 'none' })).errors).toEqual([
        { index: 0, code: 'conflict', message: 'The product has no stock yet: send its quantity alone.' },
      ]);
  });

  it.each([
    ['items[0].quantity: is required, or adjust in its place', {}],
    ['items[0].adjust: must not be given together with quantity', { quantity: 1, adjust: 1 }],
    ['items[0].adjust: must not be 0', { adjust: 0 }],
    ['items[0].adjust: must have at most 3 decimals', { adjust: 0.0001 }],
    ['items[0].expected: must not be negative', { adjust: 1, expected: -1 }],
  ])('refuses the batch: %s', async (message, item) => {
    expect(refusalOf(await sent([{ sku: 'a', ...item }]), 422, 'validation_error')).toContain(message);
  });
});

describe('POST /v2/products/{id}/stock/adjust', () => {
  it('returns the stock after it, and publishes the change', async () => {
    expect(dataOf(await adjust({ adjust: -1.5 }), 200, Stock)).toEqual({
      enabled: true,
      quantity: 3.5,
      min_stock_alarm: 2,
    });
    const rows = await api.sql`select resource, operation, changed from internal.captured_changes
      where location_id = ${site.locationId} and resource = 'stock' order by id desc limit 1`;
    expect(rows).toEqual([{ resource: 'stock', operation: 'update', changed: ['quantity'] }]);
    const input = { id: product, adjust: 1, expected: 3.5, idempotencyKey: newId() };
    expect(await site.client().stock.adjust.mutate(input)).toMatchObject({ quantity: 4.5 });
  });

  it('is done once, and answers again what it answered', async () => {
    const headers = { 'idempotency-key': 'goods-in-17' };
    const first = await adjust({ adjust: 3 }, { headers });
    const again = await adjust({ adjust: 3 }, { headers });
    expect(again.text).toBe(first.text);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect(await left()).toBe(8);
  });

  it('is refused with what is there, and leaves its key unused', async () => {
    const headers = { 'idempotency-key': newId() };
    const changed = await adjust({ adjust: 1, expected: 4 }, { headers });
    expect(refusalOf(changed, 409, 'conflict')).toBe('There are 5, not 4.');
    expect(changed.headers.get('x-error-reason')).toBe('stock_changed');
    const short = await adjust({ adjust: -6 }, { headers });
    expect(refusalOf(short, 409, 'conflict')).toBe('There are 5, so 6 cannot be taken.');
    expect((await adjust({ adjust: -5 }, { headers })).status).toBe(200);
  });

  it('needs a key, a permission, a product and a stock', async () => {
    refusalOf(await adjust({ adjust: 1 }, { headers: {} }), 422, 'validation_error');
    const other = await site.make.key({ permissions: ['stock:read'] });
    refusalOf(await adjust({ adjust: 1 }, { key: other.key }), 403, 'permission_denied');
    const without = await site.make.product();
    for (const id of [newId(), 'of another form', without])
      refusalOf(await adjust({ adjust: 1 }, {}, id), 404, 'resource_not_found');
  });

  it('counts no batch job', async () => {
    const limited = await site.make.key({ batchJobsPerHour: 1 });
    for (let time = 0; time < 3; time += 1)
      expect((await adjust({ adjust: 1 }, { key: limited.key })).status).toBe(200);
  });
});

it('no sum of thousandths is lost or below zero', () => {
  const chance = createChance(7);
  for (let round = 0; round < 5_000; round += 1) {
    const [there, adjust] = [chance.between(0, 2_000_000), chance.between(-2_000_000, 2_000_000)];
    const before = { product_id: '', enabled: true, quantity: there / 1000, min_stock_alarm: 0 };
    const settled = settledQuantity({ adjust: adjust / 1000 }, before);
    expect('message' in settled ? undefined : settled.quantity).toBe(
      there + adjust < 0 ? undefined : (there + adjust) / 1000,
    );
  }
});
