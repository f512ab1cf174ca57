import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { useApi } from '../support/api.ts';
import { createOrderKitchen, orderOf, useOrderKitchen } from '../support/orders.ts';
import { words } from '../support/words.ts';

const api = useApi();
const kitchen = useOrderKitchen(api);

const stockOf = async (productId: string) =>
  (await api.prisma.productStock.findFirst({ where: { productId } }))?.quantity.toNumber();
const refused = (overrides: Record<string, unknown>, path?: string) => kitchen.refuse(overrides, path);

describe('POST /v2/orders answers 201', () => {
  it('with the full order, its pending payment, and Location', async () => {
    const answer = await kitchen.post({
      external_id: 'PO-full',
      channel: 'kiosk',
      is_take_away: true,
      items: [{ product_id: kitchen.productId, quantity: 2, comment: 'Extra hot' }],
    });
    expect(answer.status, answer.text).toBe(201);
    const order = orderOf(answer);
    const line = { product_id: kitchen.productId, name: 'Flat White', quantity: 2, comment: 'Extra hot' };
    expect(order).toMatchObject({
      status: 'pending',
      total: 25,
      payment: { status: 'pending' },
      external_id: 'PO-full',
      channel: 'kiosk',
      is_take_away: true,
      identifier: 'Table 4',
      payment_method_id: kitchen.paymentMethodId,
      items: [{ ...line, unit_price: 12.5, total: 25 }],
    });
    expect(answer.headers.get('location')).toBe(`/v2/orders/${order.id}`);
    expect(answer.headers.get('idempotency-replayed')).toBeNull();
    const read = await api.rest(`GET /v2/orders/${order.id}`);
    expect(read.text).toBe(answer.text);
    const payment = await api.prisma.payment.findFirst({ where: { orderId: order.id } });
    expect(payment).toMatchObject({ id: order.payment.id, status: 'pending' });
    expect(payment?.amount.toNumber()).toBe(25);
  });

  it('leaving out what has no value, and keeping an empty identifier', async () => {
    const order = await kitchen.place({ identifier: '' });
    expect(order.identifier).toBe('');
    expect(Object.keys(order)).not.toContain('channel');
    expect(Object.keys(order)).not.toContain('cancel_reason');
    expect(Object.keys(order.items[0] ?? {})).toEqual(words('product_id name quantity unit_price total'));
  });

  it('with numbers that count up from 1 at each location', async () => {
    const first = await kitchen.place();
    const second = await kitchen.place();
    expect(second.number).toBe(first.number + 1);
    expect((await (await createOrderKitchen(await api.place())).place()).number).toBe(1);
  });

  it('without a gap in the numbers after a refusal', async () => {
    const before = await kitchen.place();
    const scarce = await api.make.product({ stock: { quantity: 1 } });
    await refused({ items: [{ product_id: scarce, quantity: 2 }] });
    const conflicted = await kitchen.post({ external_id: before.external_id });
    expect(conflicted.status).toBe(409);
    expect((await kitchen.place()).number).toBe(before.number + 1);
  });

  it('for products and their chosen items, priced exactly', async () => {
    const productId = await api.make.product({ price: 3.33 });
    const { itemIds } = await api.make.subselection({
      productId,
      maxSelection: 5,
      single: false,
      items: [0.45, 1.1].map((price) => ({ price, max: 5 })),
    });
    const chosen = (item: number, quantity: number) => ({ item_id: itemIds[item], quantity });
    const subselections = [chosen(0, 1), chosen(1, 1), chosen(0, 2)];
    const order = await kitchen.place({
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
    const hidden = await api.make.product();
    await api.prisma.product.updateMany({ where: { id: hidden }, data: { visible: false } });
    const order = await kitchen.place({ items: [{ product_id: hidden, quantity: 1 }] });
    expect(order.items[0]?.product_id).toBe(hidden);
  });

  it('for 200 items, and 422 for none or 201', async () => {
    const items = (count: number) =>
      Array.from({ length: count }, () => ({ product_id: kitchen.productId, quantity: 0.001 }));
    expect((await kitchen.place({ items: items(200) })).items).toHaveLength(200);
    expect(await refused({ items: items(201) })).toBe('items: must hold 1 to 200 items');
    expect(await refused({ items: [] })).toBe('items: must hold 1 to 200 items');
  });

  it('keeping the prices of its creation when the product changes, and the product when it is deleted', async () => {
    const productId = await api.make.product({ price: 5, name: 'Cortado' });
    const order = await kitchen.place({ items: [{ product_id: productId, quantity: 1 }] });
    await api.prisma.product.updateMany({ where: { id: productId }, data: { price: 9, name: 'Other' } });
    expect(orderOf(await api.rest(`GET /v2/orders/${order.id}`))).toEqual(order);
    await api.prisma.product.deleteMany({ where: { id: productId } });
    expect(orderOf(await api.rest(`GET /v2/orders/${order.id}`))).toEqual(order);
  });

  it('joining the turn that is open', async () => {
    const elsewhere = await api.place();
    const there = await createOrderKitchen(elsewhere);
    const turn = await api.prisma.turn.create({ data: { locationId: elsewhere.locationId, batchNumber: 1 } });
    const during = await there.place();
    await api.prisma.turn.updateMany({ where: { id: turn.id }, data: { status: 'closed' } });
    const after = await there.place();
    const turnOf = async (id: string) => (await api.prisma.order.findFirst({ where: { id } }))?.turnId;
    expect(await turnOf(during.id)).toBe(turn.id);
    expect(await turnOf(after.id)).toBeNull();
  });
});

describe('POST /v1/orders', () => {
  it('answers 201 with the same order and its own Location', async () => {
    const answer = await kitchen.post({}, { path: '/v1/orders' });
    expect(answer.status, answer.text).toBe(201);
    expect(answer.headers.get('location')).toBe(`/v1/orders/${orderOf(answer).id}`);
  });

  it('ignores external_product_id, which v2 holds against the product', async () => {
    const productId = await api.make.product({ externalId: 'SKU-own' });
    const items = [{ product_id: productId, quantity: 1, external_product_id: 'SKU-other' }];
    const answer = await kitchen.post({ items }, { path: '/v1/orders' });
    expect(answer.status, answer.text).toBe(201);
    expect(await refused({ items })).toBe(
      'items[0].external_product_id: contradicts the product\'s external_id "SKU-own"',
    );
    for (const [product_id, external_product_id] of [
      [productId, 'SKU-own'],
      [kitchen.productId, 'anything'],
    ])
      await kitchen.place({ items: [{ product_id, quantity: 1, external_product_id }] });
  });

  it('is another operation than v2 for idempotency', async () => {
    const idempotencyKey = randomUUID();
    const v1 = await kitchen.post({}, { path: '/v1/orders', idempotencyKey });
    const v2 = await kitchen.post({}, { idempotencyKey });
    expect([v1.status, v2.status]).toEqual([201, 201]);
    expect(orderOf(v1).id).not.toBe(orderOf(v2).id);
  });
});

describe('stock', () => {
  it('is taken over all lines, to the last, and refused beyond it with what is left', async () => {
    const productId = await api.make.product({ stock: { quantity: 3.5 } });
    const line = (quantity: number) => ({ product_id: productId, quantity });
    expect(await refused({ items: [line(2), line(2)] })).toBe(
      'items[1].quantity: insufficient stock, only 3.5 left',
    );
    expect(await stockOf(productId)).toBe(3.5);
    await kitchen.place({ items: [line(2), line(1.5)] });
    expect(await stockOf(productId)).toBe(0);
    expect(await refused({ items: [line(0.001)] })).toBe(
      'items[0].quantity: insufficient stock, only 0 left',
    );
  });

  it('that is not enabled is neither asked nor taken', async () => {
    const productId = await api.make.product({ stock: { enabled: false, quantity: 1 } });
    await kitchen.place({ items: [{ product_id: productId, quantity: 7 }] });
    expect(await stockOf(productId)).toBe(1);
  });

  it('of chosen items is taken for every one of the product, and refused at the item', async () => {
    const productId = await api.make.product({ stock: { quantity: 10 } });
    const { itemIds } = await api.make.subselection({
      productId,
      maxSelection: 9,
      single: false,
      items: [
        { max: 9, stockEnabled: true, stockQuantity: 6 },
        { max: 9, stockEnabled: false, stockQuantity: 1 },
      ],
    });
    const { subselectionItem } = api.prisma;
    const itemStock = async () =>
      (await subselectionItem.findFirst({ where: { id: itemIds[0] ?? '' } }))?.stockQuantity.toNumber();
    const subselections = [5, 2].map((quantity, index) => ({ item_id: itemIds[1 - index], quantity }));
    const items = (quantity: number) => [{ product_id: productId, quantity, subselections }];
    expect(await refused({ items: items(4) })).toBe(
      'items[0].subselections[1].quantity: insufficient stock, only 6 left',
    );
    expect([await stockOf(productId), await itemStock()]).toEqual([10, 6]);
    await kitchen.place({ items: items(3) });
    expect([await stockOf(productId), await itemStock()]).toEqual([7, 0]);
  });
});

it('an order written by hand ahead of the counter does not block the next number', async () => {
  const elsewhere = await api.place();
  const there = await createOrderKitchen(elsewhere);
  await there.place();
  const [{ locationId }, { paymentMethodId }] = [elsewhere, there];
  await api.prisma.order.create({ data: { locationId, number: 2, total: 0, paymentMethodId } });
  expect((await there.place()).number).toBe(3);
});
