import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApi, type TestApi } from '../support/api.ts';
import {
  createKey,
  createLocation,
  createPaymentMethod,
  createProduct,
  createSubselection,
} from '../support/factories.ts';
import {
  createOrderKitchen,
  type OrderKitchen,
  orderBody,
  orderOf,
  placeOrder,
  postOrder,
  refusalOf,
} from '../support/orders.ts';

let api: TestApi;
let kitchen: OrderKitchen;
beforeAll(async () => {
  api = await startTestApi();
  kitchen = await createOrderKitchen(api);
});
afterAll(() => api.close());

const product = (overrides: Partial<Parameters<typeof createProduct>[1]> = {}) =>
  createProduct(api.app.database, { locationId: api.locationId, ...overrides });
const stockOf = async (productId: string) =>
  (await api.app.database.prisma.productStock.findFirst({ where: { productId } }))?.quantity.toNumber();
const refused = async (overrides: Record<string, unknown>, path = '/v2/orders') => {
  const answer = await postOrder(api, orderBody(kitchen, overrides), { path });
  expect(answer.status, answer.text).toBe(422);
  const { code, message } = refusalOf(answer);
  expect(code).toBe('validation_error');
  return message;
};

describe('POST /v2/orders answers 201', () => {
  it('with the full order, its pending payment, and Location', async () => {
    const answer = await postOrder(
      api,
      orderBody(kitchen, {
        external_id: 'PO-full',
        channel: 'kiosk',
        is_take_away: true,
        items: [{ product_id: kitchen.productId, quantity: 2, comment: 'Extra hot' }],
      }),
    );
    expect(answer.status, answer.text).toBe(201);
    const order = orderOf(answer);
    expect(order).toMatchObject({
      status: 'pending',
      total: 25,
      payment: { status: 'pending' },
      external_id: 'PO-full',
      channel: 'kiosk',
      is_take_away: true,
      identifier: 'Table 4',
      payment_method_id: kitchen.paymentMethodId,
      items: [
        {
          product_id: kitchen.productId,
          name: 'Flat White',
          quantity: 2,
          unit_price: 12.5,
          total: 25,
          comment: 'Extra hot',
        },
      ],
    });
    expect(answer.headers.get('location')).toBe(`/v2/orders/${order.id}`);
    expect(answer.headers.get('idempotency-replayed')).toBeNull();
    const read = await api.rest(`GET /v2/orders/${order.id}`);
    expect(read.text).toBe(answer.text);
    const payment = await api.app.database.prisma.payment.findFirst({ where: { orderId: order.id } });
    expect(payment).toMatchObject({ id: order.payment.id, status: 'pending', amount: expect.anything() });
    expect(payment?.amount.toNumber()).toBe(25);
  });

  it('leaving out what has no value, and keeping an empty identifier', async () => {
    const order = await placeOrder(api, kitchen, { identifier: '' });
    expect(order.identifier).toBe('');
    expect(Object.keys(order)).not.toContain('channel');
    expect(Object.keys(order)).not.toContain('cancel_reason');
    expect(Object.keys(order.items[0] ?? {})).toEqual([
      'product_id',
      'name',
      'quantity',
      'unit_price',
      'total',
    ]);
  });

  it('with numbers that count up from 1 at each location', async () => {
    const first = await placeOrder(api, kitchen);
    const second = await placeOrder(api, kitchen);
    expect(second.number).toBe(first.number + 1);
    const locationId = await createLocation(api.app.database);
    const there = await createOrderKitchen(api, locationId);
    const { key } = await createKey(api.app.database, { locationId });
    const answer = await postOrder(api, orderBody(there), { key });
    expect(orderOf(answer).number).toBe(1);
  });

  it('without a gap in the numbers after a refusal', async () => {
    const before = await placeOrder(api, kitchen);
    const scarce = await product({ stock: { quantity: 1 } });
    await refused({ items: [{ product_id: scarce, quantity: 2 }] });
    const conflicted = await postOrder(api, orderBody(kitchen, { external_id: before.external_id }));
    expect(conflicted.status).toBe(409);
    expect((await placeOrder(api, kitchen)).number).toBe(before.number + 1);
  });

  it('for products and their chosen items, priced exactly', async () => {
    const productId = await product({ price: 3.33 });
    const { itemIds } = await createSubselection(api.app.database, {
      locationId: api.locationId,
      productId,
      maxSelection: 5,
      single: false,
      items: [
        { price: 0.45, max: 5 },
        { price: 1.1, max: 5 },
      ],
    });
    const subselections = [
      { item_id: itemIds[0], quantity: 1 },
      { item_id: itemIds[1], quantity: 1 },
      { item_id: itemIds[0], quantity: 2 },
    ];
    const order = await placeOrder(api, kitchen, {
      items: [
        { product_id: productId, quantity: 1.5, subselections },
        { product_id: productId, quantity: 0.333 },
      ],
    });
    // 1.5 × (3.33 + 3 × 0.45 + 1.10) = 8.67; 0.333 × 3.33 = 1.10889
    expect(order.items.map(({ unit_price, total }) => [unit_price, total])).toEqual([
      [5.78, 8.67],
      [3.33, 1.11],
    ]);
    expect(order.total).toBe(9.78);
    expect(order.items[0]?.subselections).toEqual(subselections);
    expect(order.items[1]?.subselections).toBeUndefined();
  });

  it('for products that are not visible', async () => {
    const hidden = await product();
    await api.app.database.prisma.product.updateMany({ where: { id: hidden }, data: { visible: false } });
    const order = await placeOrder(api, kitchen, { items: [{ product_id: hidden, quantity: 1 }] });
    expect(order.items[0]?.product_id).toBe(hidden);
  });

  it('for 200 items, and 422 for none or 201', async () => {
    const items = (count: number) =>
      Array.from({ length: count }, () => ({ product_id: kitchen.productId, quantity: 0.001 }));
    expect((await placeOrder(api, kitchen, { items: items(200) })).items).toHaveLength(200);
    expect(await refused({ items: items(201) })).toBe('items: must hold 1 to 200 items');
    expect(await refused({ items: [] })).toBe('items: must hold 1 to 200 items');
  });

  it('keeping the prices of its creation when the product changes, and the product when it is deleted', async () => {
    const productId = await product({ price: 5, name: 'Cortado' });
    const order = await placeOrder(api, kitchen, { items: [{ product_id: productId, quantity: 1 }] });
    await api.app.database.prisma.product.updateMany({
      where: { id: productId },
      data: { price: 9, name: 'Other' },
    });
    expect(orderOf(await api.rest(`GET /v2/orders/${order.id}`))).toEqual(order);
    await api.app.database.prisma.product.deleteMany({ where: { id: productId } });
    expect(orderOf(await api.rest(`GET /v2/orders/${order.id}`))).toEqual(order);
  });

  it('joining the turn that is open', async () => {
    const locationId = await createLocation(api.app.database);
    const there = await createOrderKitchen(api, locationId);
    const { key } = await createKey(api.app.database, { locationId });
    const turn = await api.app.database.prisma.turn.create({ data: { locationId, batchNumber: 1 } });
    const during = orderOf(await postOrder(api, orderBody(there), { key }));
    await api.app.database.prisma.turn.updateMany({ where: { id: turn.id }, data: { status: 'closed' } });
    const after = orderOf(await postOrder(api, orderBody(there), { key }));
    const turnOf = async (id: string) =>
      (await api.app.database.prisma.order.findFirst({ where: { id } }))?.turnId;
    expect(await turnOf(during.id)).toBe(turn.id);
    expect(await turnOf(after.id)).toBeNull();
  });

  it('through the typed client too', async () => {
    const { external_id = '', ...rest } = orderBody(kitchen) as { external_id?: string };
    const input = {
      ...(rest as Parameters<ReturnType<TestApi['client']>['orders']['create']['mutate']>[0]),
      external_id,
      idempotencyKey: randomUUID(),
    };
    const first = await api.client().orders.create.mutate(input);
    expect(await api.client().orders.create.mutate(input)).toEqual(first);
    expect(orderOf(await api.rest(`GET /v2/orders/${first.id}`))).toEqual(first);
  });
});

describe('POST /v1/orders', () => {
  it('answers 201 with the same order and its own Location', async () => {
    const answer = await postOrder(api, orderBody(kitchen), { path: '/v1/orders' });
    expect(answer.status, answer.text).toBe(201);
    expect(answer.headers.get('location')).toBe(`/v1/orders/${orderOf(answer).id}`);
  });

  it('ignores external_product_id, which v2 holds against the product', async () => {
    const productId = await product({ externalId: 'SKU-own' });
    const items = [{ product_id: productId, quantity: 1, external_product_id: 'SKU-other' }];
    const answer = await postOrder(api, orderBody(kitchen, { items }), { path: '/v1/orders' });
    expect(answer.status, answer.text).toBe(201);
    expect(await refused({ items })).toBe(
      'items[0].external_product_id: contradicts the product\'s external_id "SKU-own"',
    );
    const agreeing = [{ product_id: productId, quantity: 1, external_product_id: 'SKU-own' }];
    await placeOrder(api, kitchen, { items: agreeing });
    const none = [{ product_id: kitchen.productId, quantity: 1, external_product_id: 'anything' }];
    await placeOrder(api, kitchen, { items: none });
  });

  it('is another operation than v2 for idempotency', async () => {
    const idempotencyKey = randomUUID();
    const v1 = await postOrder(api, orderBody(kitchen), { path: '/v1/orders', idempotencyKey });
    const v2 = await postOrder(api, orderBody(kitchen), { idempotencyKey });
    expect([v1.status, v2.status]).toEqual([201, 201]);
    expect(orderOf(v1).id).not.toBe(orderOf(v2).id);
  });
});

describe('an Idempotency-Key', () => {
  it('replays the original byte for byte, whatever has become of the order', async () => {
    const idempotencyKey = randomUUID();
    const body = orderBody(kitchen);
    const first = await postOrder(api, body, { idempotencyKey });
    const { id } = orderOf(first);
    await api.rest(`PATCH /v2/orders/${id}/status`, { body: { status: 'ready' } });
    const reordered = Object.fromEntries(Object.entries(body).reverse());
    const second = await postOrder(api, reordered, { idempotencyKey });
    expect([second.status, second.text]).toEqual([201, first.text]);
    expect(second.headers.get('location')).toBe(first.headers.get('location'));
    expect(second.headers.get('idempotency-replayed')).toBe('true');
    expect(
      await api.app.database.prisma.order.count({ where: { externalId: String(body.external_id) } }),
    ).toBe(1);
  });

  it('replays after the product is gone and the stock is used up', async () => {
    const productId = await product({ stock: { quantity: 1 } });
    const idempotencyKey = randomUUID();
    const body = orderBody(kitchen, { items: [{ product_id: productId, quantity: 1 }] });
    const first = await postOrder(api, body, { idempotencyKey });
    expect(first.status, first.text).toBe(201);
    await api.app.database.prisma.product.deleteMany({ where: { id: productId } });
    expect((await postOrder(api, body, { idempotencyKey })).text).toBe(first.text);
  });

  it('with another body is a conflict, also when only an unknown field differs', async () => {
    const idempotencyKey = randomUUID();
    const body = orderBody(kitchen);
    await postOrder(api, body, { idempotencyKey });
    for (const other of [{ ...body, identifier: 'Table 5' }, { ...body, note: 1 }, {}]) {
      const answer = await postOrder(api, other, { idempotencyKey });
      expect(answer.status, answer.text).toBe(409);
      expect(refusalOf(answer).code).toBe('conflict');
    }
  });

  it('stays unused when the request was refused', async () => {
    const idempotencyKey = randomUUID();
    const bad = orderBody(kitchen, { items: [{ product_id: 'nothing', quantity: 1 }] });
    expect((await postOrder(api, bad, { idempotencyKey })).status).toBe(422);
    expect((await postOrder(api, orderBody(kitchen), { idempotencyKey })).status).toBe(201);
  });

  it('is scoped to the credential', async () => {
    const other = await createKey(api.app.database, { locationId: api.locationId });
    const idempotencyKey = randomUUID();
    const mine = await postOrder(api, orderBody(kitchen), { idempotencyKey });
    const theirs = await postOrder(api, orderBody(kitchen), { idempotencyKey, key: other.key });
    expect([mine.status, theirs.status]).toEqual([201, 201]);
  });

  it('is free again after its time', async () => {
    const idempotencyKey = randomUUID();
    await postOrder(api, orderBody(kitchen), { idempotencyKey });
    await api.app.database.prisma.idempotencyKey.updateMany({
      where: { key: idempotencyKey },
      data: { createdAt: new Date(Date.now() - 169 * 3_600_000) },
    });
    const later = await postOrder(api, orderBody(kitchen), { idempotencyKey });
    expect(later.status, later.text).toBe(201);
    expect(later.headers.get('idempotency-replayed')).toBeNull();
  });

  it.each([
    ['is missing', undefined],
    ['is empty', ''],
    ['has 256 characters', 'k'.repeat(256)],
    ['is not ASCII', 'caf\u00e9'],
  ])('that %s is a validation_error naming it', async (_, idempotencyKey) => {
    const headers: Record<string, string> =
      idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey };
    const answer = await api.rest('POST /v2/orders', { body: orderBody(kitchen), headers });
    expect(answer.status, answer.text).toBe(422);
    expect(refusalOf(answer).code).toBe('validation_error');
    expect(refusalOf(answer).message).toMatch(/^Idempotency-Key: /);
  });
});

describe('an external_id', () => {
  it('that is taken is a conflict naming the order, and takes no stock', async () => {
    const productId = await product({ stock: { quantity: 5 } });
    const order = await placeOrder(api, kitchen);
    const items = [{ product_id: productId, quantity: 1 }];
    const answer = await postOrder(api, orderBody(kitchen, { external_id: order.external_id, items }));
    expect(answer.status, answer.text).toBe(409);
    const { code, message } = refusalOf(answer);
    expect(code).toBe('conflict');
    expect(message).toContain(order.id);
    expect(await stockOf(productId)).toBe(5);
  });

  it('may be the same at another location', async () => {
    const order = await placeOrder(api, kitchen);
    const locationId = await createLocation(api.app.database);
    const there = await createOrderKitchen(api, locationId);
    const { key } = await createKey(api.app.database, { locationId });
    const answer = await postOrder(api, orderBody(there, { external_id: order.external_id }), { key });
    expect(answer.status, answer.text).toBe(201);
  });
});

describe('stock', () => {
  it('is taken over all lines, to the last, and refused beyond it with what is left', async () => {
    const productId = await product({ stock: { quantity: 3.5 } });
    const line = (quantity: number) => ({ product_id: productId, quantity });
    expect(await refused({ items: [line(2), line(2)] })).toBe(
      'items[1].quantity: insufficient stock, only 3.5 left',
    );
    expect(await stockOf(productId)).toBe(3.5);
    await placeOrder(api, kitchen, { items: [line(2), line(1.5)] });
    expect(await stockOf(productId)).toBe(0);
    expect(await refused({ items: [line(0.001)] })).toBe(
      'items[0].quantity: insufficient stock, only 0 left',
    );
  });

  it('that is not enabled is neither asked nor taken', async () => {
    const productId = await product({ stock: { enabled: false, quantity: 1 } });
    await placeOrder(api, kitchen, { items: [{ product_id: productId, quantity: 7 }] });
    expect(await stockOf(productId)).toBe(1);
  });

  it('of chosen items is taken for every one of the product, and refused at the item', async () => {
    const productId = await product({ stock: { quantity: 10 } });
    const { itemIds } = await createSubselection(api.app.database, {
      locationId: api.locationId,
      productId,
      maxSelection: 9,
      single: false,
      items: [
        { max: 9, stockEnabled: true, stockQuantity: 6 },
        { max: 9, stockEnabled: false, stockQuantity: 1 },
      ],
    });
    const itemStock = async () =>
      (
        await api.app.database.prisma.subselectionItem.findFirst({ where: { id: itemIds[0] ?? '' } })
      )?.stockQuantity.toNumber();
    const items = (quantity: number) => [
      {
        product_id: productId,
        quantity,
        subselections: [
          { item_id: itemIds[1], quantity: 5 },
          { item_id: itemIds[0], quantity: 2 },
        ],
      },
    ];
    expect(await refused({ items: items(4) })).toBe(
      'items[0].subselections[1].quantity: insufficient stock, only 6 left',
    );
    expect([await stockOf(productId), await itemStock()]).toEqual([10, 6]);
    await placeOrder(api, kitchen, { items: items(3) });
    expect([await stockOf(productId), await itemStock()]).toEqual([7, 0]);
  });
});

describe('POST /v2/orders answers 422', () => {
  it('naming every failing field of the body, at most ten', async () => {
    const answer = await postOrder(api, {});
    expect(answer.status).toBe(422);
    const named = refusalOf(answer)
      .message.split('; ')
      .map((fault) => fault.split(':')[0]);
    expect(new Set(named)).toEqual(
      new Set(['external_id', 'is_take_away', 'identifier', 'items', 'payment_method_id']),
    );
    const items = Array.from({ length: 12 }, () => ({ product_id: 7 }));
    expect(await refused({ items })).toMatch(/; and 14 more$/);
  });

  it('naming unknown products, items and methods together', async () => {
    const message = await refused({
      items: [
        { product_id: randomUUID(), quantity: 1 },
        { product_id: 'not an id', quantity: 1 },
        { product_id: kitchen.productId, quantity: 1, subselections: [{ item_id: 'x', quantity: 1 }] },
      ],
      payment_method_id: randomUUID(),
    });
    expect(message.split('; ')).toEqual([
      'items[0].product_id: unknown product',
      'items[1].product_id: unknown product',
      'items[2].subselections[0].item_id: unknown item of this product',
      'payment_method_id: unknown payment method',
    ]);
  });

  it("for another location's product, item and method, as if they did not exist", async () => {
    const locationId = await createLocation(api.app.database);
    const there = await createOrderKitchen(api, locationId);
    const { itemIds } = await createSubselection(api.app.database, {
      locationId,
      productId: there.productId,
      items: [{}],
    });
    const message = await refused({
      items: [
        { product_id: there.productId, quantity: 1 },
        { product_id: kitchen.productId, quantity: 1, subselections: [{ item_id: itemIds[0], quantity: 1 }] },
      ],
      payment_method_id: there.paymentMethodId,
    });
    expect(message.split('; ')).toEqual([
      'items[0].product_id: unknown product',
      'items[1].subselections[0].item_id: unknown item of this product',
      'payment_method_id: unknown payment method',
    ]);
  });

  it('for a payment method that is disabled', async () => {
    const disabled = await createPaymentMethod(api.app.database, {
      locationId: api.locationId,
      enabled: false,
    });
    expect(await refused({ payment_method_id: disabled })).toBe('payment_method_id: is disabled');
  });

  it('for a total beyond the largest amount', async () => {
    const dear = await product({ price: 9_999_999_999.99 });
    await placeOrder(api, kitchen, { items: [{ product_id: dear, quantity: 1 }] });
    expect(await refused({ items: [{ product_id: dear, quantity: 1.001 }] })).toBe(
      'items: the total is more than 9999999999.99',
    );
  });

  const item = (overrides: object) => ({ items: [{ product_id: 'p', quantity: 1, ...overrides }] });
  it.each<[string, Record<string, unknown>, string]>([
    ['quantity 0', item({ quantity: 0 }), 'items[0].quantity'],
    ['a negative quantity', item({ quantity: -1 }), 'items[0].quantity'],
    ['four decimals', item({ quantity: 1.0001 }), 'items[0].quantity'],
    ['too large a quantity', item({ quantity: 1e10 }), 'items[0].quantity'],
    ['a quantity as text', item({ quantity: '1' }), 'items[0].quantity'],
    ['no quantity', item({ quantity: undefined }), 'items[0].quantity'],
    ['a comment of 1,001 characters', item({ comment: '😀'.repeat(1_001) }), 'items[0].comment'],
    ['a comment that is null', item({ comment: null }), 'items[0].comment'],
    [
      'half a chosen item',
      item({ subselections: [{ item_id: 'i', quantity: 1.5 }] }),
      'items[0].subselections[0].quantity',
    ],
    [
      'none of a chosen item',
      item({ subselections: [{ item_id: 'i', quantity: 0 }] }),
      'items[0].subselections[0].quantity',
    ],
    ['an external_id of 256 characters', { external_id: '€'.repeat(256) }, 'external_id'],
    ['an empty external_id', { external_id: '' }, 'external_id'],
    ['a control character in external_id', { external_id: 'a\u0007' }, 'external_id'],
    ['U+0000 in the identifier', { identifier: 'a\0b' }, 'identifier'],
    ['an unpaired surrogate in a comment', item({ comment: '\ud83d' }), 'items[0].comment'],
    ['an empty channel', { channel: '' }, 'channel'],
    ['is_take_away as text', { is_take_away: 'true' }, 'is_take_away'],
    ['items that are an object', { items: {} }, 'items'],
  ])('for %s', async (_, overrides, path) => {
    expect((await refused(overrides)).startsWith(`${path}: `)).toBe(true);
  });

  it('but not for the longest texts, counted in code points', async () => {
    const order = await placeOrder(api, kitchen, {
      external_id: '😀'.repeat(255),
      channel: '😀'.repeat(255),
      identifier: '😀'.repeat(255),
      items: [{ product_id: kitchen.productId, quantity: 1, comment: '😀'.repeat(1_000) }],
    });
    expect(order.external_id).toBe('😀'.repeat(255));
    expect(order.items[0]?.comment).toBe('😀'.repeat(1_000));
  });
});

describe('POST /v2/orders answers 403', () => {
  it('to a key without orders:write', async () => {
    const { key } = await createKey(api.app.database, {
      locationId: api.locationId,
      permissions: ['orders:read'],
    });
    const answer = await postOrder(api, orderBody(kitchen), { key });
    expect(answer.status).toBe(403);
    expect(refusalOf(answer)).toMatchObject({ code: 'permission_denied' });
  });
});

describe('an order written by hand ahead of the counter', () => {
  it('does not stand in the way of the next number', async () => {
    const { database } = api.app;
    const locationId = await createLocation(database);
    const there = await createOrderKitchen(api, locationId);
    const { key } = await createKey(database, { locationId });
    await postOrder(api, orderBody(there), { key });
    await database.prisma.order.create({
      data: { locationId, number: 2, total: 0, paymentMethodId: there.paymentMethodId },
    });
    const answer = await postOrder(api, orderBody(there), { key });
    expect(answer.status, answer.text).toBe(201);
    expect(orderOf(answer).number).toBe(3);
  });
});
