import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { refusalOf } from '../support/answers.ts';
import { useApi } from '../support/api.ts';
import { createOrderKitchen, orderOf, postOrder, useOrderKitchen } from '../support/orders.ts';

const api = useApi();
const kitchen = useOrderKitchen(api);

const stockOf = async (productId: string) =>
  (await api.prisma.productStock.findFirst({ where: { productId } }))?.quantity.toNumber();

describe('an Idempotency-Key', () => {
  it('replays the original byte for byte, in any later state of the order', async () => {
    const idempotencyKey = randomUUID();
    const body = kitchen.body();
    const first = await postOrder(api, body, { idempotencyKey });
    const { id } = orderOf(first);
    await api.rest(`PATCH /v2/orders/${id}/status`, { body: { status: 'ready' } });
    const reordered = Object.fromEntries(Object.entries(body).reverse());
    const second = await postOrder(api, reordered, { idempotencyKey });
    expect([second.status, second.text]).toEqual([201, first.text]);
    expect(second.headers.get('location')).toBe(first.headers.get('location'));
    expect(second.headers.get('idempotency-replayed')).toBe('true');
    expect(await api.prisma.order.count({ where: { externalId: String(body.external_id) } })).toBe(1);
  });

  it('replays after the product is gone and the stock is used up', async () => {
    const productId = await api.make.product({ stock: { quantity: 1 } });
    const idempotencyKey = randomUUID();
    const body = kitchen.body({ items: [{ product_id: productId, quantity: 1 }] });
    const first = await postOrder(api, body, { idempotencyKey });
    expect(first.status, first.text).toBe(201);
    await api.prisma.product.deleteMany({ where: { id: productId } });
    expect((await postOrder(api, body, { idempotencyKey })).text).toBe(first.text);
  });

  it('with another body is a conflict, also when only an unknown field differs', async () => {
    const idempotencyKey = randomUUID();
    const body = kitchen.body();
    await postOrder(api, body, { idempotencyKey });
    for (const other of [{ ...body, identifier: 'Table 5' }, { ...body, note: 1 }, {}]) {
      refusalOf(await postOrder(api, other, { idempotencyKey }), 409, 'conflict');
    }
  });

  it('stays unused when the request was refused', async () => {
    const idempotencyKey = randomUUID();
    const bad = kitchen.body({ items: [{ product_id: 'nothing', quantity: 1 }] });
    expect((await postOrder(api, bad, { idempotencyKey })).status).toBe(422);
    expect((await kitchen.post({}, { idempotencyKey })).status).toBe(201);
  });

  it('is scoped to the credential', async () => {
    const other = await api.make.key();
    const idempotencyKey = randomUUID();
    const mine = await kitchen.post({}, { idempotencyKey });
    const theirs = await kitchen.post({}, { idempotencyKey, key: other.key });
    expect([mine.status, theirs.status]).toEqual([201, 201]);
  });

  it('is free again after its time', async () => {
    const idempotencyKey = randomUUID();
    await kitchen.post({}, { idempotencyKey });
    await api.prisma.idempotencyKey.updateMany({
      where: { key: idempotencyKey },
      data: { createdAt: new Date(Date.now() - 169 * 3_600_000) },
    });
    const later = await kitchen.post({}, { idempotencyKey });
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
    const answer = await api.rest('POST /v2/orders', { body: kitchen.body(), headers });
    expect(refusalOf(answer, 422, 'validation_error')).toMatch(/^Idempotency-Key: /);
  });
});

describe('an external_id', () => {
  it('that is taken is a conflict naming the order, and takes no stock', async () => {
    const productId = await api.make.product({ stock: { quantity: 5 } });
    const order = await kitchen.place();
    const items = [{ product_id: productId, quantity: 1 }];
    const answer = await kitchen.post({ external_id: order.external_id, items });
    expect(refusalOf(answer, 409, 'conflict')).toContain(order.id);
    expect(await stockOf(productId)).toBe(5);
  });

  it('may be the same at another location', async () => {
    const { external_id } = await kitchen.place();
    await (await createOrderKitchen(await api.place())).place({ external_id });
  });
});
