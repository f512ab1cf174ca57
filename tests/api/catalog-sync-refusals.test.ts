import { expect, it, test } from 'vitest';
import { Catalog } from '../../packages/api/src/resources/catalog/schema.ts';
import { dataOf, refusalOf } from '../support/answers.ts';
import { type Call, useApi } from '../support/api.ts';
import { useNewPlace } from '../support/place.ts';
import { category, item, product, subselection, tree } from './catalog-bodies.ts';

const api = useApi();
const site = useNewPlace(api);

const call = (categories: unknown, more: object = {}, options: Call = {}) =>
  site.rest('POST /v2/catalog/sync', { body: { categories, ...more }, ...options });
const catalog = async () => dataOf(await site.rest('GET /v2/catalog'), 200, Catalog);

const withChoices = (...subselections: unknown[]) => [
  { ...category('c'), products: [{ ...product('p'), subselections }] },
];
const many = (count: number) => Array.from({ length: count }, (_, n) => `n-${n}`);

test.each<[string, unknown, object?]>([
  ['categories: ', undefined],
  ['categories: must hold at least one category', []],
  ['categories[0].external_id: ', [{ name: 'x' }]],
  ['categories[0].name: ', [{ external_id: 'x' }]],
  ['categories[0].priority: ', [category('c', [], { priority: 32_768 })]],
  ['categories[0].image_url: ', [category('c', [], { image_url: 'ftp://x' })]],
  ['categories[0].products[0].price: ', [category('c', [product('p', { price: 1.005 })])]],
  [
    'categories[0].products[0].stock.quantity: ',
    [category('c', [product('p', { stock: { enabled: true, quantity: -1 } })])],
  ],
  [
    'categories[0].products[0].description: ',
    [{ ...category('c'), products: [{ ...product('p'), description: null }] }],
  ],
  ['subselections[0].min_selection: ', withChoices(subselection('s', [], { min_selection: 3 }))],
  ['subselections[0].max_selection: ', withChoices(subselection('s', [], { max_selection: 1.5 }))],
  ['subselections[0].min_selection: ', withChoices(subselection('s', [], { min_selection: -1 }))],
  [
    'subselections[0].items[0].min: must not be more than max',
    withChoices(subselection('s', [item('i', { min: 2, max: 1 })])),
  ],
  [
    'items[0].min: must not be more than max, which is 2',
    withChoices(subselection('s', [item('i', { min: 3 })])),
  ],
  ['subselections[0].items: ', withChoices({ ...subselection('s'), items: undefined })],
  ['subselections: must hold at most 50', withChoices(...many(51).map((name) => subselection(name)))],
  [
    'items: must hold at most 100',
    withChoices(
      subselection(
        's',
        many(101).map((name) => item(name)),
      ),
    ),
  ],
  ['categories[1].external_id: is the same as categories[0].external_id', [category('c'), category('c')]],
  ['categories[0].products[1].external_id: is the same', [category('c', [product('p'), product('p')])]],
  ['subselections[1].external_id: is the same', withChoices(subselection('s'), subselection('s'))],
  ['items[1].external_id: is the same', withChoices(subselection('s', [item('i'), item('i')]))],
  [
    'categories[1].products[0].price: differs from categories[0].products[0].price',
    [category('c', [product('p')]), category('d', [product('p', { price: 11 })])],
  ],
  [
    'categories[1].products[0].description: differs',
    [category('c', [product('p')]), category('d', [product('p', { description: '' })])],
  ],
  [
    'categories[0].products[1].sku: is the same',
    [
      category(
        'c',
        ['p', 'q'].map((name) => product(name, { sku: 'one' })),
      ),
    ],
  ],
  ['mode: ', [category('c')], { mode: 'merge' }],
  ['dry_run: ', [category('c')], { dry_run: 1 }],
])('is refused whole, counting no job: %s', async (message, categories, more = {}) => {
  const answer = await call(categories, more);
  expect(refusalOf(answer, 422, 'validation_error')).toContain(message);
  expect(answer.headers.get('x-ratelimit-batch-remaining')).toBe('30');
  expect((await catalog()).categories).toEqual([]);
});

test('min and max are compared with what is kept', async () => {
  await call(withChoices(subselection('s', [item('i', { min: 1, max: 2 })])));
  const refused = await call(withChoices(subselection('s', [item('i', { max: 0 })])));
  expect(refusalOf(refused, 422, 'validation_error')).toContain(
    'items[0].max: must not be less than min, which is 1',
  );
  expect((await call(withChoices(subselection('s', [item('i', { min: 2 })])))).status).toBe(200);
});

test('categories and products count against max_items_per_batch, a product once', async () => {
  const small = await site.make.key({ maxItemsPerBatch: 4 });
  expect((await call(tree(), {}, { key: small.key })).status).toBe(200);
  for (const more of [{}, { dry_run: true }]) {
    const answer = await call([...tree(), category('one more')], more, { key: small.key });
    expect(refusalOf(answer, 422, 'validation_error')).toMatch(
      /^categories: must hold at most 4 items .* got 5$/,
    );
  }
});

it.each([
  ['upsert', 'a product that keeps it', { external_id: 'other' }],
  ['replace', 'a product without an external_id', {}],
])('%s is a conflict for the sku of %s', async (mode, _, { external_id }: { external_id?: string }) => {
  const owner = await site.make.product({ sku: 'mine', ...(external_id && { externalId: external_id }) });
  for (const more of [{ mode }, { mode, dry_run: true }]) {
    const answer = await call([category('c', [product('p', { sku: 'mine' })])], more);
    expect(refusalOf(answer, 409, 'conflict')).toBe(`sku mine is taken by product ${owner}.`);
    expect(answer.headers.get('x-ratelimit-batch-remaining')).toBe('30');
  }
  expect((await catalog()).categories).toEqual([]);
});

test('external ids of another location are none of its business', async () => {
  const foreign = await api.make.product({ externalId: 'p', sku: 'mine' });
  expect((await call([category('c', [product('p', { sku: 'mine' })])], { mode: 'replace' })).status).toBe(
    200,
  );
  expect((await catalog()).categories[0]?.products[0]?.id).not.toBe(foreign);
  expect((await api.rest(`GET /v2/products/${foreign}`)).status).toBe(200);
});

test('a body of 8 MiB is read, a larger one refused', async () => {
  const filled = (bytes: number) => JSON.stringify({ categories: [category('c')], note: 'x'.repeat(bytes) });
  const send = (body: string) => site.rest('POST /v2/catalog/sync', { body });
  expect((await send(filled(7 * 1024 * 1024))).status).toBe(200);
  refusalOf(await send(filled(8 * 1024 * 1024)), 413, 'invalid_request');
});
