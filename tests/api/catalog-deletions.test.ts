import { describe, expect, it, test } from 'vitest';
import { CatalogSyncResult } from '../../packages/api/src/resources/catalog/sync.schema.ts';
import { dataOf, refusalOf } from '../support/answers.ts';
import { readChangesOf } from '../support/changes.ts';
import { placeOrder } from '../support/orders.ts';
import { useNewPlace } from '../support/place.ts';
import { useSteppedApi } from '../support/published.ts';
import { category, item, product, subselection, tree } from './catalog-bodies.ts';

const api = useSteppedApi();
const site = useNewPlace(api, { key: { batchJobsPerHour: 1_000 } });

const rest = (route: string, body?: unknown) => site.rest(route, { ...(body !== undefined && { body }) });
const call = (categories: unknown, more: object = {}) =>
  rest('POST /v2/catalog/sync', { categories, ...more });
const sync = async (categories: unknown, more: object = {}) =>
  dataOf(await call(categories, more), 200, CatalogSyncResult);
const gone = (external_id: string) => ({ external_id, delete: true });
const counts = (total_items: number, updated: number, deleted: number, unchanged: number) => ({
  total_items,
  created: 0,
  updated,
  deleted,
  unchanged,
});

/** All rows of the location, by external id. */
async function all(): Promise<string[]> {
  const rows = await api.sql<{ name: string }>(
    `select external_id as name from (
       select external_id from categories where location_id = $1 union all
       select external_id from products where location_id = $1 union all
       select external_id from subselections where location_id = $1 union all
       select external_id from subselection_items where location_id = $1) every order by 1`,
    [site.locationId],
  );
  return rows.map(({ name }) => name);
}
const everything = ['bar', 'beer', 'extras', 'food', 'l', 'nuts', 's', 'shared', 'size'];
const without = (...names: string[]) => everything.filter((name) => !names.includes(name));

type Products = NonNullable<Parameters<typeof category>[1]>;
type Choices = NonNullable<Products[number]['subselections']>;
const food = (...products: Products) => [category('food', products)];
const shared = (more: object, ...subselections: Choices) => product('shared', { ...more, subselections });

/** Each kind of entry with `delete`, the rows that it takes along, and the other nodes that the body names. */
const kinds: [string, unknown, string, ReturnType<typeof counts>][] = [
  ['a category: its products stay', [gone('food')], 'food', counts(1, 0, 1, 0)],
  [
    'a product, with all that belongs to it, under whichever category it is written',
    [category('food', [gone('beer')]), category('bar', [gone('shared')])],
    ...(['beer shared size s l extras nuts', counts(4, 0, 7, 2)] as const),
  ],
  [
    'a product that is written under two categories, once',
    [category('food', [gone('beer')]), category('bar', [gone('beer')])],
    ...(['beer', counts(3, 0, 1, 2)] as const),
  ],
  [
    'a category with products',
    [{ ...gone('bar'), products: [gone('beer')] }],
    'bar beer',
    counts(2, 0, 2, 0),
  ],
  [
    'a subselection',
    food(shared({ sku: 'SH' }, gone('size'), subselection('extras'))),
    'size s l',
    counts(4, 0, 3, 3),
  ],
  ['an item', food(shared({}, subselection('size', [gone('s')]))), 's', counts(4, 0, 1, 3)],
  [
    'with any other fields of the entry',
    [category('food', [product('beer', { delete: true, price: 99, sku: 'SH' })], { priority: 2 })],
    ...(['beer', counts(2, 0, 1, 1)] as const),
  ],
  [
    'what is not there, and is unchanged',
    [gone('none'), ...food(gone('nothing'), shared({}, gone('no'), subselection('size', [gone('never')])))],
    ...(['', counts(7, 0, 0, 7)] as const),
  ],
  ['delete: false', [category('food', undefined, { delete: false })], '', counts(1, 0, 0, 1)],
];

describe('an entry of an upsert with delete', () => {
  it.each(kinds)('%s', async (_, body, taken, result) => {
    const names = taken.match(/\w+/g) ?? [];
    await sync(tree());
    await api.published();
    const foreseen = await sync(body, { dry_run: true });
    expect(await all()).toEqual(everything);
    expect(foreseen).toMatchObject({ ...result, dry_run: true });
    const done = await sync(body);
    expect(done).toMatchObject(result);
    expect(await all()).toEqual(without(...names));
    const deleted = foreseen.changes?.filter(({ action }) => action === 'deleted') ?? [];
    expect(deleted.map(({ external_ids }) => external_ids.at(-1)).sort()).toEqual(names.toSorted());
    for (const { id } of deleted) expect(id).toEqual(expect.any(String));
    // Again, there is nothing to do.
    const again = await sync(body);
    expect(again).toMatchObject({ total_items: result.total_items, updated: 0, deleted: 0 });
    expect(again.unchanged).toBe(result.total_items);
  });

  it.each(['upsert', 'replace'])('is published as a DELETE is: %s', async (mode) => {
    await sync(tree());
    const { data } = (await rest('GET /v2/products')).body as { data: { id: string; external_id: string }[] };
    const id = data.find(({ external_id }) => external_id === 'beer')?.id;
    const reader = readChangesOf((route) => rest(route), '/v2/products?include=deleted');
    await reader.walk();
    await api.published();
    const [first, bar] = tree();
    const others = mode === 'upsert' ? [] : [first];
    await sync([...others, { ...bar, products: [bar?.products?.[0], gone('beer')] }], { mode });
    const types = await publishedTypes();
    expect(types.filter((type) => type === 'product.deleted')).toHaveLength(1);
    expect(types.filter((type) => type === 'catalog.updated')).toHaveLength(1);
    expect(await reader.walk()).toEqual([`-${id}`]);
    expect(await all()).toEqual(without('beer'));
  });

  it('leaves orders as they are, and frees external_id and sku within the same sync', async () => {
    await sync(tree());
    const paymentMethodId = await site.make.paymentMethod();
    const { id } = (await rest('GET /v2/products/by-external-id/shared')).body.data as { id: string };
    const order = await placeOrder(site, { productId: id, paymentMethodId });
    const next = product('next', { sku: 'SH' });
    const done = await sync([category('food', [gone('shared'), next])]);
    expect(done).toMatchObject({ created: 1, deleted: 6 });
    const items = [{ product_id: id, name: 'shared' }];
    expect((await rest(`GET /v2/orders/${order.id}`)).body.data).toMatchObject({ items });
  });

  it('returns the ids of existing rows, and none of deleted ones', async () => {
    await sync(tree());
    const { ids } = await sync([category('food', [gone('beer')])], { include: ['ids'] });
    expect(ids?.map(({ external_ids }) => external_ids)).toEqual([['food']]);
  });

  it('leaves what has no external_id, though its category goes', async () => {
    await sync(tree());
    const own = await site.make.product({ name: 'By hand' });
    await sync([{ ...gone('food'), products: [gone('shared')] }, gone('bar')]);
    const { data } = (await rest('GET /v2/products')).body as { data: { id: string }[] };
    expect(data.map(({ id }) => id)).toContain(own);
  });

  it('cleans a catalog of more than a batch holds, in parts', async () => {
    const names = Array.from({ length: 700 }, (_, n) => `p${n}`);
    const parts = [names.slice(0, 400), names.slice(400)];
    for (const part of parts) await sync(food(...part.map((name) => product(name))));
    for (const part of parts) {
      const done = await sync([{ ...gone('food'), products: part.map(gone) }]);
      expect(done.deleted).toBe(part.length + (part === parts[0] ? 1 : 0));
    }
    expect(await all()).toEqual([]);
  });
});

const required = 'is required, unless delete is true';
test.each<[string, unknown, string]>([
  [
    'a product that is to stay under a category that is not',
    [{ ...gone('food'), products: [gone('beer'), product('shared')] }],
    'categories[0].products[1].delete: must be true, as that of its category',
  ],
  [
    'a product that is deleted here and kept there',
    [...food(gone('beer')), category('bar', [product('beer')])],
    'categories[1].products[0].delete: differs from categories[0].products[0].delete',
  ],
  ['a category without a name', [{ external_id: 'x' }], `categories[0].name: ${required}`],
  [
    'a product without a price',
    food({ external_id: 'x', name: 'x', delete: false }),
    `categories[0].products[0].price: ${required}`,
  ],
  [
    'a subselection without items',
    food(
      product('x', { subselections: [{ external_id: 'y', name: 'y', min_selection: 0, max_selection: 1 }] }),
    ),
    `categories[0].products[0].subselections[0].items: ${required}`,
  ],
  [
    'one named twice',
    [gone('x'), gone('x')],
    'categories[1].external_id: is the same as categories[0].external_id',
  ],
  ['delete of another kind', [{ external_id: 'x', delete: 'yes' }], 'categories[0].delete: '],
])('refuses %s', async (_, body, message) => {
  await sync(tree());
  expect(refusalOf(await call(body), 422, 'validation_error')).toContain(message);
  expect(await all()).toEqual(everything);
});

test('an item whose place in the body is behind one that is deleted is named by that place', async () => {
  await sync([category('a', [product('p', { subselections: [subselection('s', [item('i')])] })])]);
  const items = [gone('x'), item('i', { min: 9 })];
  const body = [category('a', [product('p', { subselections: [gone('y'), subselection('s', items)] })])];
  expect(refusalOf(await call(body), 422, 'validation_error')).toContain(
    'categories[0].products[0].subselections[1].items[1].min: ',
  );
});

async function publishedTypes(): Promise<string[]> {
  const before = await api.sql<{ n: string }>`select coalesce(max(number), 0) as n from events
    where location_id = ${site.locationId}`;
  await api.published();
  const rows = await api.sql<{ type: string }>`select type from events
    where location_id = ${site.locationId} and number > ${before[0]?.n} order by number`;
  return rows.map(({ type }) => type);
}
