import { describe, expect, it } from 'vitest';
import { PricesChanged } from '../../packages/api/src/resources/categories/prices.schema.ts';
import { useSteppedApi } from '../support/published.ts';
import { parseStrict } from '../support/strict.ts';

const api = useSteppedApi();

/** A category with products of these prices. */
async function categoryOf(...prices: number[]) {
  const { locationId } = api;
  const id = await api.make.category({ locationId, name: `Drinks ${Math.random()}` });
  const ids: string[] = [];
  for (const [n, price] of prices.entries()) {
    const product = await api.make.product({ locationId, name: `Product ${n}` });
    await api.client().products.update.mutate({ id: product, price, category_ids: [id] });
    ids.push(product);
  }
  return { id, ids };
}

type Input = Parameters<ReturnType<typeof api.client>['categories']['changePrices']['mutate']>[0];
const change = async (input: Input) =>
  parseStrict(PricesChanged, await api.client().categories.changePrices.mutate(input));
const pricesOf = (ids: string[]) =>
  Promise.all(ids.map(async (id) => (await api.client().products.get.query({ id })).price));

describe('categories.changePrices', () => {
  it('changes every price by a percentage, rounded half away from zero, and is in the history of each', async () => {
    const { id, ids } = await categoryOf(1.05, 10, 0, 0.05);
    const { products } = await change({ id, percent: 10 });
    // 1.155 and 0.055: no double is either.
    expect(products.map(({ before, after }) => [before, after])).toEqual([
      [1.05, 1.16],
      [10, 11],
      [0, 0],
      [0.05, 0.06],
    ]);
    expect(await pricesOf(ids)).toEqual([1.16, 11, 0, 0.06]);
    for (const [about, price] of [
      [ids[0], 1.16],
      [ids[3], 0.06],
    ] as const) {
      const [entry] = (await api.client().audit.list.query({ about, limit: 1 })).data;
      expect(entry).toMatchObject({ operation: 'update' });
      expect(JSON.stringify(entry)).toContain(String(price));
    }
  });

  it('publishes an event for each product that has another price, and none for the others', async () => {
    const { id, ids } = await categoryOf(5, 0);
    const before = new Date().toISOString();
    await change({ id, percent: 20 });
    await api.published();
    const { data } = await api.client().events.list.query({ types: ['product.updated'], since: before });
    const published = data.map(({ data: product }) => (product as { id: string }).id);
    expect(published).toContain(ids[0]);
    expect(published).not.toContain(ids[1]);
  });

  it('writes nothing when it is only looked at, and refuses what was not seen', async () => {
    const { id, ids } = await categoryOf(5, 6);
    const looked = await change({ id, amount: 2.5, dry_run: true });
    expect(looked.products.map(({ after }) => after)).toEqual([7.5, 8.5]);
    expect(await pricesOf(ids)).toEqual([5, 6]);
    await api.client().products.update.mutate({ id: ids[0] ?? '', price: 5.5 });
    await expect(change({ id, amount: 2.5, seen: looked.seen })).rejects.toMatchObject({
      data: { reason: 'changed_since' },
    });
    expect(await pricesOf(ids)).toEqual([5.5, 6]);
    const { seen } = await change({ id, amount: 2.5, dry_run: true });
    await change({ id, amount: 2.5, seen });
    expect(await pricesOf(ids)).toEqual([8, 8.5]);
  });

  it('changes no price when one would be below zero, and takes exactly one of amount and percent', async () => {
    const { id, ids } = await categoryOf(10, 2);
    await expect(change({ id, amount: -5 })).rejects.toThrow('would make the price of Product 1 less than 0');
    expect(await pricesOf(ids)).toEqual([10, 2]);
    for (const wrong of [{ id }, { id, amount: 1, percent: 1 }])
      await expect(change(wrong)).rejects.toThrow('exactly one of amount and percent');
    for (const wrong of [{ amount: 0 }, { amount: 0.001 }, { percent: -101 }])
      await expect(change({ id, ...wrong })).rejects.toMatchObject({ data: { code: 'validation_error' } });
  });

  it('changes nothing of another location, and answers for an empty category', async () => {
    const { id } = await categoryOf(3);
    const elsewhere = await api.make.location();
    const { key } = await api.make.key({ locationId: elsewhere, permissions: ['products:write'] });
    await expect(api.client(key).categories.changePrices.mutate({ id, percent: 10 })).rejects.toMatchObject({
      data: { code: 'resource_not_found' },
    });
    const empty = await categoryOf();
    expect((await change({ id: empty.id, percent: 10 })).products).toEqual([]);
  });
});
