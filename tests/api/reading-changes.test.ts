import { randomUUID } from 'node:crypto';
import { describe, expect, it, test } from 'vitest';
import { refusalOf } from '../support/answers.ts';
import { useApi } from '../support/api.ts';
import { underDeed } from '../support/by-hand.ts';
import { expectComplete, nextOf, readChangesOf } from '../support/changes.ts';
import { placeOrder, useOrderKitchen } from '../support/orders.ts';

const api = useApi();
const kitchen = useOrderKitchen(api);
const since = 'updated_since=1970-01-01T00:00:00Z';
const get = (route: string) => api.rest(route);
const lists = ['/v2/stock', '/v2/products', '/v2/categories', '/v2/orders'];

const sql = (text: string, values: unknown[]) => api.pool.query(text, [api.locationId, ...values]);
const repair = (text: string, values: unknown[]) =>
  underDeed(api.pool, 'repair: a test', text, [api.locationId, ...values]);
async function expectWell(route: string, body?: unknown): Promise<void> {
  const answer = await api.rest(route, { body });
  expect(answer.status, answer.text).toBeLessThan(300);
}

/** A product with stock under a category, and one without; and an order of the first. */
async function openShop() {
  const { locationId } = api;
  const category = await api.make.category({ locationId, name: `Teas ${randomUUID()}` });
  const product = await api.make.product({ locationId, stock: { quantity: 100 }, categoryIds: [category] });
  const bare = await api.make.product({ locationId });
  const order = await placeOrder(api, { ...kitchen, productId: product });
  return { category, product, bare, order: order.id, payment: order.payment.id };
}
type Shop = Awaited<ReturnType<typeof openShop>>;

const set = (text: string, id: keyof Shop) => (shop: Shop) =>
  sql(`update ${text} and location_id = $1`, [shop[id]]);

const sellOne = (productId: string) => placeOrder(api, { ...kitchen, productId });
const rename = (id: string) => expectWell(`PATCH /v2/products/${id}`, { name: `Tea ${randomUUID()}` });
const stock = (product_id: string) =>
  expectWell('POST /v2/stock/sync', { items: [{ product_id, quantity: 3 }] });
const link = (id: string, category_ids: string[]) => expectWell(`PATCH /v2/products/${id}`, { category_ids });
const sameNameAndLink = ({ bare, category }: Shop) =>
  expectWell(`PATCH /v2/products/${bare}`, { name: 'Flat White', category_ids: [category] });
const withoutStock = ({ product }: Shop) =>
  sql('delete from product_stock where location_id = $1 and product_id = $2', [product]);
async function paidAnew({ order, payment }: Shop) {
  await repair('delete from payments where location_id = $1 and id = $2', [payment]);
  await repair(
    `insert into payments (location_id, order_id, payment_method_id, amount)
     select location_id, id, payment_method_id, total from orders where location_id = $1 and id = $2`,
    [order],
  );
}

const given = 'set product_id = $3 where location_id = $1 and product_id = $2';
const giveStock = ({ product, bare }: Shop) => repair(`update product_stock ${given}`, [product, bare]);
const giveCategory = ({ product, bare }: Shop) => sql(`update product_categories ${given}`, [product, bare]);
const renameCategory = ({ category }: Shop) =>
  expectWell(`PATCH /v2/categories/${category}`, { name: 'Infusions' });
const repairLine = ({ order }: Shop) =>
  repair(`update order_items set comment = 'Hot' where order_id = $2 and location_id = $1`, [order]);
const fewStock = set('product_stock set min_stock_alarm = 3 where product_id = $2', 'product');
const teaPicture = 'https://images.example.com/tea.jpg';
const picture = set(`categories set image_url = '${teaPicture}' where id = $2`, 'category');
const removeCategory = ({ category }: Shop) => expectWell(`DELETE /v2/categories/${category}`);
const makeReady = ({ order }: Shop) => expectWell(`PATCH /v2/orders/${order}/status`, { status: 'ready' });

/** Of each list: what changes, the entry that comes again, and the change. */
const again: Record<string, [string, keyof Shop, (shop: Shop) => Promise<unknown>][]> = {
  '/v2/stock': [
    ['stock that is sold', 'product', ({ product }) => sellOne(product)],
    ['the name of its product', 'product', ({ product }) => rename(product)],
    ['the sku, by hand', 'product', set(`products set sku = sku || '+' where id = $2`, 'product')],
  ],
  '/v2/products': [
    ['its own fields', 'product', ({ product }) => rename(product)],
    ['stock that is sold', 'product', ({ product }) => sellOne(product)],
    ['a stock record', 'bare', ({ bare }) => stock(bare)],
    ['a stock record by hand', 'product', fewStock],
    ['a stock record that is gone', 'product', withoutStock],
    ['a stock record given away', 'product', giveStock],
    ['a stock record received', 'bare', giveStock],
    ['a category more', 'bare', ({ bare, category }) => link(bare, [category])],
    ['a category less', 'product', ({ product }) => link(product, [])],
    ['a category moved to another product', 'product', giveCategory],
    ['a category moved to it', 'bare', giveCategory],
    ['the name of a category', 'product', renameCategory],
    ['a category that is deleted', 'product', removeCategory],
    ['a field that stays and a category more', 'bare', sameNameAndLink],
  ],
  '/v2/categories': [
    ['its name', 'category', renameCategory],
    ['its picture by hand', 'category', picture],
  ],
  '/v2/orders': [
    ['its status', 'order', makeReady],
    ['its cancellation', 'order', ({ order }) => expectWell(`POST /v2/orders/${order}/cancel`)],
    ['its payment', 'order', ({ payment }) => api.client().payments.complete.mutate({ id: payment })],
    ['its payment by hand', 'order', set(`payments set status = 'rejected' where id = $2`, 'payment')],
    ['another payment', 'order', paidAnew],
    ['a line that is repaired', 'order', repairLine],
  ],
};

describe.each(Object.entries(again))(
  'an entry of %s comes again when what it shows has changed:',
  (list, rows) => {
    it.each(rows)('%s', async (_, id, change) => {
      const shop = await openShop();
      const reader = readChangesOf(get, list);
      await reader.walk();
      await change(shop);
      expect(await reader.walk()).toContain(shop[id]);
      await expectComplete(get, list, reader);
    });
  },
);

describe('the link', () => {
  it('keeps every other parameter, and is present only where changes are read', async () => {
    await openShop();
    const asked = `limit=1&${since}&channel=a%26b%3E&from=2020-01-01&utm_source=1&offset=0`;
    const next = nextOf(await api.rest(`GET /v2/orders?${asked}`));
    const { cursor, ...kept } = Object.fromEntries(new URLSearchParams(next.split('?')[1]));
    expect(kept).toEqual({ limit: '1', channel: 'a&b>', from: '2020-01-01' });
    expect(cursor).toMatch(/^[\w-]+$/);
    for (const list of [...lists, '/v1/orders', `/v1/products?${since}`]) {
      const { headers } = await api.rest(`GET ${list}${list.includes('?') ? '&' : '?'}limit=200`);
      expect(headers.get('link')).toBeNull();
    }
  });

  it('begins at a moment without seconds, too', async () => {
    await sell();
    for (const moment of ['1970-01-01T00:00Z', '1970-01-01T00:00-03:00'])
      expect(await api.rest(`GET /v2/orders?updated_since=${moment}`)).toMatchObject({ status: 200 });
    for (const moment of ['1970-01-01T00Z', '1970-01-01T00:00', '1970-01-01'])
      expect(await api.rest(`GET /v2/orders?updated_since=${moment}`)).toMatchObject({ status: 422 });
  });

  it('leads on by the filters: an order of another channel is not met', async () => {
    await sell();
    const mine = await kitchen.place({ channel: 'kiosk' });
    const reader = readChangesOf(get, '/v2/orders?channel=kiosk&limit=1');
    expect(await reader.walk()).toEqual([mine.id]);
    expect(await reader.walk()).toEqual([]);
    const { number, external_id } = mine;
    for (const query of [`number=${number}`, `external_id=${external_id}`, 'status=pending&channel=kiosk'])
      expect(await readChangesOf(get, `/v2/orders?${query}`).walk()).toEqual([mine.id]);
  });

  it('of products keeps to the filters, too', async () => {
    const { product, category } = await openShop();
    const read = (query: string) => readChangesOf(get, `/v2/products?${query}`).walk();
    expect(await read(`category_id=${category}`)).toEqual([product]);
    expect(await read(`category_id=${category}&visible=false`)).toEqual([]);
    expect(await read('category_id=none')).toEqual([]);
    expect(await read(`sku=sku-${product}&search=flat`)).toEqual([product]);
  });

  it('is the typed client’s as pagination.next, with the total of the walk on every page', async () => {
    await Promise.all([sell(), sell(), sell()]);
    const { orders } = api.client();
    const all = await orders.list.query({ updated_since: '1970-01-01T00:00:00Z', limit: 200 });
    const met: string[] = [];
    let page = await orders.list.query({ updated_since: '1970-01-01T00:00:00Z', limit: 2 });
    for (;;) {
      met.push(...page.data.map(({ id }) => id));
      expect(page.pagination.total).toBe(all.data.length);
      if (page.data.length < 2) break;
      page = await orders.list.query({ cursor: page.pagination.next, limit: 2 });
    }
    expect(met).toEqual(all.data.map(({ id }) => id));
    expect((await orders.list.query({})).pagination).not.toHaveProperty('next');
  });

  it('skips entries where an offset is given', async () => {
    const [page, rest] = await Promise.all(
      ['limit=200', 'limit=200&offset=1'].map((query) => api.rest(`GET /v2/products?${since}&${query}`)),
    );
    const ids = (body: unknown) => (body as { data: { id: string }[] }).data.map(({ id }) => id);
    expect(ids(rest?.body)).toEqual(ids(page?.body).slice(1));
  });

  const sell = () => kitchen.place();
});

const text = (content: unknown) => Buffer.from(JSON.stringify(content)).toString('base64url');
test.each([
  '',
  'x',
  '%00',
  text(null),
  text([1]),
  text({ s: 'now' }),
  text({ s: 1.5 }),
  text({ s: 1e300 }),
  text({ s: 1 }),
  text({ s: 1, e: 2 }),
  text({ s: 1, e: '00000000', x: 1 }),
  text({ m: 1, i: 'x', u: 1, h: 1, n: 1 }),
  text({ m: 1, u: 1, h: 1, n: 1 }),
  text({ m: 1, i: randomUUID(), u: 1, h: 1, n: -1 }),
])('the cursor %j is refused', async (cursor) => {
  for (const list of lists) {
    const answer = await api.rest(`GET ${list}?cursor=${cursor}`);
    expect(refusalOf(answer, 422, 'validation_error')).toContain('cursor');
  }
});

test.each([since, 'offset=1'])('%s is refused with a cursor', async (other) => {
  for (const list of lists) {
    const cursor = nextOf(await api.rest(`GET ${list}?${since}`)).split('cursor=')[1];
    const answer = await api.rest(`GET ${list}?cursor=${cursor}&${other}`);
    expect(refusalOf(answer, 422, 'validation_error')).toContain(`${other.split('=')[0]}: `);
  }
});

test('the link from the first moment on leads on', async () => {
  for (const list of lists) {
    const moment = encodeURIComponent('0001-01-01T00:00:00+23:59');
    const first = await api.rest(`GET ${list}?limit=1&updated_since=${moment}`);
    expect((await api.rest(`GET ${nextOf(first)}`)).status).toBe(200);
  }
});

test('a cursor shows a location nothing of another', async () => {
  const { token: key } = await api.place();
  for (const list of lists) {
    const next = nextOf(await api.rest(`GET ${list}?limit=1&${since}`));
    expect((await api.rest<{ data: unknown[] }>(`GET ${next}`, { key })).body.data).toEqual([]);
  }
});
