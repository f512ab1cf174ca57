import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { OrderPage, OrderWithBooks } from '../../packages/api/src/resources/orders/schema.ts';
import { Payment, PaymentPage } from '../../packages/api/src/resources/payments/schema.ts';
import { SalesReport } from '../../packages/api/src/resources/sales-reports/schema.ts';
import { Settlement } from '../../packages/api/src/resources/settlements/schema.ts';
import { dataOf } from '../support/answers.ts';
import { underDeed, useHand } from '../support/by-hand.ts';
import { createOrderKitchen as kitchenOf, useOrderKitchen } from '../support/orders.ts';
import { useSteppedApi } from '../support/published.ts';
import { parseStrict } from '../support/strict.ts';
import { eventsOf } from './events-of.ts';

const api = useSteppedApi();
const kitchen = useOrderKitchen(api);
const hand = useHand(api, { role: 'admin' });

const add = (orderId: string, methodId: string, key: string = randomUUID()) =>
  api.rest(`POST /v2/orders/${orderId}/payments`, {
    body: { payment_method_id: methodId },
    headers: { 'Idempotency-Key': key },
  });
const reject = (id: string) => api.client().payments.reject.mutate({ id });
const read = async (id: string, include: string) =>
  dataOf(await api.rest(`GET /v2/orders/${id}?include=${include}`), 200, OrderWithBooks);

/** An order whose payment was rejected. */
async function unpaid() {
  const order = await kitchen.place();
  await reject(order.payment.id);
  return order;
}

describe('POST /v2/orders/{id}/payments', () => {
  it('adds the payment that the order shows from then on, once for a key, and publishes both', async () => {
    const qr = await api.make.paymentMethod({ name: 'QR', type: 'qr' });
    const order = await unpaid();
    const since = new Date().toISOString();
    let added: Awaited<ReturnType<typeof add>> | undefined;
    const events = await eventsOf(api, async () => {
      added = await add(order.id, qr, 'once');
    });
    const payment = dataOf(added ?? expect.fail(), 201, Payment);
    expect(payment).toMatchObject({
      order_id: order.id,
      payment_method_id: qr,
      method: 'qr',
      amount: 12.5,
      status: 'pending',
    });
    expect(added?.headers.get('location')).toBe(`/v2/payments/${payment.id}`);
    expect((await add(order.id, qr, 'once')).text).toBe(added?.text);

    const shown = await read(order.id, 'payments,books');
    expect(shown).toMatchObject({
      payment_method_id: qr,
      payment: { id: payment.id, status: 'pending' },
      payments: [
        { id: order.payment.id, status: 'rejected', payment_method_id: kitchen.paymentMethodId },
        payment,
      ],
    });
    const { payments, turn_id, settlement_id, ...plain } = shown;
    expect(events.map(({ type, data }) => [type, data]).sort()).toEqual([
      ['order.updated', plain],
      ['payment.created', payment],
    ]);
    const inList = await api.client().orders.list.query({ limit: 1, include: ['payments'] });
    expect(inList.data).toMatchObject([{ id: order.id, payments }]);
    const query = `updated_since=${since}&include=payments`;
    const changed = parseStrict(OrderPage, (await api.rest(`GET /v2/orders?${query}`)).body);
    expect(changed.data).toMatchObject([{ id: order.id, payments }]);
    const overview = await api.client().orders.overview.query({ id: order.id });
    expect(overview).toMatchObject({ payment, payments });
    const timeline = await api.client().orders.timeline.query({ id: order.id });
    const created = timeline.flatMap((entry) =>
      entry.kind === 'event' && entry.event_type === 'payment.created' ? [entry.resource_id] : [],
    );
    expect(created).toEqual([order.payment.id, payment.id]);
  });

  it('counts every payment of a location', async () => {
    const order = await unpaid();
    await add(order.id, kitchen.paymentMethodId);
    const all = async (query: string) =>
      parseStrict(PaymentPage, (await api.rest(`GET /v2/payments?${query}`)).body);
    const listed = await all('limit=200');
    expect(listed.pagination.total).toBe(listed.data.length);
    expect((await all(`order_id=${order.id}`)).data.map(({ status }) => status)).toEqual([
      'pending',
      'rejected',
    ]);
  });

  it('of calls at once one wins, also beside one by hand', async () => {
    for (let round = 0; round < 5; round += 1) {
      const order = await unpaid();
      const outcomes = await Promise.all([
        ...Array.from({ length: 4 }, async () => (await add(order.id, kitchen.paymentMethodId)).status),
        insert(order.id).then(
          () => 201,
          ({ message }: Error) =>
            message.includes('payments_location_id_order_id_replaced_key') ? 409 : message,
        ),
      ]);
      expect(outcomes.sort()).toEqual([201, 409, 409, 409, 409]);
      expect((await read(order.id, 'payments')).payments).toHaveLength(2);
    }
  });

  it('refuses another one of a pending, a completed and a canceled one, and an unusable method', async () => {
    const reasonOf = async (answer: ReturnType<typeof add>) => {
      const { status, headers } = await answer;
      return [status, headers.get('x-error-reason')];
    };
    const disabled = await api.make.paymentMethod({ enabled: false });
    const order = await kitchen.place();
    const to = (method = kitchen.paymentMethodId) => reasonOf(add(order.id, method));
    expect(await to()).toEqual([409, 'payment_open']);
    await reject(order.payment.id);
    expect(await to(disabled)).toEqual([422, 'payment_method_unusable']);
    expect(await to(order.id)).toEqual([422, 'payment_method_unusable']);
    const paid = dataOf(await add(order.id, kitchen.paymentMethodId), 201, Payment);
    await api.client().payments.complete.mutate({ id: paid.id });
    expect(await to()).toEqual([409, 'payment_completed']);
    const canceled = await unpaid();
    await api.client().orders.cancel.mutate({ id: canceled.id });
    expect(await reasonOf(add(canceled.id, kitchen.paymentMethodId))).toEqual([409, 'order_canceled']);
    expect((await reasonOf(add(randomUUID(), kitchen.paymentMethodId)))[0]).toBe(404);
    expect((await api.rest(`POST /v2/orders/${order.id}/payments`, { body: {} })).status).toBe(422);
  });

  it('by the typed client, as often as it is rejected; each is canceled with its order', async () => {
    const order = await unpaid();
    const { orders } = api.client();
    const again = () =>
      orders.addPayment.mutate({
        id: order.id,
        payment_method_id: kitchen.paymentMethodId,
        idempotencyKey: randomUUID(),
      });
    const second = await again();
    await reject(second.id);
    const third = await again();
    await orders.cancel.mutate({ id: order.id });
    const { payments } = await orders.get.query({ id: order.id, include: ['payments'] });
    expect(payments?.map(({ id, status }) => [id, status])).toEqual(
      [order.payment.id, second.id, third.id].map((id) => [id, 'rejected']),
    );
  });
});

describe('a rejected order that is paid in cash', () => {
  it('is in reports and its settlement once, under the method that paid', async () => {
    const place = await api.place();
    const client = place.client();
    const [card, cash] = [
      await place.make.paymentMethod({ type: 'card' }),
      await place.make.paymentMethod({ type: 'cash' }),
    ];
    await client.turns.open.mutate();
    const { place: placed } = await kitchenOf(place);
    const order = await placed({ payment_method_id: card });
    await client.payments.reject.mutate({ id: order.payment.id });
    const paid = await client.orders.addPayment.mutate({
      id: order.id,
      payment_method_id: cash,
      idempotencyKey: randomUUID(),
    });
    await client.payments.complete.mutate({ id: paid.id });
    const { completed_at } = await client.orders.get.query({ id: order.id, include: ['books'] });
    expect(completed_at).toBe(
      (await client.payments.get.query({ id: paid.id, include: ['books'] })).completed_at,
    );
    const today = new Date().toISOString().slice(0, 10);
    for (const group_by of ['payment_method', 'day'] as const) {
      const report = await place.rest(`GET /v2/sales-reports?from=${today}&to=${today}&group_by=${group_by}`);
      expect(dataOf(report, 200, SalesReport)).toMatchObject({
        total_orders: 1,
        total_amount: 12.5,
        rows: [{ orders: 1, amount: 12.5, ...(group_by === 'payment_method' && { key: cash }) }],
      });
    }
    await client.turns.close.mutate();
    const { body } = await place.rest('GET /v2/settlements?limit=1');
    const [{ id } = { id: '' }] = z.object({ data: z.array(z.object({ id: z.string() })) }).parse(body).data;
    expect(dataOf(await place.rest(`GET /v2/settlements/${id}`), 200, Settlement)).toMatchObject({
      total_orders: 1,
      total_collected: 12.5,
      payments: [{ method: 'cash', count: 1, amount: 12.5 }],
    });
  });
});

/** Another payment by a person, of what the order comes to unless said. */
const insert = (orderId: string, more: Record<string, unknown> = {}) => {
  const row = {
    location_id: api.locationId,
    order_id: orderId,
    payment_method_id: kitchen.paymentMethodId,
    amount: '12.5',
    ...more,
  };
  const places = Object.keys(row).map((_, index) => `$${index + 1}`);
  return hand.sql(
    `insert into payments (${Object.keys(row).join()}) values (${places.join()})`,
    Object.values(row),
  );
};

describe('by hand', () => {
  it('another payment is published and shown as by a call', async () => {
    const order = await unpaid();
    const events = await eventsOf(api, () => insert(order.id));
    expect(events.map(({ type }) => type).sort()).toEqual(['order.updated', 'payment.created']);
    const { payment, payments } = await read(order.id, 'payments');
    expect(payments?.map(({ status }) => status)).toEqual(['rejected', 'pending']);
    expect(payment.id).toBe(payments?.[1]?.id);
  });

  it('refuses what a call refuses, and payments that were replaced stay rejected', async () => {
    const order = await kitchen.place();
    await expect(insert(order.id)).rejects.toThrow(/payments_location_id_order_id_replaced_key/);
    await reject(order.payment.id);
    await expect(insert(order.id, { amount: '12' })).rejects.toThrow(
      /a payment has the total of its order, 12\.50?/,
    );
    await expect(insert(order.id, { replaced: 1 })).rejects.toThrow(/leave out replaced/);
    await insert(order.id);
    await expect(hand.sql`update payments set replaced = 7 where id = ${order.payment.id}`).rejects.toThrow(
      /replaced never changes by hand/,
    );
    await expect(
      underDeed(api.pool, 'repair: a test', `update payments set status = 'completed' where id = $1`, [
        order.payment.id,
      ]),
    ).rejects.toThrow(/payments_replaced_check/);
    const canceled = await unpaid();
    await api.client().orders.cancel.mutate({ id: canceled.id });
    await expect(insert(canceled.id)).rejects.toThrow(/is not canceled gets another payment/);
  });
});
