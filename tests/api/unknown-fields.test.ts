import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { useApi } from '../support/api.ts';
import { createOrderKitchen, refusalOf } from '../support/orders.ts';

const api = useApi();

const product = { name: 'Flat White', sku: 'FW', description: '', price: 12 };
const strict = { headers: { prefer: 'respond-async, handling=strict' } };

it.each([
  ['notes', 'note'],
  ['tip', 'adjustments'],
  ['discount', 'adjustments'],
  ['address', 'delivery'],
])('%s of an order is ignored and named; who is strict is told of %s', async (field, meant) => {
  const { body } = await createOrderKitchen(api);
  const order = body({ [field]: 'x' });
  const headers = () => ({ 'idempotency-key': randomUUID() });
  const taken = await api.rest('POST /v2/orders', { body: order, headers: headers() });
  expect([taken.status, taken.headers.get('x-ignored-fields')]).toEqual([201, field]);
  const refused = await api.rest('POST /v2/orders', {
    body: body({ [field]: 'x' }),
    headers: { ...strict.headers, ...headers() },
  });
  expect(refusalOf(refused).message).toBe(`${field}: is unknown: did you mean ${meant}?`);
});

describe('an unknown query parameter', () => {
  it('is refused on v2, by the name that was meant', async () => {
    const answer = await api.rest('GET /v2/orders?stauts=pending');
    expect(answer.status, answer.text).toBe(422);
    expect(refusalOf(answer)).toMatchObject({
      code: 'validation_error',
      message: 'stauts: is unknown: did you mean status?',
    });
  });

  it('is refused on v2 without a guess when nothing is near, and with a write, too', async () => {
    expect(refusalOf(await api.rest('GET /v2/products?color=red')).message).toBe('color: is unknown');
    const answer = await api.rest('POST /v2/products?dry_run=true', { body: product });
    expect(refusalOf(answer).message).toBe('dry_run: is unknown');
    const { body } = await api.rest<{ data: unknown[] }>('GET /v2/products');
    expect(body.data).toEqual([]);
  });

  it('is ignored and named on v1', async () => {
    const answer = await api.rest('GET /v1/orders?stauts=pending&limit=5&%C3%A9t%C3%A9=1');
    expect(answer.status, answer.text).toBe(200);
    expect(answer.headers.get('x-ignored-fields')).toBe('stauts, %C3%A9t%C3%A9');
  });

  it('of a link or a cache passes everywhere', async () => {
    const answer = await api.rest('GET /v2/products?utm_source=mail&_=1769904750', strict);
    expect(answer.status, answer.text).toBe(200);
    expect(answer.headers.get('x-ignored-fields')).toBeNull();
  });

  it('is refused by the typed entrance, where types did not', async () => {
    const input = encodeURIComponent(JSON.stringify({ serach: 'flat' }));
    const answer = await api.rest(`GET /trpc/products.list?input=${input}`);
    expect(answer.status).toBe(422);
    expect(answer.text).toContain('serach: is unknown: did you mean search?');
  });
});

describe('an unknown field of a body', () => {
  const items = (more: object) => ({
    items: [
      { sku: 'none', quantity: 1, ...more },
      { sku: 'no', quantity: 1, ...more },
    ],
  });

  it.each(['v1', 'v2'])('is ignored and named on %s', async (version) => {
    const created = await api.rest(`POST /${version}/products`, {
      body: {
        ...product,
        sku: `of ${version}`,
        prise: 3,
        stock: { enabled: true, quantity: 2, min_stock_alarm: 0, color: 'red' },
      },
    });
    expect(created.status, created.text).toBe(201);
    expect(decodeURIComponent(created.headers.get('x-ignored-fields') ?? '')).toBe('prise, stock.color');
  });

  it('is named once for all items of a list', async () => {
    const synced = await api.rest('POST /v2/stock/sync', { body: items({ qty: 1 }) });
    expect(decodeURIComponent(synced.headers.get('x-ignored-fields') ?? '')).toBe('items[].qty');
  });

  it('is refused where the caller prefers it, and nothing is changed', async () => {
    const sent = { ...product, sku: 'strict', prise: 3 };
    const answer = await api.rest('POST /v2/products', { ...strict, body: sent });
    expect(answer.status, answer.text).toBe(422);
    expect(answer.headers.get('preference-applied')).toBe('handling=strict');
    expect(refusalOf(answer).message).toBe('prise: is unknown: did you mean price?');
    const { body } = await api.rest<{ data: unknown[] }>('GET /v2/products?search=strict');
    expect(body.data).toEqual([]);
    const v1 = await api.rest('GET /v1/orders?stauts=pending', strict);
    expect(v1.status).toBe(422);
  });

  it('names ten fields in at most a kibibyte', async () => {
    const many = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`unknown${index}`, 1]));
    const answer = await api.rest('POST /v2/products', { body: { ...product, sku: 'many', ...many } });
    expect(answer.headers.get('x-ignored-fields')?.split(', ')).toHaveLength(10);
    const long = await api.rest('POST /v2/products', {
      body: { ...product, sku: 'long', ['é'.repeat(300)]: 1, short: 2 },
    });
    expect(long.headers.get('x-ignored-fields')).toBe('short');
  });
});
