import { beforeAll, describe, expect, it } from 'vitest';
import type { Order } from '../../packages/api/src/resources/orders/schema.ts';
import { refusalOf } from '../support/answers.ts';
import { type Answer, useApi } from '../support/api.ts';
import { createOrderKitchen } from '../support/orders.ts';

interface Page {
  data: Record<string, unknown>[];
  pagination: { total: number; next?: string };
}

const api = useApi();
/** In the order in which they were placed: pending, ready, closed, canceled. */
const placed: Order[] = [];
beforeAll(async () => {
  const kitchen = await createOrderKitchen(api);
  const productId = await api.make.product();
  const { itemIds } = await api.make.subselection({ productId, items: [{ price: 2 }] });
  const [item_id] = itemIds;
  const moves = [[], ['ready'], ['ready', 'closed'], ['canceled']];
  for (const [n, statuses] of moves.entries()) {
    let order = await kitchen.place({
      ...(n % 2 === 0 && { channel: 'kiosk "1"' }),
      items: [
        { product_id: kitchen.productId, quantity: 1 + n, comment: 'Hot' },
        { product_id: productId, quantity: 1, subselections: [{ item_id, quantity: 1 }] },
      ],
    });
    for (const status of statuses)
      order = await api.client().orders.updateStatus.mutate({ id: order.id, status: status as 'ready' });
    placed.push(order);
  }
});

const six = ({ id, number, status, total, created_at, payment }: Order) => ({
  id,
  number,
  status,
  total,
  created_at,
  payment,
});
const list = async (query: string): Promise<Page> => {
  const answer: Answer<Page> = await api.rest(`GET /v2/orders?order=asc&${query}`);
  expect(answer.status, answer.text).toBe(200);
  return answer.body;
};

describe('GET /v2/orders with include', () => {
  it('shows exactly the six fields without it', async () => {
    expect((await list('')).data).toStrictEqual(placed.map(six));
  });

  it('shows the order in full with details and items', async () => {
    const inFull = placed.map((order) => ({
      ...order,
      items: order.items.map((item, index) => ({ ...item, line_id: index + 1 })),
    }));
    expect((await list('include=details,items')).data).toStrictEqual(inFull);
    expect((await list('include=items&include=details')).data).toStrictEqual(inFull);
    const changed = await list('include=details,items&updated_since=2020-01-01T00:00:00Z');
    expect(changed.data).toEqual(expect.arrayContaining(inFull));
    const typed = await api.client().orders.list.query({ order: 'asc', include: ['items', 'details'] });
    expect(typed.data).toEqual(inFull);
  });

  it('shows the details without the items, and the items without the details', async () => {
    const withoutItems = placed.map(({ items: _, ...order }) => order);
    expect((await list('include=details')).data).toStrictEqual(withoutItems);
    const withItems = placed.map((order) => ({ ...six(order), items: order.items }));
    expect((await list('include=items')).data).toStrictEqual(withItems);
    expect((await list('include=items&sort=total')).data).toHaveLength(4);
    expect((await list('include=details&channel=kiosk%20%221%22')).data).toHaveLength(2);
  });

  it('refuses what it does not know', async () => {
    const answer = await api.rest('GET /v2/orders?include=details,lines');
    expect(refusalOf(answer, 422, 'validation_error')).toMatch(/^include\[1\]: /);
    expect((await api.rest('GET /v2/orders?include=')).status).toBe(422);
  });

  it('is not known to v1', async () => {
    const { body } = await api.rest<Page>('GET /v1/orders?order=asc&include=details');
    expect(body.data).toStrictEqual(placed.map(six));
  });
});

describe('GET /v2/orders by several statuses', () => {
  it.each<[string, number[]]>([
    ['status=pending,closed', [0, 2]],
    ['status=ready&status=canceled', [1, 3]],
    ['status=closed,closed', [2]],
    ['status=pending,ready,closed,canceled&limit=2&offset=1', [1, 2]],
    ['status=pending,ready,closed&sort=total&limit=1&offset=2', [2]],
    ['status=canceled,ready&include=details,items&channel=none', []],
  ])('%s', async (query, wanted) => {
    const { data } = await list(query);
    expect(data.map(({ id }) => id)).toEqual(wanted.map((n) => placed[n]?.id));
  });

  it('counts them, on every page', async () => {
    expect((await list('status=pending,closed&limit=1')).pagination.total).toBe(2);
    expect((await list('status=pending,closed&updated_since=2020-01-01T00:00:00Z')).pagination.total).toBe(2);
  });

  it('in the typed client as text or as a list', async () => {
    const { orders } = api.client();
    expect((await orders.list.query({ status: 'ready' })).pagination.total).toBe(1);
    expect((await orders.list.query({ status: ['ready', 'closed'] })).pagination.total).toBe(2);
  });

  it.each([
    ['status=ready,cooking', 'status[1]'],
    ['status=', 'status[0]'],
    ['status=ready,', 'status[1]'],
  ])('refuses %s', async (query, path) => {
    const message = refusalOf(await api.rest(`GET /v2/orders?${query}`), 422, 'validation_error');
    expect(message).toBe(`${path}: must be one of pending, ready, closed, canceled`);
  });

  it('v1 takes one', async () => {
    expect((await api.rest('GET /v1/orders?status=ready,closed')).status).toBe(422);
    expect((await api.rest('GET /v1/orders?status=ready&status=closed')).status).toBe(422);
  });
});
