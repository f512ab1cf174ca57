import { describe, expect, it } from 'vitest';
import type { Order, OrderWithBooks } from '../../packages/api/src/resources/orders/schema.ts';
import { createOrderKitchen, orderBody, orderOf, postOrder, refusalOf } from '../support/orders.ts';
import { useSteppedApi } from '../support/published.ts';

const api = useSteppedApi();

/** A location with counted burgers at 10 with counted cheese at 1.5, and tea at 3 that is not counted; and an order of two burgers with cheese. */
async function shop(more: object = {}) {
  const place = await api.place({ location: { timezone: 'UTC' } });
  const { paymentMethodId } = await createOrderKitchen(place);
  const client = place.client();
  const burger = await place.make.product({ price: 10, taxRate: 10 });
  await client.products.update.mutate({
    id: burger,
    stock: { enabled: true, quantity: 20, min_stock_alarm: 0 },
  });
  const tea = await place.make.product({ price: 3, name: 'Tea' });
  const { itemIds } = await place.make.subselection({
    productId: burger,
    maxSelection: 3,
    single: false,
    items: [
      { name: 'Cheese', price: 1.5 },
      { name: 'Ham', price: 2 },
    ],
  });
  const [cheese = '', ham = ''] = itemIds;
  await place.sql`update subselection_items set stock_enabled = true, stock_quantity = 10 where id = ${cheese}`;
  const items = [{ product_id: burger, quantity: 2, subselections: [{ item_id: cheese, quantity: 1 }] }];
  const order = orderOf(
    await postOrder(place, orderBody({ productId: burger, paymentMethodId }, { items, ...more })),
  );
  const read = async (include = 'details') =>
    (await place.rest<{ data: OrderWithBooks }>(`GET /v2/orders/${order.id}?include=${include}`)).body.data;
  const tag = async () => (await place.rest(`GET /v2/orders/${order.id}`)).headers.get('etag') ?? '';
  const edit = async (body: object, ifMatch?: string) =>
    place.rest<{ data: Order }>(`PATCH /v2/orders/${order.id}`, {
      body,
      headers: { 'if-match': ifMatch ?? (await tag()) },
    });
  const done = async (body: object) => {
    const answer = await edit(body);
    expect(answer.status, answer.text).toBe(200);
    return orderOf(answer);
  };
  const left = async () => {
    const [row] = await place.sql<{ burgers: number; cheese: number }>`
      select (select quantity::float8 from product_stock where product_id = ${burger}) as burgers,
        (select stock_quantity::float8 from subselection_items where id = ${cheese}) as cheese`;
    return row;
  };
  return { ...place, client, burger, tea, cheese, ham, order, read, tag, edit, done, left };
}

describe('an edit of a pending order', () => {
  it('adds at the prices of now, keeps the price of what stays, and stock and payment follow', async () => {
    const { client, burger, tea, cheese, ham, order, done, left, read } = await shop();
    expect(await left()).toEqual({ burgers: 18, cheese: 8 });
    await client.products.update.mutate({ id: burger, price: 50 });
    await api.sql`update subselection_items set price = 9 where id = ${cheese}`;
    const after = await done({
      items: {
        add: [
          { product_id: tea, quantity: 1.5, comment: 'Hot' },
          { product_id: burger, quantity: 1 },
        ],
        change: [
          {
            line_id: 1,
            quantity: 3,
            subselections: [
              { item_id: cheese, quantity: 1 },
              { item_id: ham, quantity: 1 },
            ],
          },
        ],
      },
    });
    // Three burgers at 10 + 1.5 as before + 2 of now; tea; a burger of now.
    expect(after).toMatchObject({
      total: 40.5 + 4.5 + 50,
      items: [
        { unit_price: 13.5, quantity: 3, total: 40.5 },
        { total: 4.5, comment: 'Hot' },
        { unit_price: 50 },
      ],
    });
    expect(await left()).toEqual({ burgers: 16, cheese: 7 });
    expect(await client.payments.get.query({ id: order.payment.id })).toMatchObject({
      amount: 95,
      status: 'pending',
    });
    const { items } = await read('details,snapshot');
    expect(items.map(({ line_id }) => line_id)).toEqual([1, 2, 3]);
    expect(items[2]).toMatchObject({ tax_rate: 10 });
    await done({
      items: { remove: [3], change: [{ line_id: 1, quantity: 1, subselections: [], comment: 'Plain' }] },
    });
    expect(await left()).toEqual({ burgers: 19, cheese: 10 });
    await done({ items: { add: [{ product_id: tea, quantity: 1 }] } });
    expect((await read()).items.map(({ line_id }) => line_id)).toEqual([1, 2, 5]);
    await client.orders.cancel.mutate({ id: order.id });
    expect(await left()).toEqual({ burgers: 20, cheese: 10 });
  });

  it('computes percentages again; a line that goes takes its discount along', async () => {
    const { tea, done } = await shop({
      adjustments: [
        { kind: 'discount', name: 'D', percent: 10, line: 1 },
        { kind: 'service_charge', name: 'S', percent: 10 },
        { kind: 'tip', name: 'T', amount: 1 },
      ],
    });
    const more = await done({ items: { change: [{ line_id: 1, quantity: 4 }] } });
    expect(more).toMatchObject({
      total: 46 - 4.6 + 4.14 + 1,
      adjustments: [{ total: -4.6 }, { total: 4.14 }, { total: 1 }],
    });
    const other = await done({ items: { add: [{ product_id: tea, quantity: 1 }], remove: [1] } });
    expect(other).toMatchObject({
      total: 4.3,
      adjustments: [{ kind: 'service_charge', total: 0.3 }, { total: 1 }],
    });
  });

  it('sets and clears whom and when it is for, without a tag, and says so on the timeline without the values', async () => {
    const { rest, order, client, read } = await shop({
      customer: { name: 'Ana', phone: '1' },
      note: 'Before',
    });
    const patch = (body: object) => rest(`PATCH /v2/orders/${order.id}`, { body });
    expect((await patch({ customer: { name: 'Bea' }, note: null, guests: 4 })).status).toBe(200);
    const after = await read('customer');
    expect(after).toMatchObject({ customer: { name: 'Bea' }, guests: 4 });
    expect(after).not.toHaveProperty('note');
    expect((await patch({ customer: null, guests: 4 })).status).toBe(200);
    expect(await read('customer')).not.toHaveProperty('customer');
    expect((await patch({ guests: 4 })).status).toBe(200);
    const edits = (await client.orders.timeline.query({ id: order.id })).filter(
      ({ kind }) => kind === 'edited',
    );
    expect(edits).toMatchObject([
      { changes: { fields: ['customer', 'note', 'guests'] }, by: { type: 'api_key' } },
      { changes: { fields: ['customer', 'guests'] } },
    ]);
  });

  it('is one order.updated, and none where nothing changes', async () => {
    const { client, order, tea, done } = await shop();
    await api.published();
    const start = (await client.events.list.query({ after: 'latest' })).pagination.next;
    await done({ items: { add: [{ product_id: tea, quantity: 2 }] } });
    await api.published();
    await done({ items: { change: [{ line_id: 1, quantity: 2 }] } });
    await api.published();
    const { data } = await client.events.list.query({ after: start, limit: 50 });
    expect(data.map(({ type }) => type).sort()).toEqual(['order.updated', 'payment.updated']);
    const timeline = await client.orders.timeline.query({ id: order.id });
    expect(timeline.filter(({ kind }) => kind === 'edited')[0]).toMatchObject({
      changes: { added: [{ name: 'Tea', quantity: 2 }], total: { before: 23, after: 29 } },
    });
  });

  it('needs the tag for lines, and the right one; of two at once one wins', async () => {
    const { rest, order, edit, tag } = await shop();
    const lines = { items: { change: [{ line_id: 1, quantity: 3 }] } };
    const without = await rest(`PATCH /v2/orders/${order.id}`, { body: lines });
    expect([without.status, without.headers.get('x-error-reason')]).toEqual([428, 'precondition_required']);
    const known = await tag();
    const both = await Promise.all([
      edit(lines, known),
      edit({ items: { change: [{ line_id: 1, quantity: 4 }] } }, known),
    ]);
    expect(both.map(({ status }) => status).sort()).toEqual([200, 412]);
  });

  it.each([
    [
      'a line that is none',
      { change: [{ line_id: 9, quantity: 1 }] },
      'items.change[0].line_id: the order has no line 9',
    ],
    [
      'a line twice',
      { change: [{ line_id: 1, quantity: 1 }], remove: [1] },
      'items.remove[0]: must not be named twice',
    ],
    ['the last line', { remove: [1] }, 'must leave 1 to 200 lines, not 0'],
    [
      'a product that is none',
      { add: [{ product_id: '01935a3e-7d4c-7917-81a2-b2c3d4e5f607', quantity: 1 }] },
      'items.add[0].product_id: unknown product',
    ],
    [
      'more than there is',
      { change: [{ line_id: 1, quantity: 21 }] },
      'items.change[0].quantity: insufficient stock, only 18 left',
    ],
  ])('refuses %s, and nothing is changed', async (_, items, message) => {
    const { edit, left, read, order } = await shop();
    const refused = await edit({ items });
    expect([refused.status, refusalOf(refused).message]).toEqual([422, expect.stringContaining(message)]);
    expect(await left()).toEqual({ burgers: 18, cheese: 8 });
    expect(await read()).toMatchObject({ total: order.total });
  });

  it('refuses choices that the product does not have', async () => {
    const { edit, cheese } = await shop();
    const refused = await edit({
      items: { change: [{ line_id: 1, subselections: [{ item_id: cheese, quantity: 4 }] }] },
    });
    expect(refusalOf(refused).message).toContain('in all, got 4');
  });

  it('of one that is paid keeps the total, of one that is ready is refused', async () => {
    const { client, order, edit, done } = await shop();
    await client.payments.complete.mutate({ id: order.payment.id });
    const dearer = await edit({ items: { change: [{ line_id: 1, quantity: 3 }] } });
    expect([dearer.status, dearer.headers.get('x-error-reason')]).toEqual([409, 'payment_completed']);
    expect(await done({ items: { change: [{ line_id: 1, comment: 'Well done' }] } })).toMatchObject({
      total: 23,
    });
    await client.orders.updateStatus.mutate({ id: order.id, status: 'ready' });
    const late = await edit({ note: 'Late' });
    expect([late.status, late.headers.get('x-error-reason')]).toEqual([409, 'order_not_pending']);
  });
});
