import { beforeAll, beforeEach, describe, expect, it, test } from 'vitest';
import { bounds } from '../../packages/api/src/capacity/bounds.ts';
import { Catalog } from '../../packages/api/src/resources/catalog/schema.ts';
import { dataOf, refusalOf } from '../support/answers.ts';
import { callRest, useApi } from '../support/api.ts';
import { createOrderKitchen, placeOrder } from '../support/orders.ts';
import { parseStrict } from '../support/strict.ts';
import { createShop, plainQuery, type Shop } from './catalog-shop.ts';

const api = useApi();
let shop: Shop;

beforeAll(async () => {
  await createShop(api, api.locationId);
});
beforeEach(async () => {
  shop = await createShop(api, await api.make.location());
});

const get = (headers: Record<string, string> = {}, key = shop.key) =>
  callRest(api.url, 'GET /v2/catalog', { key, headers });
const read = async () => {
  const answer = await get();
  const catalog = dataOf(answer, 200, Catalog);
  return { ...answer, catalog, etag: answer.headers.get('etag') ?? '' };
};
const sql = (text: string, values: unknown[] = []) => api.pool.query(text, values);

describe('GET /v2/catalog', () => {
  it('shows what the plain Prisma query finds, in its order, with the documented fields alone', async () => {
    const { catalog } = await read();
    expect(catalog.categories).toEqual(await plainQuery(api, shop.locationId));
    expect(catalog.location_id).toBe(shop.locationId);
    const names = catalog.categories.map(({ name }) => name);
    expect(names).toEqual(['Drinks', 'Bar "Ñandú"\n\\', 'Food', 'Nothing']);
  });

  it('shows an empty catalog, which has a version too', async () => {
    const { token: key } = await api.place();
    const { categories, version } = dataOf(await get({}, key), 200, Catalog);
    expect(categories).toEqual([]);
    expect(Math.abs(Date.parse(version) - Date.now())).toBeLessThan(60_000);
  });

  it('returns the same bytes, version and tag as long as nothing changes', async () => {
    const first = await read();
    await placeOrder(api, await createOrderKitchen(api));
    for (let times = 0; times < 3; times++) {
      const again = await read();
      expect(again.text).toBe(first.text);
      expect(again.etag).toBe(first.etag);
    }
  });

  it('shows the version with the offset of the location, and a new one when that moves', async () => {
    const before = await read();
    expect(before.catalog.version).toMatch(/\+00:00$/);
    await sql(`update locations set timezone = 'America/Sao_Paulo' where id = $1`, [shop.locationId]);
    const after = await read();
    expect(after.catalog.version).toMatch(/-03:00$/);
    expect(after.etag).not.toBe(before.etag);
  });
});

describe('If-None-Match', () => {
  test.each([
    ['the tag', (tag: string) => tag],
    ['the weak form', (tag: string) => `W/${tag}`],
    ['a list that holds it', (tag: string) => `"a,b", W/"other" ,${tag}`],
    ['*', () => '*'],
  ])('%s answers 304 with the tag and the limits, without a body', async (_, header) => {
    const { etag } = await read();
    const { status, text, headers } = await get({ 'if-none-match': header(etag), 'x-request-id': 'mine' });
    expect({ status, text }).toEqual({ status: 304, text: '' });
    expect(headers.get('etag')).toBe(etag);
    expect(headers.get('x-request-id')).toBe('mine');
    expect(headers.get('content-type')).toBeNull();
    for (const name of ['limit', 'remaining', 'reset'])
      expect(headers.get(`x-ratelimit-${name}`)).toMatch(/^\d+$/);
  });

  test.each([
    ['another tag', () => '"other"'],
    ['the tag without quotes', (tag: string) => tag.slice(1, -1)],
    ['a part of a tag', (tag: string) => `"x${tag.slice(1)}`],
    ['nonsense', () => '"'],
  ])('%s returns the catalog', async (_, header) => {
    const { etag, text } = await read();
    expect((await get({ 'if-none-match': header(etag) })).text).toBe(text);
  });

  it('names the tag of one location only, of HEAD as of GET', async () => {
    const { etag } = await read();
    expect((await get({ 'if-none-match': etag }, api.key.key)).status).toBe(200);
    const head = await fetch(`${api.url}/v2/catalog`, {
      method: 'HEAD',
      headers: { authorization: `Bearer ${shop.key}`, 'if-none-match': etag },
    });
    expect([head.status, head.headers.get('etag')]).toEqual([304, etag]);
  });

  it('is answered after the key: without one, or without the permission, there is nothing to match', async () => {
    const { etag } = await read();
    const { key } = await api.make.key({ locationId: shop.locationId, permissions: ['stock:read'] });
    refusalOf(await get({ 'if-none-match': '*' }, key), 403, 'permission_denied');
    refusalOf(await get({ 'if-none-match': etag }, 'no-key'), 401, 'unauthorized');
  });

  it('asks whether it is unchanged for all who wait, not for as many as have a place', async () => {
    const { etag } = await read();
    const taken = Array.from({ length: bounds.slots.compartment.query }, () =>
      api.app.capacity.slots.enter({ locationId: shop.locationId, resource: 'catalog', kind: 'query' }),
    );
    const leaves = await Promise.all(taken);
    expect((await get({ 'if-none-match': etag })).status).toBe(304);
    const whole = get();
    for (const leave of leaves) leave();
    expect((await whole).status).toBe(200);
  });
});

const idOf = (sku: string) => `(select id from p where sku = '${sku}')`;
const changes: [string, string][] = [
  ['a category is hidden', `update categories set visible = false where name = 'Drinks'`],
  ['a category is renamed', `update categories set name = 'Juices' where name = 'Drinks'`],
  ['a category gets another priority', `update categories set priority = 9 where name = 'Drinks'`],
  ['a category gets an external_id', `update categories set external_id = 'c-9' where name = 'Nothing'`],
  ['a category is made', `insert into categories (location_id, name) values ($1, 'New')`],
  ['an empty category is deleted', `delete from categories where name = 'Nothing'`],
  ['a product gets another price', `update products set price = price + 0.01 where sku = 'cola'`],
  ['a product is hidden', `update products set visible = false where sku = 'cola'`],
  ['a product gets another sku', `update products set sku = 'cola-2' where sku = 'cola'`],
  ['a product is deleted', `delete from products where sku = 'cola'`],
  ['a product leaves a category', `delete from product_categories where product_id = ${idOf('cola')}`],
  ['stock is set', `update product_stock set quantity = 0.001 where product_id = ${idOf('burger')}`],
  ['stock is no longer counted', `update product_stock set enabled = not enabled where true`],
  ['a stock record is deleted', `delete from product_stock where quantity > 0`],
  ['a subselection is moved', `update subselections set position = 7 where name = 'Size'`],
  ['a subselection is deleted', `delete from subselections where name = 'Extras'`],
  [
    'an item gets an image',
    `update subselection_items set image_url = 'https://x.example/i.png' where name = 'Large'`,
  ],
  ['the stock of an item is set', `update subselection_items set stock_quantity = 4 where name = 'Bacon'`],
];

describe('the version rises and the tag changes when', () => {
  test.each(changes)('%s', async (_, text) => {
    const before = await read();
    await inLocation(text);
    const after = await read();
    expect(after.text.replace(after.catalog.version, '')).not.toBe(
      before.text.replace(before.catalog.version, ''),
    );
    expect(Date.parse(after.catalog.version)).toBeGreaterThan(Date.parse(before.catalog.version));
    expect(after.etag).not.toBe(before.etag);
    expect((await get({ 'if-none-match': before.etag })).text).toBe(after.text);
    expect(after.catalog.categories).toEqual(await plainQuery(api, shop.locationId));
  });

  it('an order takes stock, and again when it is canceled', async () => {
    const readOwn = async () => parseStrict(Catalog, (await api.rest('GET /v2/catalog')).body.data);
    const kitchen = await createOrderKitchen(api);
    const { locationId, prisma } = api;
    const burger = await prisma.product.findFirstOrThrow({ where: { locationId, sku: 'burger' } });
    const before = await readOwn();
    const large = await prisma.subselectionItem.findFirstOrThrow({ where: { locationId, name: 'Large' } });
    const subselections = [{ item_id: large.id, quantity: 1 }];
    const items = [{ product_id: burger.id, quantity: 2, subselections }];
    const order = await kitchen.place({ items });
    const after = await readOwn();
    await api.rest(`POST /v2/orders/${order.id}/cancel`, { body: {} });
    const canceled = await readOwn();
    const left = ({ categories }: Catalog) =>
      categories.flatMap(({ products }) => products).find(({ sku }) => sku === 'burger')?.stock.quantity;
    expect([before, after, canceled].map(left)).toEqual([5, 3, 5]);
    const versions = [before, after, canceled].map(({ version }) => Date.parse(version));
    expect(versions).toEqual([...new Set(versions)].sort((a, b) => a - b));
  });
});

test.each([
  ['a description', `update products set description = 'Other' where sku = 'cola'`],
  ['the image of a product', `update products set image_url = 'https://x.example/p.png' where sku = 'cola'`],
  ['the alarm of a stock', `update product_stock set min_stock_alarm = 3 where quantity > 0`],
  ['nothing', `update products set price = price where true`],
])('%s is not in the catalog: its change moves neither version nor tag', async (_, text) => {
  const before = await read();
  await inLocation(text);
  expect((await get({ 'if-none-match': before.etag })).status).toBe(304);
  expect((await read()).text).toBe(before.text);
});

describe('the version itself', () => {
  it('is the last one and a millisecond when the clock is not past it', async () => {
    await read();
    const ahead = new Date(Date.now() + 3_600_000);
    await api.sql`update internal.catalog_versions set version = ${ahead} where location_id = ${shop.locationId}`;
    await inLocation(`update products set price = price + 1 where sku = 'cola'`);
    expect(Date.parse((await read()).catalog.version)).toBe(ahead.getTime() + 1);
  });

  it('is refused to a state that was overtaken', async () => {
    const { rows } = await sql('select catalog_token($1) as token', [shop.locationId]);
    await inLocation(`update products set price = price + 1 where sku = 'cola'`);
    await read();
    const late = await sql('select stamp_catalog($1, $2) as version', [shop.locationId, rows[0].token]);
    expect(late.rows).toEqual([{ version: null }]);
  });

  it('survives the folding of what was noted', async () => {
    await inLocation(`update products set price = price + 1 where sku = 'cola'`);
    const before = await read();
    const counted = `select catalog_token($1) as token,
      (select count(*)::int from internal.tally_notes where location_id = $1) as notes`;
    const state = () => api.sql(counted, [shop.locationId]);
    const [was] = await state();
    await sql('select fold_tallies($1)', [shop.locationId]);
    expect(await state()).toEqual([{ token: was?.token, notes: 0 }]);
    expect((await get({ 'if-none-match': before.etag })).status).toBe(304);
    await inLocation(`update products set price = price + 1 where sku = 'cola'`);
    expect(Date.parse((await read()).catalog.version)).toBeGreaterThan(Date.parse(before.catalog.version));
  });

  it('is not touched by another location, whose deletion leaves nothing behind', async () => {
    const before = await read();
    const other = await createShop(api, await api.make.location());
    await get({}, other.key);
    await sql('delete from locations where id = $1', [other.locationId]);
    const left = await api.sql`select from internal.tallies where location_id = ${other.locationId}
      union all select from internal.tally_notes where location_id = ${other.locationId}`;
    expect(left).toEqual([]);
    expect((await read()).text).toBe(before.text);
  });
});

/** Runs a statement on the rows of the shop alone: `where` is narrowed, `p` are its products. */
async function inLocation(text: string): Promise<void> {
  const own = text
    .replace(' where ', ' where location_id = $1 and ')
    .replace(/^/, 'with p as (select * from products where location_id = $1) ');
  expect((await sql(own, [shop.locationId])).rowCount).toBeGreaterThan(0);
}
