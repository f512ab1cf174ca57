import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { OrderStatus } from '../../packages/api/src/resources/orders/schema.ts';
import { refusalOf } from '../support/answers.ts';
import { useApi } from '../support/api.ts';
import { createOrderKitchen, orderOf, useOrderKitchen } from '../support/orders.ts';

const api = useApi();
const kitchen = useOrderKitchen(api);

const patch = (id: string, status: unknown, version = 'v2') =>
  api.rest(`PATCH /${version}/orders/${id}/status`, { body: { status } });
const cancel = (id: string, body: unknown = {}) => api.rest(`POST /v2/orders/${id}/cancel`, { body });

const wayTo: Record<OrderStatus, OrderStatus[]> = {
  pending: [],
  ready: ['ready'],
  closed: ['ready', 'closed'],
  canceled: ['canceled'],
};
async function orderIn(status: OrderStatus): Promise<string> {
  const { id } = await kitchen.place();
  for (const step of wayTo[status]) expect((await patch(id, step)).status).toBe(200);
  return id;
}

describe('PATCH /v2/orders/{id}/status', () => {
  it.each<[OrderStatus, OrderStatus]>([
    ['pending', 'ready'],
    ['pending', 'canceled'],
    ['ready', 'closed'],
    ['ready', 'canceled'],
  ])('answers 200 with the full order when it moves from %s to %s', async (from, to) => {
    const id = await orderIn(from);
    const answer = await patch(id, to);
    expect(answer.status, answer.text).toBe(200);
    expect(orderOf(answer).status).toBe(to);
    expect((await api.rest(`GET /v2/orders/${id}`)).text).toBe(answer.text);
  });

  it.each<[OrderStatus, OrderStatus, string]>([
    ['pending', 'pending', 'from pending it may move to ready or canceled'],
    ['pending', 'closed', 'from pending it may move to ready or canceled'],
    ['ready', 'pending', 'from ready it may move to closed or canceled'],
    ['ready', 'ready', 'from ready it may move to closed or canceled'],
    ['closed', 'pending', 'closed is final'],
    ['closed', 'ready', 'closed is final'],
    ['closed', 'closed', 'closed is final'],
    ['closed', 'canceled', 'closed is final'],
    ['canceled', 'pending', 'canceled is final'],
    ['canceled', 'ready', 'canceled is final'],
    ['canceled', 'closed', 'canceled is final'],
    ['canceled', 'canceled', 'canceled is final'],
  ])('answers 409 when it is to move from %s to %s', async (from, to, rule) => {
    const id = await orderIn(from);
    const before = (await api.rest(`GET /v2/orders/${id}`)).text;
    const answer = await patch(id, to);
    const message = `The order cannot move from ${from} to ${to}: ${rule}.`;
    expect(refusalOf(answer, 409, 'conflict')).toBe(message);
    expect((await api.rest(`GET /v2/orders/${id}`)).text).toBe(before);
  });

  it.each([
    ['unknown', 'shipped'],
    ['missing', undefined],
    ['null', null],
    ['a number', 1],
  ])('answers 422 when the status is %s', async (_, status) => {
    const answer = await patch(await orderIn('pending'), status);
    expect(refusalOf(answer, 422, 'validation_error')).toMatch(/^status: /);
  });

  it("answers 404 for an unknown, a malformed and another location's order", async () => {
    const elsewhere = await api.place();
    const foreign = await (await createOrderKitchen(elsewhere)).place();
    for (const id of [randomUUID(), 'nothing', foreign.id])
      expect(refusalOf(await patch(id, 'ready'), 404, 'resource_not_found')).toBe('Order not found');
    expect(orderOf(await elsewhere.rest(`GET /v2/orders/${foreign.id}`)).status).toBe('pending');
  });

  it('has the same result on v1', async () => {
    const id = await orderIn('pending');
    expect(orderOf(await patch(id, 'ready', 'v1')).status).toBe('ready');
    expect((await patch(id, 'ready', 'v1')).status).toBe(409);
  });

  it('keeps the payment pending when the order is ready and closed', async () => {
    const id = await orderIn('closed');
    expect(orderOf(await api.rest(`GET /v2/orders/${id}`)).payment.status).toBe('pending');
  });
});

describe('POST /v2/orders/{id}/cancel', () => {
  it('answers 200 with the full order and rejects its pending payment', async () => {
    const order = orderOf(await cancel((await kitchen.place()).id));
    expect(order).toMatchObject({ status: 'canceled', payment: { status: 'rejected' } });
    expect(Object.keys(order)).not.toContain('cancel_reason');
  });

  it('keeps the reason, to 500 code points', async () => {
    const { id } = await kitchen.place();
    const reason = '😀'.repeat(500);
    expect(orderOf(await cancel(id, { reason })).cancel_reason).toBe(reason);
    expect(orderOf(await api.rest(`GET /v1/orders/${id}`)).cancel_reason).toBe(reason);
  });

  it('answers 422 for a longer reason, null, and U+0000, and leaves the order', async () => {
    const { id } = await kitchen.place();
    for (const reason of ['a'.repeat(501), null, 'a\0', 1]) {
      const answer = await cancel(id, { reason });
      expect(refusalOf(answer, 422, 'validation_error')).toMatch(/^reason: /);
    }
    expect(orderOf(await api.rest(`GET /v2/orders/${id}`)).status).toBe('pending');
  });

  it('takes no body at all', async () => {
    const { id } = await kitchen.place();
    expect((await api.rest(`POST /v2/orders/${id}/cancel`)).status).toBe(200);
  });

  it('answers 409 when the order is closed, or canceled before', async () => {
    for (const status of ['closed', 'canceled'] as const) {
      const message = refusalOf(await cancel(await orderIn(status)), 409, 'conflict');
      expect(message).toContain(`from ${status} to canceled: ${status} is final`);
    }
  });

  it('leaves a completed payment completed', async () => {
    const { id } = await kitchen.place();
    await api.prisma.payment.updateMany({ where: { orderId: id }, data: { status: 'completed' } });
    expect(orderOf(await cancel(id)).payment.status).toBe('completed');
  });
});

describe('canceling gives back', () => {
  it('exactly what was taken, of products and of chosen items', async () => {
    const { order, stock } = await stocked();
    expect(await stock()).toEqual([6.5, 3]);
    await cancel(order.id);
    expect(await stock()).toEqual([10, 10]);
  });

  it('what was taken, also when counting was turned off meanwhile', async () => {
    const { order, stock, setEnabled } = await stocked();
    await setEnabled(false);
    await cancel(order.id);
    expect(await stock()).toEqual([10, 10]);
  });

  it('nothing when counting was off as the order was made and is on by now', async () => {
    const { order, stock, setEnabled } = await stocked(false);
    expect(await stock()).toEqual([10, 10]);
    await setEnabled(true);
    await cancel(order.id);
    expect(await stock()).toEqual([10, 10]);
  });

  it('only once', async () => {
    const { order, stock } = await stocked();
    await patch(order.id, 'canceled');
    await patch(order.id, 'canceled');
    await cancel(order.id);
    expect(await stock()).toEqual([10, 10]);
  });

  it('nothing when the product was deleted, and cancels anyway', async () => {
    const { order, productId } = await stocked();
    await api.prisma.product.deleteMany({ where: { id: productId } });
    expect(orderOf(await cancel(order.id)).status).toBe('canceled');
  });
});

async function stocked(enabled = true) {
  const productId = await api.make.product({ stock: { enabled, quantity: 10 } });
  const items = [{ max: 2, stockEnabled: enabled, stockQuantity: 10 }];
  const { itemIds } = await api.make.subselection({ productId, maxSelection: 2, items });
  const [itemId = ''] = itemIds;
  const subselections = [{ item_id: itemId, quantity: 2 }];
  const order = await kitchen.place({
    items: [1.5, 2].map((quantity) => ({ product_id: productId, quantity, subselections })),
  });
  return {
    order,
    productId,
    async stock() {
      const product = await api.prisma.productStock.findFirstOrThrow({ where: { productId } });
      const item = await api.prisma.subselectionItem.findFirstOrThrow({ where: { id: itemId } });
      return [product.quantity.toNumber(), item.stockQuantity.toNumber()];
    },
    async setEnabled(on: boolean) {
      await api.prisma.productStock.updateMany({ where: { productId }, data: { enabled: on } });
      await api.prisma.subselectionItem.updateMany({ where: { id: itemId }, data: { stockEnabled: on } });
    },
  };
}
