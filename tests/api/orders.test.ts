import { describe, expect, it } from 'vitest';
import { type Order, OrderPage } from '../../packages/api/src/resources/orders/schema.ts';
import { refusalOf } from '../support/answers.ts';
import { useApi } from '../support/api.ts';
import { underDeed } from '../support/by-hand.ts';
import { createOrderKitchen, orderOf, useOrderKitchen } from '../support/orders.ts';
import { parseStrict } from '../support/strict.ts';

const api = useApi();
const kitchen = useOrderKitchen(api);

/** A location of its own with a key, so that lists hold what the test made and nothing else. */
async function openShop(timezone = 'UTC') {
  const shop = await api.place({ location: { timezone } });
  const there = await createOrderKitchen(shop);
  async function list(query = '', version = 'v2') {
    const answer = await shop.rest(`GET /${version}/orders${query}`);
    expect(answer.status, answer.text).toBe(200);
    return parseStrict(OrderPage, answer.body);
  }
  return {
    key: shop.token,
    rest: shop.rest,
    place: there.place,
    list,
    /** An order made at that moment. */
    async placeAt(moment: string, overrides: Record<string, unknown> = {}): Promise<Order> {
      const order = await there.place(overrides);
      const change = 'update orders set created_at = $2 where id = $1';
      await underDeed(api.pool, 'repair: an order of another day', change, [order.id, moment]);
      return order;
    },
    quantity: (quantity: number) => ({ items: [{ product_id: there.productId, quantity }] }),
    numbers: async (query: string, version = 'v2') =>
      (await list(query, version)).data.map(({ number }) => number),
  };
}

describe('GET /v2/orders/{id}', () => {
  it('answers 200 with the full order, in both families and through the typed client', async () => {
    const order = await kitchen.place();
    for (const path of [`/v1/orders/${order.id}`, `/v2/orders/${order.id}`]) {
      const answer = await api.rest(`GET ${path}`);
      expect(answer.status).toBe(200);
      expect(orderOf(answer)).toEqual(order);
    }
    expect(await api.client().orders.get.query({ id: order.id })).toEqual(order);
  });

  it("shows times with the offset of the location's zone at that moment", async () => {
    const shop = await openShop('America/New_York');
    const winter = await shop.placeAt('2025-01-15T12:00:00.005Z');
    const summer = await shop.placeAt('2025-07-15T12:00:00.120Z');
    const timeOf = async (id: string) => orderOf(await shop.rest(`GET /v2/orders/${id}`)).created_at;
    expect(await timeOf(winter.id)).toBe('2025-01-15T07:00:00.005-05:00');
    expect(await timeOf(summer.id)).toBe('2025-07-15T08:00:00.120-04:00');
  });
});

it.each(['PO-1', 'a/b', 'a b', '100%', 'ü😀', '?x=1&y#z', '../up', 'a+b', "o'neill; --"])(
  'GET /v2/orders/by-external-id/{external_id} finds %j when it is percent-encoded',
  async (externalId) => {
    const order = await kitchen.place({ external_id: externalId });
    const answer = await api.rest(`GET /v2/orders/by-external-id/${encodeURIComponent(externalId)}`);
    expect(answer.status, answer.text).toBe(200);
    expect(orderOf(answer)).toEqual(order);
  },
);

describe('GET /v2/orders', () => {
  it('lists exactly the six documented fields, newest first, with an exact total', async () => {
    const shop = await openShop();
    const first = await shop.place({ channel: 'web' });
    const second = await shop.place();
    for (const version of ['v1', 'v2']) {
      const { data, pagination } = await shop.list('', version);
      const six = ({ id, number, status, total, created_at, payment }: Order) => ({
        id,
        number,
        status,
        total,
        created_at,
        payment,
      });
      expect(data).toEqual([six(second), six(first)]);
      expect(pagination).toEqual({ limit: 50, offset: 0, total: 2 });
    }
    expect(await api.client(shop.key).orders.list.query({})).toEqual(await shop.list());
    expect(await api.client(shop.key).v1.orders.list.query({})).toEqual(await shop.list());
  });

  it('pages without gap or repeat', async () => {
    const shop = await openShop();
    for (let count = 0; count < 7; count++) await shop.place();
    const pages: number[] = [];
    for (const offset of [0, 3, 6, 9]) pages.push(...(await shop.numbers(`?limit=3&offset=${offset}`)));
    expect(pages).toEqual([7, 6, 5, 4, 3, 2, 1]);
    expect((await shop.list('?limit=3&offset=9')).pagination).toEqual({ limit: 3, offset: 9, total: 7 });
    expect((await shop.list('?offset=2147483647')).data).toEqual([]);
  });

  it('is empty at a location without orders', async () => {
    const shop = await openShop();
    expect(await shop.list()).toEqual({ data: [], pagination: { limit: 50, offset: 0, total: 0 } });
  });

  it('sorts by created_at, number and total, both ways, ties by id in the same direction', async () => {
    const shop = await openShop();
    const moment = '2025-03-01T12:00:00Z';
    const orders = [
      await shop.placeAt(moment, shop.quantity(2)),
      await shop.placeAt('2025-03-01T11:00:00Z', shop.quantity(1)),
      await shop.placeAt(moment, shop.quantity(1)),
    ];
    expect(orders.map(({ number }) => number)).toEqual([1, 2, 3]);
    for (const [sort, upward] of [
      ['created_at', [2, 1, 3]],
      ['number', [1, 2, 3]],
      ['total', [2, 3, 1]],
    ] as const) {
      expect(await shop.numbers(`?sort=${sort}&order=asc`), sort).toEqual(upward);
      expect(await shop.numbers(`?sort=${sort}`), sort).toEqual(upward.toReversed());
    }
  });

  it('filters by status, number, external_id and channel, alone and together', async () => {
    const shop = await openShop();
    await shop.place({ channel: 'web', external_id: 'PO-1' });
    const second = await shop.place({ channel: 'web' });
    await shop.place({ channel: 'kiosk' });
    await shop.rest(`PATCH /v2/orders/${second.id}/status`, { body: { status: 'ready' } });
    expect(await shop.numbers('?status=ready')).toEqual([2]);
    expect(await shop.numbers('?status=pending')).toEqual([3, 1]);
    expect(await shop.numbers('?status=closed')).toEqual([]);
    expect(await shop.numbers('?number=3')).toEqual([3]);
    expect(await shop.numbers('?number=9007199254740991')).toEqual([]);
    expect(await shop.numbers('?number=-1')).toEqual([]);
    expect(await shop.numbers('?external_id=PO-1')).toEqual([1]);
    expect(await shop.numbers('?channel=web')).toEqual([2, 1]);
    expect(await shop.numbers('?channel=web&status=pending&order=asc')).toEqual([1]);
    expect((await shop.list('?channel=web&limit=1')).pagination.total).toBe(2);
    const all = '?status=ready&from=2000-01-01&to=9999-12-31&number=2&external_id=x&channel=web&sort=total';
    expect(await shop.numbers(all)).toEqual([]);
  });

  it('does not know external_id and channel on v1', async () => {
    const shop = await openShop();
    await shop.place({ channel: 'web' });
    expect(await shop.numbers('?channel=kiosk&external_id=x', 'v1')).toEqual([1]);
    expect(await shop.numbers('?status=ready', 'v1')).toEqual([]);
  });

  it('filters whole days of the location, both ends included', async () => {
    const shop = await openShop('America/Sao_Paulo');
    await shop.placeAt('2025-06-01T02:59:59.999Z');
    await shop.placeAt('2025-06-01T03:00:00.000Z');
    await shop.placeAt('2025-06-02T02:59:59.999Z');
    await shop.placeAt('2025-06-02T03:00:00.000Z');
    expect(await shop.numbers('?from=2025-06-01&to=2025-06-01')).toEqual([3, 2]);
    expect(await shop.numbers('?from=2025-06-01')).toEqual([4, 3, 2]);
    expect(await shop.numbers('?to=2025-06-01')).toEqual([3, 2, 1]);
    expect(await shop.numbers('?from=2025-05-31&to=2025-06-02&status=pending')).toEqual([4, 3, 2, 1]);
  });

  it('begins a day once where the clocks pass midnight twice or not at all', async () => {
    // 2025-11-02 in Havana: midnight comes at 04:00Z and, an hour later, again at 05:00Z.
    const havana = await openShop('America/Havana');
    await havana.placeAt('2025-11-02T03:59:59.999Z');
    await havana.placeAt('2025-11-02T04:00:00.000Z');
    await havana.placeAt('2025-11-02T05:30:00.000Z');
    await havana.placeAt('2025-11-03T04:59:59.999Z');
    await havana.placeAt('2025-11-03T05:00:00.000Z');
    expect(await havana.numbers('?from=2025-11-02&to=2025-11-02')).toEqual([4, 3, 2]);
    expect(await havana.numbers('?to=2025-11-01')).toEqual([1]);
    // 2018-11-04 in São Paulo began at 01:00, which is 03:00Z.
    const saoPaulo = await openShop('America/Sao_Paulo');
    await saoPaulo.placeAt('2018-11-04T02:59:59.999Z');
    await saoPaulo.placeAt('2018-11-04T03:00:00.000Z');
    expect(await saoPaulo.numbers('?from=2018-11-04')).toEqual([2]);
    expect(await saoPaulo.numbers('?to=2018-11-03')).toEqual([1]);
  });

  const versions = new Map([
    ['channel=%00', ['v2']],
    // v2 lists orders of any of several.
    ['status=ready&status=closed', ['v1']],
  ]);
  it.each([
    ['status=shipped', 'status'],
    ['sort=id', 'sort'],
    ['sort=created_at;drop', 'sort'],
    ['order=down', 'order'],
    ['from=2025-13-01', 'from'],
    ['from=2025-02-29', 'from'],
    ['from=0000-01-01', 'from'],
    ['to=yesterday', 'to'],
    ['to=2025-01-01T00:00:00Z', 'to'],
    ['from=2025-02-02&to=2025-02-01', 'from'],
    ['number=1.5', 'number'],
    ['number=abc', 'number'],
    ['number=1e3', 'number'],
    ['limit=0', 'limit'],
    ['limit=201', 'limit'],
    ['offset=-1', 'offset'],
    ['offset=2147483648', 'offset'],
    ['status=ready&status=closed', 'status'],
    ['channel=%00', 'channel'],
  ])('answers 422 for ?%s, naming %s', async (query, field) => {
    for (const version of versions.get(query) ?? ['v1', 'v2']) {
      const message = refusalOf(await api.rest(`GET /${version}/orders?${query}`), 422, 'validation_error');
      // Of several values the one that is wrong.
      expect(message.replace(/^status\[0\]/, 'status').startsWith(`${field}: `), message).toBe(true);
    }
  });

  it('ignores parameters that v1 does not know', async () => {
    expect((await api.rest('GET /v1/orders?color=red&limit=1')).status).toBe(200);
  });
});
