import { describe, expect, it, test } from 'vitest';
import {
  type CurrentProducts,
  type PlannedProduct,
  planChunk,
} from '../../packages/api/src/resources/sync-jobs/rules.ts';
import type { ProductSyncItem } from '../../packages/api/src/resources/sync-jobs/schema.ts';

const item = (name: string, more: Partial<ProductSyncItem> = {}): ProductSyncItem => ({
  external_id: name,
  name,
  price: 1,
  ...more,
});

/** Products by external_id with their sku; their ids are `id-…`, those of new ones `new-…`. */
function current(skus: Record<string, string>, categories: Record<string, string> = {}): CurrentProducts {
  const all = Object.entries(skus);
  return {
    products: new Map(all.map(([name, sku]) => [name, { id: `id-${name}`, sku }])),
    skuOwners: new Map(all.map(([name, sku]) => [sku, `id-${name}`])),
    categories: new Map(Object.entries(categories)),
  };
}

function newIds(): () => string {
  let made = 0;
  return () => `new-${++made}`;
}

const ids = (planned: readonly PlannedProduct[]) => planned.map(({ id }) => id);

describe('planChunk', () => {
  it('updates what exists and creates what does not, in the order of the batch', () => {
    const plan = planChunk(
      'upsert',
      [item('b'), item('x'), item('a')],
      0,
      current({ a: 'A', b: 'B' }),
      newIds(),
    );
    expect(plan.updates.map(ids)).toEqual([['id-b', 'id-a']]);
    expect(ids(plan.creates)).toEqual(['new-1']);
    expect(plan.failures).toEqual([]);
  });

  test.each([
    ['create', 'known', 'conflict', 'A product with external_id known exists already.'],
    ['update', 'new', 'resource_not_found', 'There is no product with external_id new.'],
  ] as const)('in mode %s refuses a %s external_id', (mode, name, code, message) => {
    const plan = planChunk(mode, [item(name)], 40, current({ known: 'K' }), newIds());
    expect(plan).toEqual({
      updates: [],
      creates: [],
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
    const plan = planChunk('upsert', items, 0, current({}, { c: 'id-c', d: 'id-d' }), newIds());
    expect(plan.creates.map(({ categoryIds }) => categoryIds)).toEqual([['id-c', 'id-d'], [], undefined]);
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
    const plan = planChunk('upsert', items, 0, current({ a: 'A', b: 'B' }), newIds());
    expect(plan.failures.map(({ index, code }) => [index, code])).toEqual([
      [0, 'conflict'],
      [1, 'conflict'],
      [3, 'conflict'],
    ]);
    expect(ids(plan.creates)).toEqual(['new-1']);
  });

  it('writes a sku only in a round after the one in which it is given up', () => {
    const items = [
      item('c', { sku: 'D' }),
      item('b', { sku: 'C' }),
      item('same', { sku: 'S' }),
      item('a', { sku: 'B' }),
      item('x', { sku: 'A' }),
    ];
    const plan = planChunk('upsert', items, 0, current({ a: 'A', b: 'B', c: 'C', same: 'S' }), newIds());
    expect(plan.updates.map(ids)).toEqual([['id-c', 'id-same'], ['id-b'], ['id-a']]);
    expect(ids(plan.creates)).toEqual(['new-1']);
    expect(plan.failures).toEqual([]);
  });
});
