import { beforeAll, describe, expect, it } from 'vitest';
import type { OrderWithBooks } from '../../packages/api/src/resources/orders/schema.ts';
import { useConsumer } from '../support/consumer.ts';
import { createOrderKitchen, placeOrder, refusalOf } from '../support/orders.ts';
import { useSteppedApi } from '../support/published.ts';

const api = useSteppedApi();
const erp = useConsumer();
const old = useConsumer();

/** The ordered items. A second choice and the third line have no identifier of the caller's. */
const sold = [
  {
    external_id: 'ERP "7" é',
    sku: 'BURGER',
    tax_rate: 10.5,
    subselections: [
      { name: 'Without onion', unit_price: 0, external_id: 'ERP-NO-ONION' },
      { name: 'Cheese', unit_price: 1.5 },
    ],
  },
  { external_id: 'ERP "7" é', sku: 'BURGER', tax_rate: 10.5 },
  { sku: 'WATER' },
];
const externalId = 'PO-as-sold';
const order = { id: '' };

beforeAll(async () => {
  const { paymentMethodId, productId } = await createOrderKitchen(api);
  const { locationId } = api;
  const burger = await api.make.product({
    locationId,
    externalId: 'ERP "7" é',
    sku: 'BURGER',
    taxRate: 10.5,
  });
  const { itemIds } = await api.make.subselection({
    locationId,
    productId: burger,
    maxSelection: 5,
    single: false,
    items: [
      { name: 'Without onion', externalId: 'ERP-NO-ONION' },
      { name: 'Cheese', price: 1.5 },
    ],
  });
  const water = await api.make.product({ locationId, sku: 'WATER', price: 1 });
  await api.client().webhookEndpoints.create.mutate({
    url: erp.url,
    events: ['order.created', 'order.status_changed', 'order.cancelled', 'payment.created'],
    include: ['snapshot'],
  });
  await api.rest('POST /v1/webhooks', {
    body: { url: old.url, events: ['order.created', 'order.cancelled'], include: ['snapshot'] },
  });
  const placed = await placeOrder(
    api,
    { productId, paymentMethodId },
    {
      external_id: externalId,
      items: [
        {
          product_id: burger,
          quantity: 2,
          subselections: itemIds.map((item_id) => ({ item_id, quantity: 1 })),
        },
        { product_id: burger, quantity: 1, comment: 'Later' },
        { product_id: water, quantity: 1 },
      ],
    },
  );
  order.id = placed.id;
  await api.published();
  const client = api.client();
  await client.products.update.mutate({ id: burger, sku: 'RENAMED', external_id: 'OTHER', name: 'Other' });
  await api.sql`update subselection_items set name = 'Gone', external_id = 'GONE' || position, price = 9`;
  await client.products.delete.mutate({ id: burger });
  await client.products.delete.mutate({ id: water });
});

const read = async (path: string): Promise<OrderWithBooks> => {
  const { body } = await api.rest<{ data: OrderWithBooks }>(`GET ${path}`);
  return body.data;
};

describe('an order whose products were changed and deleted shows what was sold', () => {
  it('with include=snapshot by its id, by the identifier of the caller, in lists and in changes', async () => {
    const client = api.client();
    const include = ['snapshot'] as ['snapshot'];
    const listed = { include: ['items', 'snapshot'] as ['items', 'snapshot'] };
    const [changed] = (await client.orders.list.query({ ...listed, updated_since: '2020-01-01T00:00:00Z' }))
      .data;
    const [entry] = (await client.orders.list.query(listed)).data;
    const shown = [
      await client.orders.get.query({ id: order.id, include }),
      await client.orders.getByExternalId.query({ external_id: externalId, include }),
      await read(`/v2/orders/${order.id}?include=snapshot,books`),
      await read(`/v2/orders/by-external-id/${externalId}?include=snapshot`),
      entry,
      changed,
    ];
    for (const each of shown) expect(each?.items).toMatchObject(sold);
    for (const each of shown) {
      expect(each?.items?.[2]).not.toHaveProperty('external_id');
      expect(each?.items?.[0]?.subselections?.[1]).not.toHaveProperty('external_id');
    }
  });

  it('and without it the documented shapes alone', async () => {
    const client = api.client();
    const [entry] = (await client.orders.list.query({ include: ['items'] })).data;
    const shown = [
      await client.orders.get.query({ id: order.id }),
      await client.orders.get.query({ id: order.id, include: ['books'] }),
      await read(`/v1/orders/${order.id}?include=snapshot`),
      entry,
    ];
    for (const each of shown) {
      expect(JSON.stringify(each?.items)).not.toMatch(/sku|external_id|tax_rate|Without onion/);
      expect(each?.items).toHaveLength(3);
    }
  });

  it('with everything else of it as without', async () => {
    const client = api.client();
    const plain = await client.orders.get.query({ id: order.id, include: ['books'] });
    const whole = await client.orders.get.query({ id: order.id, include: ['books', 'snapshot'] });
    expect({ ...whole, items: plain.items }).toEqual(plain);
    expect(whole.items).toMatchObject(plain.items);
  });
});

describe('an endpoint that asks for what was sold', () => {
  it('gets it in each event of an order that has lines, signed, and in no other', async () => {
    await api.client().orders.updateStatus.mutate({ id: order.id, status: 'ready' });
    await api.client().orders.cancel.mutate({ id: order.id });
    await api.published();
    const events = erp.received.map(({ text }) => JSON.parse(text));
    const created = events.find(({ type }) => type === 'order.created');
    const canceled = events.find(({ type }) => type === 'order.cancelled');
    for (const { data } of [created, canceled]) expect(data.items).toMatchObject(sold);
    const stored = await api.client().events.list.query({ types: ['order.cancelled'] });
    expect({ ...canceled.data, items: [] }).toEqual({ ...stored.data[0]?.data, items: [] });
    expect(Object.keys(canceled)).toEqual(Object.keys(stored.data[0] ?? {}));
    expect(JSON.stringify(stored.data)).not.toContain('ERP-NO-ONION');
    for (const { type, data } of events)
      if (type === 'order.status_changed') expect(data).not.toHaveProperty('items');
  });

  it('of v1 gets the documented events alone', async () => {
    await api.published();
    for (const { text } of old.received) expect(text).not.toMatch(/ERP-NO-ONION|"sku"/);
    const { body } = await api.rest<{ data: { url: string }[] }>('GET /v1/webhooks');
    expect(body.data.filter(({ url }) => url === old.url)).toEqual([
      expect.not.objectContaining({ include: expect.anything() }),
    ]);
  });

  it('shows that it does, and can change it', async () => {
    const client = api.client();
    const [endpoint] = (await client.webhookEndpoints.list.query({})).data.filter(
      ({ url }) => url === erp.url,
    );
    expect(endpoint).toMatchObject({ include: ['snapshot'] });
    const changed = await client.webhookEndpoints.update.mutate({ id: endpoint?.id ?? '', include: [] });
    expect(changed).not.toHaveProperty('include');
  });
});

it('snapshot without the lines in a list, and an unknown word, are refused by name', async () => {
  const alone = await api.rest('GET /v2/orders?include=snapshot');
  expect(alone.status).toBe(422);
  expect(refusalOf(alone).message).toBe('include: snapshot and tax are of the lines: name items, too');
  expect((await api.rest(`GET /v2/orders/${order.id}?include=lines`)).status).toBe(422);
});
