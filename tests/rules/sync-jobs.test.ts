import { describe, expect, it, test } from 'vitest';
import type { Current, ProductRow } from '../../packages/api/src/resources/bulk/rows.rules.ts';
import { emptyWrites } from '../../packages/api/src/resources/bulk/rules.ts';
import { freshFields } from '../../packages/api/src/resources/products/fields.schema.ts';
import { planProducts } from '../../packages/api/src/resources/sync-jobs/rules.ts';
import type { ProductSyncItem } from '../../packages/api/src/resources/sync-jobs/schema.ts';

const item = (name: string, more: Partial<ProductSyncItem> = {}): ProductSyncItem => ({
  external_id: name,
  name,
  price: 1,
  ...more,
});

/** Products by external_id with their sku; their ids are `id-…`, those of new ones `new-…`. */
function current(skus: Record<string, string>, categories: Record<string, string> = {}): Current {
  return {
    unknown: [],
    stock: [],
    links: [],
    subselections: [],
    items: [],
    products: Object.entries(skus).map(([name, sku]) => ({
      ...freshFields,
      id: `id-${name}`,
      external_id: name,
      sku,
      name,
    })),
    categories: Object.entries(categories).map(([name, id]) => ({
      id,
      external_id: name,
      name,
      priority: 0,
      visible: true,
      image_url: '',
    })),
  };
}

function newIds(): () => string {
  let made = 0;
  return () => `new-${++made}`;
}

const ids = (rows: readonly ProductRow[]) => rows.map(({ id }) => id);

describe('planProducts', () => {
  it('updates what exists and creates what does not, in the order of the batch', () => {
    const plan = planProducts(
      'upsert',
      [item('b'), item('x'), item('a')],
      0,
      current({ a: 'A', b: 'B' }),
      newIds(),
    );
    expect(ids(plan.writes.products.updated)).toEqual(['id-b', 'id-a']);
    expect(ids(plan.writes.products.created)).toEqual(['new-1']);
    expect(plan.failures).toEqual([]);
  });

  test.each([
    ['create', 'known', 'conflict', 'A product with external_id known exists already.'],
    ['update', 'new', 'resource_not_found', 'There is no product with external_id new.'],
  ] as const)('in mode %s refuses a %s external_id', (mode, name, code, message) => {
    const plan = planProducts(mode, [item(name)], 40, current({ known: 'K' }), newIds());
    expect({ ...plan, changes: plan.changes() }).toEqual({
      writes: emptyWrites(),
      changes: [],
      applied: [],
      failures: [{ index: 40, external_id: name, code, message }],
    });
  });

  it('finds categories, each once, and names those that are unknown', () => {
    const items = [
      item('a', { category_external_ids: ['c', 'd', 'c'] }),
      item('b', { category_external_ids: ['c', 'x', 'y'] }),
      item('e', { category_external_ids: [] }),
      item('f'),
    ];
    const plan = planProducts('upsert', items, 0, current({}, { c: 'id-c', d: 'id-d' }), newIds());
    expect(plan.writes.addedLinks).toEqual([
      { product_id: 'new-1', category_id: 'id-c' },
      { product_id: 'new-1', category_id: 'id-d' },
    ]);
    expect(
      plan
        .changes()
        .map(({ changes }) => changes.find(({ field }) => field === 'category_external_ids')?.after),
    ).toEqual([['c', 'd'], [], undefined]);
    const message =
      'category_external_ids[1]: there is no category x; category_external_ids[2]: there is no category y';
    expect(plan.failures).toEqual([{ index: 1, external_id: 'b', code: 'validation_error', message }]);
  });

  it('refuses a sku that another product has when its turn comes', () => {
    const items = [
      item('a', { sku: 'B' }),
      item('b', { sku: 'A' }),
      item('x', { sku: 'X' }),
      item('y', { sku: 'X' }),
    ];
    const plan = planProducts('upsert', items, 0, current({ a: 'A', b: 'B' }), newIds());
    expect(plan.failures.map(({ index, code }) => [index, code])).toEqual([
      [0, 'conflict'],
      [1, 'conflict'],
      [3, 'conflict'],
    ]);
    expect(ids(plan.writes.products.created)).toEqual(['new-1']);
  });

  it('has a sku released by its product before another is written with it', () => {
    const items = [
      item('c', { sku: 'D' }),
      item('b', { sku: 'C' }),
      item('same', { sku: 'S' }),
      item('a', { sku: 'B' }),
      item('x', { sku: 'A' }),
    ];
    const plan = planProducts('upsert', items, 0, current({ a: 'A', b: 'B', c: 'C', same: 'S' }), newIds());
    expect(plan.writes.releasedSkus).toEqual(['id-c', 'id-b', 'id-a']);
    expect(ids(plan.writes.products.updated)).toEqual(['id-c', 'id-b', 'id-same', 'id-a']);
    expect(ids(plan.writes.products.created)).toEqual(['new-1']);
    expect(plan.failures).toEqual([]);
  });
});
