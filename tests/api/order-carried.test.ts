import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { useHand } from '../support/by-hand.ts';
import { useConsumer } from '../support/consumer.ts';
import { createOrderKitchen, orderBody, orderOf, postOrder, refusalOf } from '../support/orders.ts';
import { useSteppedApi } from '../support/published.ts';

const api = useSteppedApi();
const hand = useHand(api);
const erp = useConsumer();
const old = useConsumer();

const customer = {
  name: 'Ana "A" Silva',
  phone: '+598 99 000 000',
  email: 'ana@example.com',
  tax_id: '21000',
};
const delivery = {
  lines: ['Av. Italia 2345', 'Apto. 4'],
  city: 'Montevideo',
  postal_code: '11300',
  country: 'UY',
  note: 'Blue door',
};
const shownToAll = {
  note: 'Ring twice',
  guests: 3,
  promised_at: '2026-01-31T21:30:00.000+00:00',
  adjustments: [
    { kind: 'discount', name: 'Happy hour', percent: 10, line: 1, external_id: 'D-1', total: -3 },
    { kind: 'service_charge', name: 'Service', percent: 5, tax_rate: 22, total: 1.35 },
    { kind: 'tip', name: 'Tip', amount: 2, total: 2 },
  ],
};
const given = {
  ...shownToAll,
  customer,
  delivery,
  promised_at: '2026-01-31T21:30Z',
  adjustments: shownToAll.adjustments.map(({ total: _, ...each }) => each),
};

/** A location where a product costs 9.99. */
async function shop() {
  const place = await api.place({ location: { timezone: 'UTC' } });
  const { paymentMethodId } = await createOrderKitchen(place);
  const productId = await place.make.product({ price: 9.99 });
  const items = [{ product_id: productId, quantity: 3 }];
  const body = (more: object = {}) => orderBody({ productId, paymentMethodId }, { items, ...more });
  const read = async (path: string) =>
    (await place.rest<{ data: Record<string, unknown> }>(`GET ${path}`)).body.data;
  return {
    ...place,
    productId,
    body,
    read,
    post: (more?: object, path?: string) => postOrder(place, body(more), { path }),
  };
}

describe('what an order carries', () => {
  it('is in its total, its payment, reads, lists, changes, exports and the quote, and whom it is for on request alone', async () => {
    const { rest, body, read, post } = await shop();
    const { body: quoted } = await rest('POST /v2/orders/quote', { body: body(given) });
    expect(quoted).toMatchObject({
      data: { subtotal: 29.97, total: 30.32, refusals: [], adjustments: shownToAll.adjustments },
    });
    const made = orderOf(await post(given));
    expect(made).toMatchObject({ ...shownToAll, total: 30.32, items: [{ total: 29.97 }] });
    const listed = async (query: string) =>
      ((await rest(`GET /v2/orders?${query}`)).body as { data: object[] }).data[0];
    const { body: exported } = await rest<{ data: { orders: object[] } }>(
      'GET /v2/orders/export?from=2020-01-01&to=2099-01-01',
    );
    for (const shown of [
      await read(`/v2/orders/${made.id}`),
      await listed('include=details'),
      await listed('include=details,items&updated_since=2020-01-01T00:00:00Z'),
      exported.data.orders[0],
      made,
    ]) {
      expect(shown).toMatchObject({ ...shownToAll, total: 30.32 });
      expect(shown).not.toHaveProperty('customer');
      expect(shown).not.toHaveProperty('delivery');
    }
    expect(await listed('limit=1')).not.toHaveProperty('note');
    for (const shown of [
      await read(`/v2/orders/${made.id}?include=customer`),
      await read(`/v2/orders/${made.id}?include=customer,books,snapshot,revision`),
      await listed('include=customer'),
    ])
      expect(shown).toMatchObject({ customer, delivery });
    expect(await read(`/v2/payments/${made.payment.id}`)).toMatchObject({ amount: 30.32 });
  });

  it('is none of v1, whose total has the adjustments', async () => {
    const { rest, read, post } = await shop();
    const made = orderOf(await post(given));
    const shown = await read(`/v1/orders/${made.id}`);
    expect(Object.keys(shown)).toEqual(
      Object.keys(await read(`/v2/orders/${made.id}`)).filter((key) => !(key in shownToAll)),
    );
    expect(shown).toMatchObject({ total: 30.32 });
    const moved = await rest(`PATCH /v1/orders/${made.id}/status`, { body: { status: 'ready' } });
    expect(moved.text).not.toContain('Ring twice');
    const taken = await post({ ...given, external_id: 'v1' }, '/v1/orders');
    expect(taken.headers.get('x-ignored-fields')).toBe(
      'note, guests, promised_at, adjustments, customer, delivery',
    );
    expect(orderOf(taken)).toMatchObject({ total: 29.97 });
  });

  it('shows whom it is for to keys with the permission alone', async () => {
    const { post, make, rest } = await shop();
    const made = orderOf(await post(given));
    const { key } = await make.key({ permissions: ['orders:read', 'webhooks:write', 'webhooks:read'] });
    for (const path of [`/v2/orders/${made.id}?include=customer`, '/v2/orders?include=details,customer']) {
      const refused = await rest(`GET ${path}`, { key });
      expect([refused.status, refusalOf(refused).code]).toEqual([403, 'permission_denied']);
    }
    const endpoint = { url: erp.url, events: ['order.created'] };
    const refused = await rest('POST /v2/webhook-endpoints', {
      key,
      body: { ...endpoint, include: ['customer'] },
    });
    expect(refused.status).toBe(403);
    const {
      body: { data: plain },
    } = await rest<{ data: { id: string } }>('POST /v2/webhook-endpoints', { key, body: endpoint });
    const change = (body: object, as?: string) =>
      rest(`PATCH /v2/webhook-endpoints/${plain.id}`, { body, ...(as && { key: as }) });
    expect((await change({ include: ['customer'] }, key)).status).toBe(403);
    expect((await change({ include: ['customer'] })).status).toBe(200);
    expect((await change({ events: ['order.created', 'order.updated'] }, key)).status).not.toBe(500);
    expect((await change({ url: `${erp.url}/elsewhere` }, key)).status).toBe(403);
    expect((await change({ include: [] }, key)).status).toBe(200);
  });

  it('is in events, whom it is for where the endpoint asks for it, and nothing of it in those of v1', async () => {
    const { post, rest, client } = await shop();
    const events = ['order.created', 'order.status_changed'];
    await rest('POST /v2/webhook-endpoints', {
      body: { url: erp.url, events, include: ['customer', 'snapshot'] },
    });
    await rest('POST /v1/webhooks', { body: { url: old.url, events } });
    const made = orderOf(await post(given));
    await rest(`PATCH /v2/orders/${made.id}/status`, { body: { status: 'ready' } });
    await api.published();
    const ofOrder = ({ received }: typeof erp, wanted: string) =>
      received
        .map(({ text }) => JSON.parse(text))
        .find(({ type, data }) => type === wanted && data.id === made.id);
    const created = ofOrder(erp, 'order.created');
    expect(created.data).toMatchObject({ ...shownToAll, customer, delivery, items: [{ total: 29.97 }] });
    expect(ofOrder(erp, 'order.status_changed').data).not.toHaveProperty('customer');
    const first = ofOrder(old, 'order.created');
    expect(first.data).toMatchObject({ total: 30.32 });
    for (const field of Object.keys(given)) expect(first.data).not.toHaveProperty(field);
    const { data } = await client().events.list.query({ types: ['order.created'] });
    expect(data[0]?.data).toMatchObject(shownToAll);
    expect(JSON.stringify(data)).not.toContain('Ana');
  });
});

describe('an adjustment', () => {
  const refusals: [string, object[], string][] = [
    ['without amount and percent', [{ kind: 'tip', name: 'T' }], 'amount'],
    ['with both', [{ kind: 'tip', name: 'T', amount: 1, percent: 1 }], 'exactly one'],
    [
      'of a line that is none',
      [{ kind: 'discount', name: 'D', amount: 1, line: 2 }],
      'adjustments[0].line: there is no line 2',
    ],
    ['of a line that adds', [{ kind: 'tip', name: 'T', amount: 1, line: 1 }], 'only a discount'],
    [
      'above its line',
      [
        { kind: 'discount', name: 'D', amount: 20, line: 1 },
        { kind: 'discount', name: 'E', amount: 10, line: 1 },
      ],
      'adjustments[1]: the discounts are more than line 1, 29.97',
    ],
    [
      'above the order',
      [
        { kind: 'discount', name: 'D', percent: 50, line: 1 },
        { kind: 'discount', name: 'E', amount: 15 },
      ],
      'adjustments[1]: the discounts are more than the lines, 29.97',
    ],
    ['below zero', [{ kind: 'discount', name: 'D', amount: -1 }], 'must not be negative'],
    ['with a third decimal', [{ kind: 'tip', name: 'T', amount: 1.005 }], 'at most 2 decimals'],
    ['the 21st', Array.from({ length: 21 }, () => ({ kind: 'tip', name: 'T', amount: 1 })), 'at most 20'],
  ];
  it.each(refusals)('%s is refused', async (_, adjustments, message) => {
    const { post } = await shop();
    const refused = await post({ adjustments });
    expect([refused.status, refusalOf(refused).message]).toEqual([422, expect.stringContaining(message)]);
  });

  it('is rounded once, half away from zero; discounts may take everything', async () => {
    const { post } = await shop();
    const adjustments = [
      { kind: 'discount', name: 'D', percent: 0.0167, line: 1 },
      { kind: 'discount', name: 'E', percent: 100 },
      { kind: 'delivery_fee', name: 'F', percent: 0.0167 },
    ];
    const made = orderOf(await post({ adjustments }));
    // 29.97 × 0.0167 % = 0.00500…; of 29.96 it is 0.005003…
    expect(made).toMatchObject({ total: 0.01 });
    expect(made.adjustments?.map(({ total }) => total)).toEqual([-0.01, -29.96, 0.01]);
  });

  it('is never changed by hand, nor given to an order that is written by hand', async () => {
    const { post, locationId, body } = await shop();
    const made = orderOf(await post(given));
    const { payment_method_id } = body();
    await expect(hand.sql`update orders set adjustments = null where id = ${made.id}`).rejects.toThrow(
      'never change',
    );
    await hand.sql`update orders set note = 'Later', customer_phone = null where id = ${made.id}`;
    await expect(
      hand.sql`insert into orders (location_id, payment_method_id, adjustments) values (${locationId}, ${payment_method_id}, '[]')`,
    ).rejects.toThrow('leave out');
    for (const adjustments of ['{}', '[1]', '[{"kind": "tip", "name": "T", "amount": 1, "total": "1"}]'])
      await expect(
        hand.deed(
          'import: of 2019',
          'insert into orders (location_id, number, payment_method_id, adjustments) values ($1, 900, $2, $3)',
          [locationId, payment_method_id, adjustments],
        ),
      ).rejects.toThrow('adjustments are an array');
  });
});

it('settlements have the tips that were collected, and what was counted', async () => {
  const { post, client, read } = await shop();
  await client().turns.open.mutate();
  const made = orderOf(await post(given));
  const unpaid = await post({ ...given, external_id: randomUUID() });
  expect(unpaid.status).toBe(201);
  await client().payments.complete.mutate({ id: made.payment.id });
  await client().turns.close.mutate({ counted: 40, starting_cash: 10 });
  const { data } = (await client().settlements.list.query({})) as { data: { id: string }[] };
  expect(await read(`/v2/settlements/${data[0]?.id}`)).toMatchObject({
    total_collected: 30.32,
    tips: 2,
    counted: 40,
    difference: -0.32,
  });
});
