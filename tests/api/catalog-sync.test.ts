import { describe, expect, it, test } from 'vitest';
import { Catalog } from '../../packages/api/src/resources/catalog/schema.ts';
import { CatalogSyncResult } from '../../packages/api/src/resources/catalog/sync.schema.ts';
import { Product } from '../../packages/api/src/resources/products/schema.ts';
import { dataOf, refusalOf } from '../support/answers.ts';
import { type Call, useApi } from '../support/api.ts';
import { useNewPlace } from '../support/place.ts';
import { category, item, product, subselection, tree } from './catalog-bodies.ts';

const api = useApi();
const site = useNewPlace(api);

const call = (categories: unknown, more: object = {}, options: Call = {}) =>
  site.rest('POST /v2/catalog/sync', { body: { categories, ...more }, ...options });
const sync = async (categories: unknown, more: object = {}) =>
  dataOf(await call(categories, more), 200, CatalogSyncResult);
const replace = (categories: unknown) => sync(categories, { mode: 'replace' });
const catalog = async () => dataOf(await site.rest('GET /v2/catalog'), 200, Catalog);
const readProduct = async (externalId: string) =>
  dataOf(await site.rest(`GET /v2/products/by-external-id/${externalId}`), 200, Product);

/** `food:shared(size(s,l) extras(nuts))`: the tree, by name. */
const outline = async () =>
  (await catalog()).categories.map(({ name, products }) => {
    const options = (items: { name: string }[]) => items.map((each) => each.name).join(',');
    const choices = products.map((each) =>
      each.subselections.length === 0
        ? each.name
        : `${each.name}(${each.subselections.map(({ name: own, items }) => `${own}(${options(items)})`).join(' ')})`,
    );
    return `${name}:${choices.join(' ')}`;
  });

/** The changes captured at the location since the last call: resources, and how many transactions made them. */
async function captured() {
  const rows = await api.sql<
    Record<'what' | 'seed', string>
  >`with gone as (delete from internal.captured_changes where location_id = ${site.locationId} returning *)
    select concat_ws(' ', resource, operation, nullif(array_to_string(changed, ','), '')) as what, seed
    from gone, unnest(resource_ids)`;
  return {
    what: rows.map(({ what }) => what).sort(),
    transactions: new Set(rows.map(({ seed }) => seed)).size,
  };
}

const withChoices = (name: string, ...subselections: ReturnType<typeof subselection>[]) =>
  product(name, { subselections });
const counts = (created: number, updated: number, deleted: number, unchanged: number) => ({
  total_items: created + updated + unchanged,
  created,
  updated,
  deleted,
  unchanged,
});

describe('upsert', () => {
  it('creates the whole tree with the defaults, in one transaction', async () => {
    const result = await sync(tree());
    const { version, categories } = await catalog();
    expect(result).toEqual({ version, ...counts(9, 0, 0, 0) });
    expect(await outline()).toEqual([
      'bar:beer shared(size(s,l) extras(nuts))',
      'food:shared(size(s,l) extras(nuts))',
    ]);
    const shared = categories[1]?.products[0];
    expect(shared).toMatchObject({ sku: 'SH', visible: true, stock: { enabled: true, quantity: 5 } });
    expect(shared?.subselections[0]).toMatchObject({ external_id: 'size', single: false });
    const none = { enabled: false, quantity: 0 };
    expect(shared?.subselections[0]?.items[0]).toEqual({
      id: expect.any(String),
      external_id: 's',
      name: 's',
      price: 1,
      min: 0,
      max: 2,
      visible: true,
      stock: none,
    });
    const beer = await readProduct('beer');
    expect(beer).toMatchObject({ sku: beer.id, description: '', image_url: '', stock: none });
    expect((await captured()).transactions).toBe(1);
  });

  it('touches nothing and publishes nothing when all of it is there', async () => {
    const { version } = await sync(tree());
    const updated = () =>
      api.sql`select array_agg(updated_at) from (select updated_at from categories union all select updated_at from products
        union all select updated_at from product_stock union all select updated_at from subselections
        union all select updated_at from subselection_items) all_rows`;
    const before = await updated();
    await captured();
    expect(await sync(tree())).toEqual({ version, ...counts(0, 0, 0, 9) });
    expect(await updated()).toEqual(before);
    expect(await captured()).toEqual({ what: [], transactions: 0 });
    expect((await catalog()).version).toBe(version);
  });

  it('changes what differs and keeps what is left out', async () => {
    const hidden = { description: 'Hot', visible: false, image_url: 'https://x.example/s' };
    await sync([category('food', [product('soup', hidden)], { priority: 4 })]);
    await api.sql`insert into product_stock (location_id, product_id, quantity, min_stock_alarm)
      select location_id, id, 7, 2 from products where external_id = 'soup'`;
    await captured();
    const changed = product('soup', { price: 11.25, stock: { enabled: false, quantity: 8 } });
    expect(await sync([category('food', [changed])])).toMatchObject(counts(0, 1, 0, 1));
    const what = ['product update price', 'stock update enabled,quantity'];
    expect(await captured()).toEqual({ what, transactions: 1 });
    expect(await readProduct('soup')).toMatchObject({
      ...hidden,
      price: 11.25,
      stock: { enabled: false, quantity: 8, min_stock_alarm: 2 },
    });
  });

  it('adds links, and leaves what is not named, at any place', async () => {
    await sync(tree());
    await captured();
    expect(await sync([category('new', [product('beer')])])).toMatchObject(counts(1, 1, 0, 0));
    expect((await captured()).what).toEqual(['category insert', 'product_categories insert']);
    expect(await outline()).toHaveLength(3);
    expect((await readProduct('beer')).categories.map(({ name }) => name)).toEqual(['bar', 'new']);
  });

  it('keeps the order sent, and puts what is new where it was sent', async () => {
    const choices = (...names: string[]) => [
      category('food', [withChoices('soup', ...names.map((name) => subselection(name, [item('x')])))]),
    ];
    await sync(choices('a', 'b'));
    for (const [sent, expected] of [
      [['c'], 'a(x) b(x) c(x)'],
      [['a', 'd', 'b'], 'a(x) d(x) b(x) c(x)'],
      [['c', 'a'], 'd(x) b(x) c(x) a(x)'],
    ] as const) {
      await sync(choices(...sent));
      expect(await sync(choices(...sent))).toMatchObject({ created: 0, updated: 0 });
      expect((await outline())[0]).toContain(expected);
    }
  });
});

describe('replace', () => {
  it('removes what has an external_id and is not named, with all that belongs to it', async () => {
    await sync(tree());
    await captured();
    const left = withChoices('shared', subselection('size', [item('l')]));
    const result = await replace([category('food', [left], { priority: 2 })]);
    // bar, beer, extras with nuts, and s are gone; the product left bar.
    expect(result).toMatchObject(counts(0, 1, 5, 3));
    expect(await outline()).toEqual(['food:shared(size(l))']);
    const { what, transactions } = await captured();
    expect(transactions).toBe(1);
    expect(what).toEqual(
      expect.arrayContaining(['category delete', 'product delete', 'subselection delete']),
    );
    expect(await readProduct('shared')).toMatchObject({ sku: 'SH', stock: { quantity: 5 } });
  });

  it('never removes what has no external_id', async () => {
    const mine = await site.make.category({ name: 'mine' });
    const manual = await site.make.product({ name: 'manual', categoryIds: [mine] });
    await sync([category('food', [withChoices('soup', subselection('size', [item('s')]))])]);
    const soup = await readProduct('soup');
    await site.make.subselection({ productId: soup.id, name: 'by hand', items: [{ name: 'i' }] });
    await api.sql`insert into subselection_items (location_id, subselection_id, name, position)
      select location_id, id, 'hand-made', 5 from subselections where external_id = 'size' and location_id = ${site.locationId}`;
    const result = await replace([category('food', [withChoices('soup', subselection('size'))])]);
    expect(result).toMatchObject(counts(0, 0, 1, 3));
    expect(await outline()).toEqual(['food:soup(size(hand-made) by hand(i))', 'mine:manual']);
    expect(await replace([category('food')])).toMatchObject({ deleted: 5 });
    expect(await outline()).toEqual(['food:', 'mine:manual']);
    const [left] = await api.sql`select id from products where location_id = ${site.locationId}`;
    expect(left).toEqual({ id: manual });
  });

  it('sets the links of what is named, and leaves those of other products', async () => {
    await sync([category('food', [product('soup')]), category('bar', [product('soup')])]);
    const bar = await api.prisma.category.findFirstOrThrow({
      where: { locationId: site.locationId, externalId: 'bar' },
    });
    await site.make.product({ name: 'manual', categoryIds: [bar.id] });
    const moved = [category('food'), category('bar'), category('new', [product('soup')])];
    expect(await replace(moved)).toMatchObject(counts(1, 1, 0, 2));
    expect(await outline()).toEqual(['bar:manual', 'food:', 'new:soup']);
  });

  it('touches nothing when the catalog is as it says', async () => {
    const { version } = await replace(tree());
    await captured();
    expect(await replace(tree())).toEqual({ version, ...counts(0, 0, 0, 9) });
    expect((await captured()).what).toEqual([]);
  });

  it('lets a product have the sku of one that goes, or that gives it up, or swap', async () => {
    const skus = (...given: [string, string][]) => {
      const products = given.map(([name, sku]) => product(name, { sku }));
      return [category('food', products)];
    };
    await replace(skus(['a', '1'], ['b', '2'], ['c', '3']));
    await replace(skus(['a', '2'], ['b', '1'], ['d', '3']));
    const { categories } = await catalog();
    expect(categories[0]?.products.map(({ name, sku }) => name + sku)).toEqual(['a2', 'b1', 'd3']);
  });
});

describe('the answer', () => {
  it('carries the batch headers and counts a job, also when nothing changed', async () => {
    const remaining = async () => (await call(tree())).headers.get('x-ratelimit-batch-remaining');
    expect([await remaining(), await remaining()]).toEqual(['29', '28']);
    const { key: limited } = await site.make.key({ batchJobsPerHour: 1 });
    expect((await call(tree(), {}, { key: limited })).status).toBe(200);
    refusalOf(await call(tree(), {}, { key: limited }), 429, 'rate_limited');
  });
});

test('dry_run says what would become of each, field by field, and changes nothing', async () => {
  await sync(tree());
  await captured();
  const { version } = await catalog();
  const answer = await call([category('bar', [product('beer', { price: 12 }), product('wine')])], {
    mode: 'replace',
    dry_run: true,
  });
  const result = dataOf(answer, 200, CatalogSyncResult);
  expect(result).toMatchObject({ version, dry_run: true, ...counts(1, 1, 7, 1) });
  const brief = result.changes?.map((each) => `${each.type} ${each.external_ids.join('/')} ${each.action}`);
  expect(brief).toEqual([
    'category bar unchanged',
    'product beer updated',
    'product wine created',
    'category food deleted',
    'product shared deleted',
    'subselection shared/size deleted',
    'item shared/size/s deleted',
    'item shared/size/l deleted',
    'subselection shared/extras deleted',
    'item shared/extras/nuts deleted',
  ]);
  expect(result.changes?.[1]?.changes).toEqual([{ field: 'price', before: 10, after: 12 }]);
  expect(result.changes?.[2]?.changes).toContainEqual({ field: 'categories', before: [], after: ['bar'] });
  expect(result.changes?.[2]?.changes.map(({ field }) => field)).not.toContain('sku');
  expect(answer.headers.get('x-ratelimit-batch-remaining')).toBe('29');
  expect(await captured()).toEqual({ what: [], transactions: 0 });
  expect((await catalog()).version).toBe(version);
});

describe('a subselection that no order can satisfy', () => {
  const item1 = (name: string) => item(name, { max: 1 });
  const toppings = (items: ReturnType<typeof item>[], more: object = {}) => [
    category('pizzas', [
      product('pizza', {
        subselections: [
          subselection('drinks', [item('cola')], { min_selection: 1 }),
          subselection('toppings', items, { min_selection: 3, max_selection: 3, single: false, ...more }),
        ],
      }),
    ]),
  ];
  const path = 'categories[0].products[0].subselections[1]';
  const warned = (message: string) => [{ path, message: `"toppings" needs at least ${message}` }];

  it('is accepted with a warning, in the dry run as well, until its options suffice', async () => {
    const few = toppings([item1('ham'), item1('olives')]);
    const message = '3, and its options allow at most 2';
    const { warnings } = await sync(few, { dry_run: true });
    expect(warnings).toEqual(warned(message));
    expect((await sync(few)).warnings).toEqual(warned(message));
    // Nothing changes, and it still cannot be sold.
    expect(await sync(few)).toMatchObject({ updated: 0, warnings: warned(message) });
    expect(await sync(toppings([item1('corn')]))).not.toHaveProperty('warnings');
    const again = warned('3, and its options allow at most 1');
    expect((await sync(toppings([item1('corn')]), { mode: 'replace' })).warnings).toEqual(again);
  });

  it.each<[string, ReturnType<typeof toppings>, string]>([
    ['has no options', toppings([]), '3, and has no options'],
    [
      'takes a single option, whose maximum is too small',
      toppings([item1('ham'), item1('olives')], { min_selection: 2, single: true }),
      '2, and a single one of its options allows at most 1',
    ],
    [
      'has an option that can only be chosen more often than the group allows',
      toppings([item('ham', { min: 4, max: 4 })]),
      '3, and its options allow at most 0',
    ],
  ])('is named where it %s', async (_, categories, message) => {
    expect((await sync(categories)).warnings).toEqual(warned(message));
  });

  it('is named when the last option of a required one is deleted, and counts options made by hand', async () => {
    const one = toppings([item('ham', { max: 3 })]);
    expect(await sync(one)).not.toHaveProperty('warnings');
    const gone = toppings([item('ham', { delete: true })]);
    expect((await sync(gone)).warnings).toEqual(warned('3, and has no options'));
    await api.sql`insert into subselection_items (location_id, subselection_id, name, max)
      select location_id, id, 'By hand', 3 from subselections where location_id = ${site.locationId} and external_id = 'toppings'`;
    expect(await sync(gone)).not.toHaveProperty('warnings');
    expect(await replace(gone)).not.toHaveProperty('warnings');
  });
});
