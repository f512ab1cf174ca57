import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import type { Current, Writes, Written } from '../../packages/api/src/resources/bulk/rows.rules.ts';
import { planCatalog } from '../../packages/api/src/resources/catalog/sync.rules.ts';
import { type SyncedCategory, SyncedProduct } from '../../packages/api/src/resources/catalog/sync.schema.ts';
import { positions } from '../../packages/api/src/resources/catalog/sync-entries.rules.ts';
import { readTree } from '../../packages/api/src/resources/catalog/sync-tree.rules.ts';
import { freshFields } from '../../packages/api/src/resources/products/fields.schema.ts';
import { planStock } from '../../packages/api/src/resources/stock/rules.ts';

const nothing: Current = {
  unknown: [],
  categories: [],
  products: [],
  stock: [],
  links: [],
  subselections: [],
  items: [],
};
let made = 0;
const newId = () => `id-${++made}`;

/** The rows after the statements of a sync, computed independently of them. */
function applied(current: Current, writes: Writes): Current {
  const put = <Row>(rows: Row[], { created, updated }: Written<Row>, key: (row: Row) => string) => {
    const next = new Map([...rows, ...updated, ...created].map((row) => [key(row), row]));
    expect(next.size).toBe(rows.length + created.length);
    return [...next.values()];
  };
  const { removed } = writes;
  const id = (row: { id: string }) => row.id;
  const categories = put(current.categories, writes.categories, id).filter(
    (row) => !removed.categories.includes(row.id),
  );
  const products = put(current.products, writes.products, id).filter(
    (row) => !removed.products.includes(row.id),
  );
  const has = (rows: { id: string }[], wanted: string) => rows.some((row) => row.id === wanted);
  const subselections = put(current.subselections, writes.subselections, id).filter(
    (row) => !removed.subselections.includes(row.id) && has(products, row.product_id),
  );
  const names = new Map(categories.map((row) => [row.id, row.external_id ?? row.id]));
  const gone = (link: { product_id: string; category_id: string }) =>
    writes.removedLinks.some(
      (each) => each.product_id === link.product_id && each.category_id === link.category_id,
    );
  expect(new Set(products.map(({ sku }) => sku)).size).toBe(products.length);
  return {
    unknown: [],
    categories,
    products,
    subselections,
    stock: put(current.stock, writes.stock, (row) => row.product_id).filter((row) =>
      has(products, row.product_id),
    ),
    links: [...current.links.filter((link) => !gone(link)), ...writes.addedLinks]
      .filter((link) => names.has(link.category_id) && has(products, link.product_id))
      .map((link) => ({ ...link, category: names.get(link.category_id) ?? '' })),
    items: put(current.items, writes.items, id).filter(
      (row) => !removed.items.includes(row.id) && has(subselections, row.subselection_id),
    ),
  };
}

const name = fc.constantFrom('a', 'b', 'c', 'd');
const whole = fc.integer({ min: 0, max: 3 });
const option = fc.record(
  {
    external_id: name,
    name,
    price: whole,
    visible: fc.boolean(),
    stock: fc.record({ enabled: fc.boolean(), quantity: whole }),
  },
  { requiredKeys: ['external_id', 'name', 'price'] },
);
const unique = <T extends { external_id: string }>(of: fc.Arbitrary<T>) =>
  fc.uniqueArray(of, { maxLength: 4, selector: ({ external_id }) => external_id });
const choice = fc
  .record({ external_id: name, name, min_selection: whole, max_selection: whole, items: unique(option) })
  .map((each) => ({ ...each, max_selection: each.min_selection + each.max_selection }));
const article = fc.record(
  {
    external_id: name,
    name,
    price: whole,
    description: name,
    visible: fc.boolean(),
    stock: fc.record(
      { enabled: fc.boolean(), quantity: whole, min_stock_alarm: whole },
      { requiredKeys: ['enabled', 'quantity'] },
    ),
    subselections: unique(choice),
  },
  { requiredKeys: ['external_id', 'name', 'price'] },
);
/** Trees that `readTree` takes: a product that is in several categories is the same everywhere. */
const trees = fc
  .record({
    articles: unique(article),
    shelves: fc.uniqueArray(fc.record({ external_id: name, name, on: fc.subarray([0, 1, 2, 3]) }), {
      minLength: 1,
      maxLength: 4,
      selector: ({ external_id }: { external_id: string }) => external_id,
    }),
  })
  .map(({ articles, shelves }): SyncedCategory[] =>
    shelves.map(({ on, ...shelf }) => ({
      ...shelf,
      products: on.flatMap((index) => articles[index] ?? []).map((each) => SyncedProduct.parse(each)),
    })),
  );
const modes = fc.constantFrom('upsert' as const, 'replace' as const);

describe('planCatalog', () => {
  it('makes of anything what is asked for: the same sync again finds nothing to do', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(trees, modes), { minLength: 1, maxLength: 4 }), (syncs) => {
        let current = nothing;
        for (const [categories, mode] of syncs) {
          const tree = readTree(categories);
          const plan = planCatalog(tree, mode, current, newId);
          current = applied(current, plan.writes);
          const again = planCatalog(tree, mode, current, newId);
          expect(again.changes.filter(({ action }) => action !== 'unchanged')).toEqual([]);
          expect(again.writes).toEqual(planCatalog(readTree([]), 'upsert', nothing, newId).writes);
          expect(again.changes).toHaveLength(
            plan.changes.filter(({ action }) => action !== 'deleted').length,
          );
          if (mode === 'replace') {
            expect(current.categories).toHaveLength(tree.categories.length);
            expect(current.products).toHaveLength(tree.products.length);
            expect(current.links).toHaveLength(tree.products.flatMap((product) => product.categories).length);
          }
        }
      }),
      { numRuns: 300 },
    );
  });

  it('deletes what is named with delete, in either mode, and what belongs to it; and then finds nothing to do', () => {
    fc.assert(
      fc.property(trees, trees, modes, fc.infiniteStream(fc.boolean()), (first, second, mode, coins) => {
        const drawn = new Map<string, boolean>();
        const going = (key: string) => {
          if (!drawn.has(key)) drawn.set(key, coins.next().value === true);
          return drawn.get(key) === true;
        };
        const marked = second.map((shelf) => {
          const goes = going(`shelf ${shelf.external_id}`);
          const products = shelf.products?.flatMap((each) => {
            if (going(each.external_id)) return { ...each, delete: true };
            const subselections = each.subselections?.map((part) =>
              going(`${each.external_id} ${part.external_id}`) ? { ...part, delete: true } : part,
            );
            return goes ? [] : { ...each, ...(subselections && { subselections }) };
          });
          return { ...shelf, ...(products && { products }), delete: goes };
        });
        const before = applied(nothing, planCatalog(readTree(first), 'upsert', nothing, newId).writes);
        const tree = readTree(marked);
        const after = applied(before, planCatalog(tree, mode, before, newId).writes);
        const names = (rows: readonly { external_id: string | null }[]) => rows.map((row) => row.external_id);
        for (const name of tree.deleted.products) expect(names(after.products)).not.toContain(name);
        for (const name of tree.deleted.categories) expect(names(after.categories)).not.toContain(name);
        const deleted = new Set<string | null>(tree.deleted.products);
        if (mode === 'upsert')
          expect(names(after.products)).toEqual(
            expect.arrayContaining(names(before.products).filter((name) => !deleted.has(name))),
          );
        const again = planCatalog(tree, mode, after, newId);
        expect(again.changes.every(({ action }) => action === 'unchanged')).toBe(true);
        expect(again.changes).toHaveLength(again.named);
      }),
      { numRuns: 300 },
    );
  });

  it('shows the subselections of a product in the order sent', () => {
    fc.assert(
      fc.property(unique(choice), unique(choice), modes, (first, second, mode) => {
        const sent = (subselections: typeof first) =>
          readTree([
            {
              external_id: 'x',
              name: 'x',
              products: [{ external_id: 'p', name: 'p', price: 1, subselections }],
            },
          ]);
        const before = applied(nothing, planCatalog(sent(first), 'upsert', nothing, newId).writes);
        const after = applied(before, planCatalog(sent(second), mode, before, newId).writes);
        const names = new Set<string | null>(second.map(({ external_id }) => external_id));
        const shown = after.subselections
          .filter(({ external_id }) => names.has(external_id))
          .sort((a, b) => a.position - b.position)
          .map(({ external_id }) => external_id);
        expect(shown).toEqual(second.map(({ external_id }) => external_id));
      }),
    );
  });
});

/** Siblings are `a3 b7`: external ids and positions, `-` without an external id. */
test.each<[string, string[], string, boolean, number[]]>([
  ['new ones count from 0', ['a', 'b'], '', false, [0, 1]],
  ['what is in order stays', ['a', 'b'], 'a3 b7', false, [3, 7]],
  ['one that is named alone stays', ['b'], 'a0 b1', false, [1]],
  ['a new one at the end comes after all that stays', ['n'], 'a0 -4', false, [5]],
  ['and is not kept away by what is removed', ['a', 'n'], 'a0 z9', true, [0, 1]],
  ['a new one between two goes between them', ['a', 'n', 'b'], 'a0 b1', false, [0, 1, 2]],
  ['what is turned round is moved', ['b', 'a'], 'a0 b1', false, [1, 2]],
])('positions: %s', (_, named, siblings, replaces, expected) => {
  const there = (siblings.match(/\S+/g) ?? []).map(([id = '', ...position]) => ({
    external_id: id === '-' ? null : id,
    position: Number(position.join('')),
  }));
  expect(
    positions(
      named.map((external_id) => ({ external_id })),
      there,
      replaces,
    ),
  ).toEqual(expected);
});

test('planStock decides each item by itself', () => {
  const product = { ...freshFields, external_id: null };
  const record = { enabled: false, quantity: 5, min_stock_alarm: 2 };
  const items = [
    { sku: 'a', quantity: 5 },
    { sku: 'gone', quantity: 1 },
    { sku: 'b', quantity: 6, enabled: true },
  ];
  const plan = planStock(items, {
    ...nothing,
    products: [
      { ...product, id: 'p', sku: 'a' },
      { ...product, id: 'q', sku: 'b' },
    ],
    stock: [
      { ...record, product_id: 'p' },
      { ...record, product_id: 'q' },
    ],
  });
  const row = { product_id: 'q', enabled: true, quantity: 6, min_stock_alarm: 2 };
  expect(plan.writes.stock).toEqual({ created: [], updated: [row] });
  expect(plan.changes.map(({ action }) => action)).toEqual(['unchanged', 'updated']);
  expect(plan.result).toMatchObject({ total_items: 3, success_items: 2, failed_items: 1 });
});
