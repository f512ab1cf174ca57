import { describe, expect, it } from 'vitest';
import { useApi } from '../support/api.ts';
import { useHand } from '../support/by-hand.ts';
import { createProduct } from '../support/factories.ts';
import { useOrderKitchen } from '../support/orders.ts';
import { useHandOrders } from './hand-orders-kit.ts';

const api = useApi();
const hand = useHand(api);
const kitchen = useOrderKitchen(api);
const { inTransaction, insert, insertOrder, insertLine, insertWhole, counted } = useHandOrders(
  api,
  hand,
  kitchen,
);

const one = (item_id: string) => ({ item_id, quantity: 1 });

// The API refuses each with 422: REST and the hand get the same order.
describe('an order by hand meets the checks of options and payment method', () => {
  interface Chosen {
    item_id: string;
    quantity: number;
  }
  interface Choosable {
    product: string;
    size: string;
    ham: string;
    olives: string;
    elsewhere: string;
  }
  /** A pizza with one size and one to three toppings, and an option of another product. */
  async function choosable(): Promise<Choosable> {
    const group = async (product: string, name: string, bounds: Record<string, unknown>) =>
      insert('subselections', { location_id: api.locationId, product_id: product, name, ...bounds }, 'id');
    const item = async (subselection: unknown, name: string, bounds: Record<string, unknown> = {}) =>
      insert(
        'subselection_items',
        { location_id: api.locationId, subselection_id: subselection, name, price: 1.5, ...bounds },
        'id',
      ) as Promise<string>;
    const { locationId } = api;
    const product = await createProduct(api.app.database, { locationId });
    const other = await createProduct(api.app.database, { locationId });
    const sizes = await group(product, 'Size', { min_selection: 1, max_selection: 1, single: true });
    const toppings = await group(product, 'Toppings', { max_selection: 3, single: false });
    const extras = await group(other, 'Extras', {});
    return {
      product,
      size: await item(sizes, 'Large', { external_id: 'L' }),
      ham: await item(toppings, 'Ham', { max: 2 }),
      olives: await item(toppings, 'Olives', { min: 2, max: 3 }),
      elsewhere: await item(extras, 'Bacon'),
    };
  }

  const asked = (product: string, chosen: readonly Chosen[]) => ({
    items: [{ product_id: product, quantity: 2, subselections: chosen }],
  });

  it.each<[why: string, chosen: (shop: Choosable) => Chosen[], rest: RegExp, byHand: RegExp]>([
    [
      'an option of another product',
      ({ size, elsewhere }) => [one(size), one(elsewhere)],
      /unknown item of this product/,
      /^line 1: unknown item of this product, /,
    ],
    [
      'an option that does not exist',
      ({ size }) => [one(size), one('01935a3e-7c1f-7d2a-9b40-5f6c2e8a1b3d')],
      /unknown item of this product/,
      /^line 1: unknown item of this product, 01935a3e-/,
    ],
    [
      'a part of an option',
      ({ size, ham }) => [one(size), { item_id: ham, quantity: 1.5 }],
      /subselections\[1\]\.quantity: /,
      /^line 1: the quantity of "Ham" must be a whole number, 1 or more$/,
    ],
    [
      'more of an option than its maximum, in two entries',
      ({ size, ham }) => [one(size), { item_id: ham, quantity: 2 }, one(ham)],
      /must be 0 to 2 in all, got 3/,
      /^line 1: the quantity of "Ham" must be 0 to 2 in all, got 3$/,
    ],
    [
      'less of an option than its minimum',
      ({ size, olives }) => [one(size), one(olives)],
      /must be 2 to 3 in all, got 1/,
      /^line 1: the quantity of "Olives" must be 2 to 3 in all, got 1$/,
    ],
    [
      'no option of a required group',
      () => [],
      /"Size" needs at least 1, got 0/,
      /^line 1: "Size" needs at least 1, got 0$/,
    ],
    [
      'more of a group than its maximum',
      ({ size, ham, olives }) => [one(size), { item_id: ham, quantity: 2 }, { item_id: olives, quantity: 2 }],
      /"Toppings" allows at most 3, got 4/,
      /^line 1: "Toppings" allows at most 3, got 4$/,
    ],
  ])('%s', async (_, choose, rest, byHand) => {
    const shop = await choosable();
    const chosen = choose(shop);
    expect(await kitchen.refuse(asked(shop.product, chosen))).toMatch(rest);
    const before = await counted();
    await expect(
      insertWhole({}, { product_id: shop.product, selections: JSON.stringify(chosen) }),
    ).rejects.toThrow(byHand);
    expect(await counted()).toBe(before);
  });

  it('a payment method that is disabled, and more lines than an order has', async () => {
    const method = (await insert(
      'payment_methods',
      { location_id: api.locationId, name: 'Closed "till"', type: 'cash', enabled: false },
      'id',
    )) as string;
    expect(await kitchen.refuse({ payment_method_id: method })).toBe('payment_method_id: is disabled');
    await expect(insertWhole({ payment_method_id: method })).rejects.toThrow(
      'the payment method "Closed \\"till\\"" is disabled: enable it, or name another one',
    );
    await expect(insertWhole({}, ...Array.from({ length: 201 }, () => ({})))).rejects.toThrow(
      /at most 200 lines/,
    );
  });

  it('one that fits keeps what was chosen with its name and price, and costs what it costs by REST', async () => {
    const { product, size, ham } = await choosable();
    const chosen = [one(size), { item_id: ham, quantity: 2 }];
    const placed = await kitchen.place(asked(product, chosen));
    const id = await insertWhole({}, { product_id: product, selections: JSON.stringify(chosen) });
    const [own, theirs] = await Promise.all(
      [id, placed.id].map((each) => api.client().orders.get.query({ id: each, include: ['snapshot'] })),
    );
    expect(own?.items).toEqual(theirs?.items);
    expect(own?.total).toBe(placed.total);
  });

  it('an import is not held to the options of today', async () => {
    const { product } = await choosable();
    await inTransaction(async () => {
      await hand.sql(`select deed('import: orders of this morning')`);
      await insertLine(await insertOrder(), { product_id: product });
    });
  });
});
