import { beforeAll, describe, expect, it } from 'vitest';
import { useApi } from '../support/api.ts';
import { useHand } from '../support/by-hand.ts';
import { createProduct } from '../support/factories.ts';
import { orderOf, placeOrder, useOrderKitchen } from '../support/orders.ts';
import { useHandOrders } from './hand-orders-kit.ts';

// An order that a person inserts completes itself at the commit of its transaction, or is refused there.

const api = useApi();
const hand = useHand(api);
const kitchen = useOrderKitchen(api);
let turnId: string;
beforeAll(async () => {
  ({ id: turnId } = await api.client().turns.open.mutate());
});

const { inTransaction, insert, insertOrder, insertLine, insertWhole, counted } = useHandOrders(
  api,
  hand,
  kitchen,
);

describe('an order that is inserted by hand', () => {
  it('keeps the tax rate of its product, unless a line has another one from 0 to 100', async () => {
    const { locationId } = api;
    const taxed = await createProduct(api.app.database, { locationId, taxRate: 4.5 });
    const insertWith = (more: Record<string, unknown>) =>
      insertWhole({}, { product_id: taxed }, { product_id: taxed, ...more });
    const id = await insertWith({ tax_rate: 7 });
    const { items } = await api.client().orders.get.query({ id, include: ['tax'] });
    expect(items.map(({ tax_rate }) => tax_rate)).toEqual([4.5, 7]);
    await expect(insertWith({ tax_rate: 101 })).rejects.toThrow(/order_items_tax_rate_check/);
  });

  it('gets the next number, the open turn, its totals and its payment at the commit', async () => {
    const before = await placeOrder(api, kitchen);
    const id = await insertWhole({}, {}, { quantity: '0.333', unit_price: 1.25, name: 'Sliver' });
    const shown = orderOf(await api.rest(`GET /v2/orders/${id}`));
    expect(shown).toMatchObject({
      number: before.number + 1,
      total: 25.42,
      status: 'pending',
      payment: { status: 'pending' },
      items: [
        { name: 'Flat White', quantity: 2, unit_price: 12.5, total: 25 },
        { name: 'Sliver', quantity: 0.333, unit_price: 1.25, total: 0.42 },
      ],
    });
    const [row] = await hand.sql`
      select o.turn_id, p.amount from orders o join payments p on p.order_id = o.id where o.id = ${id}`;
    expect(row).toEqual({ turn_id: turnId, amount: '25.42' });
    expect((await placeOrder(api, kitchen)).number).toBe(before.number + 2);
  });

  it('is published as one creation, and counted', async () => {
    const total = async () => {
      const { body } = await api.rest<{ pagination: { total: number } }>('GET /v2/orders?limit=1');
      return body.pagination.total;
    };
    const before = await total();
    const draft = { number: 0, total: 25, external_id: 'BY-HAND' };
    const id = await insertWhole(draft, { total: 25, position: 1 });
    expect(await total()).toBe(before + 1);
    const captured = await hand.sql`
      select distinct operation, seed from internal.captured_changes where resource = 'order' and ${id} = any (resource_ids)`;
    expect(new Set(captured.map(({ seed }) => seed)).size).toBe(1);
    expect(captured.map(({ operation }) => operation)).toContain('insert');
  });

  it('takes no stock, and gives none back when it is canceled', async () => {
    const productId = await createProduct(api.app.database, {
      locationId: api.locationId,
      stock: { quantity: 10 },
    });
    const id = await insertWhole({}, { product_id: productId });
    await hand.sql(`update orders set status = 'canceled' where id = $1`, [id]);
    const [stock] = await hand.sql('select quantity from product_stock where product_id = $1', [productId]);
    expect(stock).toEqual({ quantity: '10' });
  });

  it('that is canceled in its own transaction gets a rejected payment', async () => {
    const id = await inTransaction(async () => {
      const order = await insertOrder();
      await insertLine(order);
      await hand.sql(`update orders set status = 'canceled' where id = $1`, [order]);
      return order;
    });
    expect(await hand.sql('select status from payments where order_id = $1', [id])).toEqual([
      { status: 'rejected' },
    ]);
  });

  it('keeps a payment that was inserted with it', async () => {
    const id = await inTransaction(async () => {
      const order = await insertOrder();
      await insertLine(order);
      await insert('payments', {
        location_id: api.locationId,
        order_id: order,
        payment_method_id: kitchen.paymentMethodId,
        amount: 25,
        status: 'completed',
      });
      return order;
    });
    expect(await hand.sql('select amount, status from payments where order_id = $1', [id])).toEqual([
      { amount: '25', status: 'completed' },
    ]);
  });

  it('holds up no order of the API before it is committed', async () => {
    await hand.sql('begin');
    await insertLine(await insertOrder());
    const placed = await placeOrder(api, kitchen);
    await hand.sql('commit');
    const [last] = await hand.sql`
      select max(number) as number from orders where location_id = ${api.locationId}`;
    expect(last).toEqual({ number: placed.number + 1 });
  });

  it('may be taken back before the commit, and leaves nothing', async () => {
    const before = await counted();
    await inTransaction(async () => {
      const order = await insertOrder();
      await insertLine(order);
      await hand.sql('delete from orders where id = $1', [order]);
    });
    expect(await counted()).toBe(before);
  });

  const refusals: [why: string, refusal: RegExp, work: () => Promise<unknown>][] = [
    ['has a number', /gets its number and turn at the commit/, () => insertOrder({ number: 77 })],
    ['is closed', /gets its number and turn at the commit/, () => insertOrder({ status: 'closed' })],
    ['names a turn', /gets its number and turn at the commit/, () => insertOrder({ turn_id: turnId })],
    [
      'was made in 2020',
      /gets its number and turn at the commit/,
      () => insertOrder({ created_at: '2020-01-01' }),
    ],
    ['has no lines', /an order has lines/, () => insertOrder()],
    [
      'has another total than its lines',
      /sum of its lines, 25\.00, not 24/,
      async () => insertLine(await insertOrder({ total: 24 })),
    ],
    [
      'has a line with another total than its quantity and price make',
      /its quantity times its unit_price, 25\.00, not 24/,
      async () => insertLine(await insertOrder(), { total: 24 }),
    ],
    [
      'says that it took stock',
      /only POST \/v2\/orders takes stock/,
      async () => insertLine(await insertOrder(), { stock_taken: true }),
    ],
    [
      'says that it took stock of a choice',
      /only POST \/v2\/orders takes stock/,
      async () =>
        insertLine(await insertOrder(), {
          unit_price: 1,
          selections: '[{"item_id":"01935a3e-7c1f-7d2a-9b40-5f6c2e8a1b3d","quantity":1,"stock_taken":true}]',
        }),
    ],
    [
      'has selections of another shape',
      /selections as \[/,
      async () => insertLine(await insertOrder(), { unit_price: 1, selections: '{"a":1}' }),
    ],
    [
      'numbers itself before the commit',
      /gets its number and its turn at its commit/,
      async () => {
        const order = await insertOrder();
        await insertLine(order);
        await hand.sql('update orders set number = 5 where id = $1', [order]);
      },
    ],
  ];
  it.each(refusals)('is refused when it %s, and leaves nothing', async (_, refusal, work) => {
    const before = await counted();
    const orders = await hand.sql('select count(*) from orders');
    await expect(inTransaction(work)).rejects.toThrow(refusal);
    expect(await hand.sql('select count(*) from orders')).toEqual(orders);
    expect(await counted()).toBe(before);
  });
});

describe('an import', () => {
  it('brings numbers, times, statuses and lines of its own; its payment is made when it is left out', async () => {
    const id = await inTransaction(async () => {
      await hand.sql(`select deed('import: orders of 2019')`);
      const order = await insertOrder({
        number: 500_000,
        status: 'closed',
        created_at: '2019-05-01',
        total: 7,
      });
      await insertLine(order, { position: 1, name: 'Tea', unit_price: 3.5, total: 7 });
      return order;
    });
    expect(orderOf(await api.rest(`GET /v2/orders/${id}`))).toMatchObject({
      number: 500_000,
      total: 7,
      status: 'closed',
      items: [{ name: 'Tea', total: 7 }],
      payment: { status: 'pending' },
    });
  });

  it('may add a line later, which is published as a change of its order', async () => {
    const placed = await placeOrder(api, kitchen);
    await inTransaction(async () => {
      await hand.sql(`select deed('import: a forgotten line')`);
      await insertLine(placed.id, { position: 2, name: 'Tea', unit_price: 3.5, total: 7 });
    });
    expect(
      await hand.sql`
        select changed from internal.captured_changes where ${placed.id} = any (resource_ids) and resource = 'order' and operation = 'update'`,
    ).toEqual([{ changed: ['items'] }]);
  });
});
