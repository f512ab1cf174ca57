import { beforeEach, describe, expect, it, test } from 'vitest';
import { Catalog } from '../../packages/api/src/resources/catalog/schema.ts';
import { dataOf } from '../support/answers.ts';
import { placeOrder } from '../support/orders.ts';
import { useNewPlace } from '../support/place.ts';
import { useSteppedApi } from '../support/published.ts';

const api = useSteppedApi();
const site = useNewPlace(api);
let category: string;
let shown: string;
let unseen: string;

beforeEach(async () => {
  category = await site.make.category({ name: 'Teas' });
  const stock = { quantity: 5 };
  shown = await site.make.product({ stock, categoryIds: [category] });
  unseen = await site.make.product({ stock });
});

const rest = (route: string, body?: unknown, headers: Record<string, string> = {}) =>
  site.rest(route, { headers, ...(body !== undefined && { body }) });
const sql = (text: string, values: unknown[] = []) => api.pool.query(text, [site.locationId, ...values]);
async function read() {
  const answer = await rest('GET /v2/catalog');
  return { ...answer, catalog: dataOf(answer, 200, Catalog), etag: answer.headers.get('etag') ?? '' };
}
const order = async (productId: string) =>
  placeOrder(site, { productId, paymentMethodId: await site.make.paymentMethod() });
const fields = { name: 'Mate', description: '', price: 2 };
const counted = { enabled: true, quantity: 1, min_stock_alarm: 0 };
const choose = () =>
  api.sql`insert into subselections (location_id, product_id, name, min_selection, max_selection, single, position)
    values (${site.locationId}, ${unseen}, 'Size', 0, 1, true, 0)`;

describe('what the tree does not show moves neither version nor tag', () => {
  test.each<[string, () => Promise<unknown>]>([
    ['a product without a category is made', () => rest('POST /v2/products', fields)],
    ['one with stock', () => rest('POST /v2/products', { ...fields, stock: counted })],
    ['it is changed', () => rest(`PATCH /v2/products/${unseen}`, { price: 9 })],
    ['it is deleted', () => rest(`DELETE /v2/products/${unseen}`)],
    ['its stock is set', () => rest('POST /v2/stock/sync', { items: [{ product_id: unseen, quantity: 9 }] })],
    ['it is sold', () => order(unseen)],
    ['it gets a choice', choose],
  ])('%s', async (_, change) => {
    await sql('update products set price = 10 where location_id = $1 and id = $2', [shown]);
    // An event gives a version without the text: of what is not published yet it would be another one.
    await api.published();
    const before = await read();
    const outcome = (await change()) as { status?: number | string; text?: string };
    if (typeof outcome.status === 'number') expect(outcome.status, outcome.text).toBeLessThan(300);
    const conditional = await rest('GET /v2/catalog', undefined, { 'if-none-match': before.etag });
    expect([conditional.status, conditional.headers.get('etag')]).toEqual([304, before.etag]);
    expect((await read()).text).toBe(before.text);
    // A later visible change gets another version.
    await rest(`PATCH /v2/products/${shown}`, { price: 11 });
    const after = await read();
    expect(after.etag).not.toBe(before.etag);
    expect(Date.parse(after.catalog.version)).toBeGreaterThan(Date.parse(before.catalog.version));
  });

  it('but the zone in which the version is shown does', async () => {
    const before = await read();
    await sql(`update locations set timezone = 'Asia/Tokyo' where id = $1`);
    const after = await read();
    expect(after.catalog.version).toMatch(/\+09:00$/);
    expect(after.etag).not.toBe(before.etag);
  });

  it('and the version that an event or a process of the version before gave without the text stays', async () => {
    await rest(`PATCH /v2/products/${shown}`, { price: 11 });
    await api.published();
    const { rows } = await sql(
      'select version, digest from internal.catalog_versions where location_id = $1',
    );
    expect(rows[0]?.digest).toBeNull();
    const { catalog } = await read();
    expect(Date.parse(catalog.version)).toBe(rows[0]?.version.getTime());
    await rest('POST /v2/products', fields);
    expect((await read()).catalog.version).toBe(catalog.version);
  });
});

it('a new picture of a category is published by catalog.updated, and a picture that stays is not', async () => {
  await api.published();
  const { catalog } = await read();
  const published = async () => {
    await api.published();
    return api.sql`select type, body::jsonb -> 'data' ->> 'published_at' as at from events
      where location_id = ${site.locationId} order by number`;
  };
  const before = (await published()).length;
  await rest(`PATCH /v2/categories/${category}`, { image_url: 'https://images.example.com/teas.jpg' });
  expect((await published()).slice(before)).toEqual([{ type: 'catalog.updated', at: catalog.version }]);
  await sql(`update categories set image_url = 'https://images.example.com/t.jpg' where location_id = $1`);
  await rest(`PATCH /v2/categories/${category}`, { image_url: 'https://images.example.com/t.jpg' });
  expect((await published()).slice(before).map(({ type }) => type)).toEqual(Array(2).fill('catalog.updated'));
});
