import { beforeAll, describe, expect, it } from 'vitest';
import { createOrderKitchen, type OrderKitchen, placeOrder, refusalOf } from '../support/orders.ts';
import { useSteppedApi } from '../support/published.ts';

const api = useSteppedApi();
const tax = { include: ['tax'] as ['tax'] };
const fresh = { description: '', price: 12.2 };
let kitchen: OrderKitchen;
beforeAll(async () => {
  kitchen = await createOrderKitchen(api);
});

const rateOf = async (id: string) => (await api.client().products.get.query({ id, ...tax })).tax_rate;

describe('the rate of tax of a product', () => {
  it('is kept exactly, shown where include asks for it, and left as it is by what does not name it', async () => {
    const client = api.client();
    const made = await client.products.create.mutate({
      ...fresh,
      name: 'Burger',
      external_id: 'TAX-1',
      tax_rate: 10.1234,
    });
    expect(made).not.toHaveProperty('tax_rate');
    const { data } = await client.products.list.query({ external_id: 'TAX-1', ...tax });
    const since = await client.products.list.query({ updated_since: '2020-01-01T00:00:00Z', ...tax });
    const shown = [
      await client.products.get.query({ id: made.id, ...tax }),
      await client.products.getByExternalId.query({ external_id: 'TAX-1', ...tax }),
      data[0],
      since.data.find(({ id }) => id === made.id),
    ];
    for (const each of shown) expect(each).toEqual({ ...made, tax_rate: 10.1234 });
    await client.products.update.mutate({ id: made.id, price: 13 });
    await api.rest(`PATCH /v1/products/${made.id}`, { body: { tax_rate: 5, price: 14 } });
    expect(await rateOf(made.id)).toBe(10.1234);
    const before = await client.products.list.query({ external_id: 'TAX-1' });
    expect(before.data[0]).not.toHaveProperty('tax_rate');
    expect((await api.rest(`GET /v1/products/${made.id}?include=tax`)).text).not.toContain('tax_rate');
  });

  it('of 0 is a rate, and null takes it away', async () => {
    const client = api.client();
    const { id } = await client.products.create.mutate({ ...fresh, name: 'Water', tax_rate: 0 });
    expect(await rateOf(id)).toBe(0);
    await client.products.update.mutate({ id, tax_rate: null });
    expect(await rateOf(id)).toBeUndefined();
  });

  it.each([
    [-1, 'must not be negative'],
    [100.0001, 'must be at most 100'],
    [1.23456, 'must have at most 4 decimals'],
    ['22', 'must be a number'],
  ])('of %j is refused by name', async (rate, message) => {
    const refused = await api.rest('POST /v2/products', { body: { ...fresh, name: 'No', tax_rate: rate } });
    expect(refusalOf(refused)).toEqual({ code: 'validation_error', message: `tax_rate: ${message}` });
  });

  it('publishes the product when it changes, so that a program with a copy reads it again', async () => {
    const client = api.client();
    const { id } = await client.products.create.mutate({ ...fresh, name: 'Taxed', tax_rate: 10 });
    const changed = async () => {
      await api.published();
      const { data } = await client.events.list.query({ types: ['product.updated'], limit: 200 });
      return data.filter(({ data }) => 'id' in data && data.id === id).length;
    };
    expect(await changed()).toBe(0);
    await client.products.update.mutate({ id, tax_rate: 22 });
    expect(await changed()).toBe(1);
    await client.products.update.mutate({ id, tax_rate: 22 });
    expect(await changed()).toBe(1);
  });
});

it('the line of an order keeps the rate that its product had, after any change of the product', async () => {
  const client = api.client();
  const { locationId } = api;
  const burger = await api.make.product({ locationId, sku: 'TAXED', price: 10, taxRate: 22 });
  const { itemIds } = await api.make.subselection({
    locationId,
    productId: burger,
    maxSelection: 5,
    single: false,
    items: [{ name: 'Cheese', price: 1.5 }],
  });
  const bare = await api.make.product({ locationId, sku: 'BARE', price: 3 });
  const order = await kitchen.place({
    items: [
      { product_id: bare, quantity: 1 },
      { product_id: burger, quantity: 2, subselections: [{ item_id: itemIds[0], quantity: 1 }] },
    ],
  });
  expect(JSON.stringify(order)).not.toContain('tax_rate');
  await client.products.update.mutate({ id: burger, tax_rate: 10 });
  await client.products.update.mutate({ id: bare, tax_rate: 10 });
  await client.products.delete.mutate({ id: burger });
  const { id } = order;
  const snapshot = await client.orders.get.query({ id, include: ['snapshot'] });
  expect(snapshot.items.map(({ tax_rate, sku }) => [sku, tax_rate])).toEqual([
    ['BARE', undefined],
    ['TAXED', 22],
  ]);
  const [bareLine, burgerLine] = order.items;
  const items = [bareLine, { ...burgerLine, tax_rate: 22 }];
  const listed = await client.orders.list.query({ include: ['items', 'tax'], number: order.number });
  const books = await client.orders.get.query({ id, include: ['books', 'tax'] });
  for (const shown of [await client.orders.get.query({ id, ...tax }), listed.data[0], books])
    expect(shown?.items).toEqual(items);
});

it('sales by rate of tax add up the tax of each line, and compute none where no rate was given', async () => {
  const opened = await createOrderKitchen(api);
  const { locationId } = api;
  const day = new Date().toISOString().slice(0, 10);
  const read = async () => {
    const path = `GET /v2/sales-reports?from=2020-01-01&to=${day.slice(0, 4)}-12-31&group_by=tax_rate`;
    const { body } = await api.rest<{ data: { rows: { key: string; tax?: number; amount: number }[] } }>(
      path,
    );
    return new Map(body.data.rows.map((row) => [row.key, row]));
  };
  const before = await read();
  // 0.10 at 21 % holds 0.017355 of tax: three lines hold 0.06, one line of 0.30 holds 0.05.
  const each = await api.make.product({ locationId, price: 0.1, taxRate: 21 });
  const bare = await api.make.product({ locationId, price: 0.1 });
  const line = (id: string, quantity = 1) => ({ product_id: id, quantity });
  await placeOrder(api, opened, { items: [line(each), line(each), line(each), line(bare)] });
  await placeOrder(api, opened, { items: [line(each, 3)] });
  const after = await read();
  expect(before.get('21')).toBeUndefined();
  expect(after.get('21')).toEqual({
    key: '21',
    name: '21 %',
    orders: 2,
    quantity: 6,
    amount: 0.6,
    tax: 0.11,
  });
  expect(after.get('')).not.toHaveProperty('tax');
  expect(after.get('')).toMatchObject({ name: '' });
});
