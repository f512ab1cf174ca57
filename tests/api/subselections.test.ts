import { comandaError, tagOf } from '@comanda/client';
import fc from 'fast-check';
import { beforeEach, describe, expect, it, test } from 'vitest';
import { mostSelectable } from '../../packages/api/src/resources/subselections/rules.ts';
import { Subselection, SubselectionItem } from '../../packages/api/src/resources/subselections/schema.ts';
import { createPaymentMethod, createProduct } from '../support/factories.ts';
import { refused } from '../support/money.ts';
import { placeOrder } from '../support/orders.ts';
import { useSteppedApi } from '../support/published.ts';
import { parseStrict } from '../support/strict.ts';

const api = useSteppedApi();
const groups = () => api.client().subselections;
const options = () => api.client().subselectionItems;
let product_id: string;
beforeEach(async () => {
  const categoryIds = [await api.make.category({ name: 'Pizzas' })];
  product_id = await createProduct(api.app.database, { locationId: api.locationId, categoryIds });
});

const one = (name: string, max = 1) => ({ name, price: 1, max });
const toppings = (...names: string[]) => ({
  product_id,
  name: 'Toppings',
  min_selection: 1,
  max_selection: 3,
  single: false,
  items: names.map((name) => one(name)),
});
const make = async (...names: string[]) =>
  parseStrict(Subselection, await groups().create.mutate(toppings(...names)));
const listed = async (more: object = {}) =>
  (await groups().list.query({ product_id, ...more })).data.map((each) => parseStrict(Subselection, each));
const unsatisfied = (path: string, message: string) => ({
  code: 'validation_error',
  message: `${path}: could not be satisfied by any order: "Toppings" needs at least ${message}`,
});
const tooFew = (needed: number, most: number) => `${needed}, and its options allow at most ${most}`;

describe('subselections and their options, one by one', () => {
  it('are made, changed, ordered and deleted; reads and the catalog show them in the order of position', async () => {
    const made = await make('Ham', 'Olives');
    expect(made).toMatchObject({ position: 0, selectable: 2, items: [{ position: 0 }, { position: 1 }] });
    const size = await groups().create.mutate({ ...toppings('L'), name: 'Size', max_selection: 1 });
    expect(size).toMatchObject({ position: 1 });
    const corn = parseStrict(
      SubselectionItem,
      await options().create.mutate({ subselection_id: made.id, name: 'Corn', price: 2, position: -1 }),
    );
    expect(corn).toMatchObject({ min: 0, max: 3, visible: true, position: 0 });
    await groups().update.mutate({ id: size.id, position: -5, name: 'Which size?' });
    await options().update.mutate({ id: corn.id, price: 2.5, stock: { enabled: true, quantity: 4 } });
    const found = await listed();
    expect(found.map(({ name }) => name)).toEqual(['Which size?', 'Toppings']);
    expect(found[1]?.items.map(({ name }) => name)).toEqual(['Corn', 'Ham', 'Olives']);
    const { categories } = await api.client().catalog.get.query();
    const inCatalog = categories.flatMap(({ products }) => products).find(({ id }) => id === product_id);
    expect(inCatalog?.subselections.map(({ items }) => items.map(({ name }) => name))).toEqual([
      ['L'],
      ['Corn', 'Ham', 'Olives'],
    ]);
    const paymentMethodId = await createPaymentMethod(api.app.database, { locationId: api.locationId });
    const chosen = [size.items[0]?.id, corn.id].map((item_id) => ({ item_id, quantity: 1 }));
    await placeOrder(
      api,
      { productId: product_id, paymentMethodId },
      {
        items: [{ product_id, quantity: 1, subselections: chosen }],
      },
    );
    await options().delete.mutate({ id: corn.id });
    await groups().delete.mutate({ id: made.id });
    expect((await listed()).map(({ id }) => id)).toEqual([size.id]);
  });

  it('publish catalog.updated, and a repeat with the same key makes nothing more', async () => {
    await api.published();
    const events = async () => {
      await api.published();
      const [row] = await api.sql<{ count: number }>`select count(*)::int as count from events
        where location_id = ${api.locationId} and type = 'catalog.updated'`;
      return row?.count ?? 0;
    };
    const before = await events();
    const input = { ...toppings('Ham'), idempotencyKey: `toppings of ${product_id}` };
    const made = await groups().create.mutate(input);
    expect(await groups().create.mutate(input)).toEqual(made);
    expect(await listed()).toHaveLength(1);
    const afterCreation = await events();
    expect(afterCreation).toBeGreaterThan(before);
    await options().update.mutate({ id: made.items[0]?.id ?? '', price: 7 });
    const afterPrice = await events();
    expect(afterPrice).toBeGreaterThan(afterCreation);
    // The siblings that shift are in the same transaction.
    await options().create.mutate({ ...one('Olives'), subselection_id: made.id, position: 0 });
    expect(await events()).toBe(afterPrice + 1);
  });

  it('refuse an unknown product, an unknown subselection, bounds in disorder and a taken external_id', async () => {
    const { id, items } = await make('Ham');
    const elsewhere = await api.place();
    const foreign = { ...toppings('Ham'), product_id: await elsewhere.make.product() };
    expect(await refused(groups().create.mutate(foreign))).toMatchObject({
      message: 'product_id: names nothing in products',
    });
    const orphan = { ...one('Ham'), subselection_id: product_id };
    expect(await refused(options().create.mutate(orphan))).toMatchObject({
      message: 'subselection_id: names nothing in subselections',
    });
    expect(await refused(groups().update.mutate({ id, max_selection: 0 }))).toMatchObject({
      message: 'max_selection: must not be less than min_selection, which is 1',
    });
    expect(await refused(options().update.mutate({ id: items[0]?.id ?? '', min: 2 }))).toMatchObject({
      message: 'min: must not be more than max, which is 1',
    });
    await groups().update.mutate({ id, external_id: 'T\u00e9' });
    const twin = { ...toppings('Ham'), external_id: 'Te\u0301' };
    const taken = await groups()
      .create.mutate(twin)
      .then(() => undefined, comandaError);
    expect(taken).toMatchObject({ code: 'conflict', reason: 'external_id_taken', resourceId: id });
    expect(await refused(groups().delete.mutate({ id: product_id }))).toMatchObject({
      code: 'resource_not_found',
    });
  });
});

const catalogOrder = async () => {
  const { categories } = await api.client().catalog.get.query();
  const product = categories.flatMap(({ products }) => products).find(({ id }) => id === product_id);
  return product?.subselections.map(({ name, items }) => [name, ...items.map((item) => item.name)]);
};

describe('the place of a subselection and of an option', () => {
  test('follows any creations, moves and deletions, whatever gaps and ties were there', async () => {
    const { id } = await make('kept');
    const place = fc.option(fc.integer({ min: -1, max: 6 }), { nil: undefined });
    const step = fc.tuple(fc.constantFrom('create', 'move', 'delete'), fc.nat(5), place);
    const stored = fc.array(fc.integer({ min: -3, max: 3 }), { maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(stored, fc.array(step, { minLength: 1, maxLength: 6 }), async (positions, steps) => {
        await api.sql`delete from subselection_items where subselection_id = ${id} and name <> 'kept'`;
        await api.sql`insert into subselection_items (location_id, subselection_id, name, position)
          select ${api.locationId}, ${id}, 'old ' || n, p from unnest(${positions}::int[]) with ordinality u (p, n)`;
        const [group] = await listed();
        const expected = (group?.items ?? []).map((item) => item.id);
        for (const [verb, which, at] of steps) {
          const chosen = expected[which % expected.length] ?? '';
          const isKept = (await listed())[0]?.items.find((item) => item.id === chosen)?.name === 'kept';
          if (verb === 'delete' && isKept) continue;
          if (verb !== 'create') expected.splice(expected.indexOf(chosen), 1);
          if (verb === 'delete') await options().delete.mutate({ id: chosen });
          else {
            const input = { ...one('new'), position: at };
            const { id: moved, position } =
              verb === 'create'
                ? await options().create.mutate({ ...input, subselection_id: id })
                : await options().update.mutate({ id: chosen, position: at ?? 99 });
            expected.splice(Math.max(at ?? 99, 0), 0, moved);
            expect(position).toBe(expected.indexOf(moved));
          }
        }
        const [after] = await listed();
        expect(after?.items.map((item) => item.id)).toEqual(expected);
        expect(after?.items.map((item) => item.position)).toEqual(expected.map((_id, index) => index));
      }),
      { numRuns: 15 },
    );
  });

  test('is that of the catalog, and a move to where it is changes nothing', async () => {
    await groups().create.mutate({ ...toppings('Ham'), name: 'first' });
    const second = await groups().create.mutate({ ...toppings('Ham', 'Olives'), name: 'second' });
    const third = await groups().create.mutate({ ...toppings('Ham'), name: 'third', position: 1 });
    expect(await catalogOrder()).toEqual([
      ['first', 'Ham'],
      ['third', 'Ham'],
      ['second', 'Ham', 'Olives'],
    ]);
    const moved = await groups().update.mutate({ id: second.id, position: 0 });
    expect(moved).toMatchObject({ position: 0, items: [{ position: 0 }, { position: 1 }] });
    expect((await catalogOrder())?.map(([name]) => name)).toEqual(['second', 'first', 'third']);
    const [entry] = await api.sql`select changes from audit_entries
      where operation = 'subselections.update' and resource_id = ${second.id}`;
    expect(entry).toEqual({ changes: { before: { position: 2 }, after: { position: 0 } } });
    await groups().delete.mutate({ id: moved.id });
    expect((await listed()).map(({ position }) => position)).toEqual([0, 1]);
    const before = await listed();
    expect(await groups().update.mutate({ id: third.id, position: 1 })).toEqual(before[1]);
    expect(await listed()).toEqual(before);
  });

  test('is one for each of them after moves at once', async () => {
    const { id, items } = await make('a', 'b', 'c', 'd', 'e');
    await Promise.all([
      ...items.map((item, index) => options().update.mutate({ id: item.id, position: 4 - index })),
      options().create.mutate({ ...one('f'), subselection_id: id, position: 2 }),
    ]);
    const [after] = await listed();
    const stored =
      await api.sql`select position from subselection_items where subselection_id = ${id} order by position`;
    expect(stored).toEqual([0, 1, 2, 3, 4, 5].map((position) => ({ position })));
    expect(after?.items.map(({ position }) => position)).toEqual([0, 1, 2, 3, 4, 5]);
  });
});

test('a change or a deletion of another state than expected is refused, and stock is no other state', async () => {
  const made = await groups().create.mutate(toppings('Ham', 'Olives'));
  const [ham, olives] = made.items;
  if (ham === undefined || olives === undefined) throw new Error('there are two options');
  expect(tagOf(made)).toBe(made.etag);
  await options().update.mutate({ id: ham.id, stock: { enabled: true, quantity: 4 }, expected: ham.etag });
  const changed = await options().update.mutate({ id: ham.id, name: 'Smoked ham', expected: ham.etag });
  expect(tagOf(changed)).toBe(changed.etag);
  expect((await listed())[0]).toMatchObject({
    etag: made.etag,
    items: [{ etag: changed.etag }, { etag: olives.etag }],
  });
  await groups().update.mutate({ id: made.id, name: 'Extras', expected: made.etag });
  for (const late of [
    () => options().update.mutate({ id: ham.id, price: 9, expected: ham.etag }),
    () => options().delete.mutate({ id: ham.id, expected: ham.etag }),
    () => groups().update.mutate({ id: made.id, single: true, expected: made.etag }),
    () => groups().delete.mutate({ id: made.id, expected: made.etag }),
  ]) {
    const refusal = await late().then(() => undefined, comandaError);
    expect(refusal).toMatchObject({ reason: 'changed_since', httpStatus: 412 });
  }
  expect(await listed()).toMatchObject([
    { name: 'Extras', items: [{ name: 'Smoked ham', price: 1 }, { name: 'Olives' }] },
  ]);
  // Concurrent calls that carry the same tag: exactly one succeeds.
  const prices = [2, 3, 4].map((price) =>
    options().update.mutate({ id: olives.id, price, expected: olives.etag }),
  );
  const outcomes = (await Promise.allSettled(prices)).map(({ status }) => status);
  expect(outcomes.sort()).toEqual(['fulfilled', 'rejected', 'rejected']);
  const [group] = await listed();
  await options().delete.mutate({ id: olives.id, expected: group?.items[1]?.etag });
});

describe('a subselection that no order could satisfy is refused', () => {
  it('when it is made, its bounds change, and its options are changed or deleted', async () => {
    const { id, items } = await make('Ham', 'Olives');
    const [ham = '', olives = ''] = items.map((item) => item.id);
    const before = await listed();
    const three = { ...toppings('Ham', 'Olives'), min_selection: 3 };
    expect(await refused(groups().create.mutate(three))).toEqual(unsatisfied('min_selection', tooFew(3, 2)));
    expect(await refused(groups().create.mutate(toppings()))).toEqual(
      unsatisfied('min_selection', '1, and has no options'),
    );
    expect(await refused(groups().update.mutate({ id, min_selection: 3 }))).toEqual(
      unsatisfied('min_selection', tooFew(3, 2)),
    );
    await groups().update.mutate({ id, min_selection: 2 });
    expect(await refused(groups().update.mutate({ id, single: true }))).toEqual(
      unsatisfied('single', '2, and a single one of its options allows at most 1'),
    );
    expect(await refused(options().update.mutate({ id: ham, max: 0 }))).toEqual(
      unsatisfied('max', tooFew(2, 1)),
    );
    expect(await refused(options().delete.mutate({ id: olives }))).toEqual(unsatisfied('id', tooFew(2, 1)));
    await groups().update.mutate({ id, min_selection: 1 });
    expect(await listed()).toEqual(before);
  });

  it('and what a catalog sync or a manual edit left so is listed, and repaired step by step', async () => {
    const { id, items } = await make('Ham', 'Olives');
    expect(await listed({ satisfiable: false })).toEqual([]);
    await api.sql`update subselections set min_selection = 3 where id = ${id}`;
    await api.sql`delete from subselection_items where id = ${items[0]?.id}`;
    expect(await listed({ satisfiable: false })).toMatchObject([{ id, min_selection: 3, selectable: 1 }]);
    expect(await listed({ satisfiable: true })).toEqual([]);
    // A name says nothing of bounds; another bound that is no better is refused.
    await groups().update.mutate({ id, name: 'Toppings' });
    expect(await refused(groups().update.mutate({ id, max_selection: 4 }))).toMatchObject({
      code: 'validation_error',
    });
    await options().create.mutate({ ...one('Corn'), subselection_id: id });
    await options().create.mutate({ ...one('Basil'), subselection_id: id });
    expect(await listed({ satisfiable: false })).toEqual([]);
  });
});

test('two calls that each delete one of two options leave what the subselection requires', async () => {
  const { items } = await make('Ham', 'Olives');
  const calls = items.map(({ id }) => options().delete.mutate({ id }));
  const results = await Promise.allSettled(calls);
  expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  expect(await listed()).toMatchObject([{ selectable: 1 }]);
});

test('PostgreSQL and the rule count the same for any bounds and options', async () => {
  const { id } = await make('Ham');
  const units = fc.integer({ min: 0, max: 5 });
  const bounds = fc.record({ max_selection: units, single: fc.boolean() });
  const items = fc.array(
    fc.tuple(units, units).map(([min, more]) => ({ min, max: min + more })),
    { maxLength: 4 },
  );
  await fc.assert(
    fc.asyncProperty(bounds, items, async (group, made) => {
      await api.sql`delete from subselection_items where subselection_id = ${id}`;
      await api.sql`update subselections set min_selection = 0, max_selection = ${group.max_selection}, single = ${group.single}
        where id = ${id}`;
      await api.sql`insert into subselection_items (location_id, subselection_id, name, min, max)
        select ${api.locationId}, ${id}, 'x', min, max from jsonb_to_recordset(${JSON.stringify(made)}::jsonb) as r (min int, max int)`;
      expect((await listed())[0]?.selectable).toBe(mostSelectable({ min_selection: 0, ...group }, made));
    }),
    { numRuns: 30 },
  );
});
