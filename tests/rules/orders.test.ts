import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type {
  KnownChoice,
  KnownProduct,
  KnownSubselection,
  OrderFacts,
  OrderRequest,
} from '../../packages/api/src/resources/orders/facts.rules.ts';
import { priceOrder } from '../../packages/api/src/resources/orders/rules.ts';

type Item = OrderRequest['items'][number];

const orderOf = (...items: Item[]): OrderRequest => ({
  external_id: 'PO-1',
  is_take_away: false,
  identifier: '',
  payment_method_id: 'cash',
  items,
});

const one = orderOf({ product_id: 'p', quantity: 1 });

interface Kitchen {
  product?: Partial<KnownProduct>;
  subselections?: KnownSubselection[];
  choices?: Record<string, Partial<KnownChoice>>;
  paymentMethodEnabled?: boolean | undefined;
}

const extras: KnownSubselection = { id: 'extras', name: 'Extras', min: 0, max: 9, single: false };

function factsOf({
  product = {},
  subselections = [extras],
  choices = {},
  ...rest
}: Kitchen = {}): OrderFacts {
  const choice = {
    productId: 'p',
    subselectionId: 'extras',
    name: 'Choice',
    price: '1.00',
    min: 0,
    max: 9,
    version: '1',
  };
  return {
    products: new Map([['p', { name: 'Flat White', price: '12.50', version: '1', ...product }]]),
    subselections: new Map([['p', subselections]]),
    choices: new Map(Object.entries(choices).map(([id, own]) => [id, { ...choice, ...own }])),
    paymentMethodEnabled: 'paymentMethodEnabled' in rest ? rest.paymentMethodEnabled : true,
  };
}

function faultsOf(request: OrderRequest, facts: OrderFacts): string {
  try {
    priceOrder(request, facts);
    return '';
  } catch (error) {
    expect(error).toMatchObject({ errorCode: 'validation_error' });
    return (error as Error).message;
  }
}

describe('the price of an order', () => {
  it('is quantity × (price + Σ price of what was chosen × its quantity), per line', () => {
    const order = priceOrder(
      orderOf(
        { product_id: 'p', quantity: 2, subselections: [{ item_id: 'a', quantity: 3 }] },
        { product_id: 'p', quantity: 0.5, comment: 'small' },
      ),
      factsOf({ choices: { a: { price: '0.75' } } }),
    );
    expect(order.lines).toEqual([
      {
        product_id: 'p',
        name: 'Flat White',
        unit_price: '14.75',
        quantity: '2',
        total: '29.5',
        selections: [{ item_id: 'a', quantity: 3, name: 'Choice', price: 0.75 }],
      },
      {
        product_id: 'p',
        name: 'Flat White',
        unit_price: '12.5',
        quantity: '0.5',
        total: '6.25',
        comment: 'small',
        selections: [],
      },
    ]);
    expect(order.total).toBe('35.75');
  });

  it.each([
    ['0.01', 0.5, '0.01'],
    ['0.01', 0.499, '0'],
    ['1.15', 0.1, '0.12'],
    ['1.14', 0.1, '0.11'],
    ['0.07', 100.5, '7.04'],
    ['9999999999.99', 1, '9999999999.99'],
    ['0.01', 999_999_999.999, '10000000'],
  ])('rounds %s × %d half away from zero to %s', (price, quantity, total) => {
    const order = priceOrder(orderOf({ product_id: 'p', quantity }), factsOf({ product: { price } }));
    expect(order.total).toBe(total);
  });

  it('equals an independent computation in whole numbers, for any order', () => {
    const cents = fc.integer({ min: 0, max: 5_000_00 });
    const line = fc.record({
      price: cents,
      thousandths: fc.integer({ min: 1, max: 100_000 }),
      chosen: fc.array(fc.record({ price: cents, quantity: fc.integer({ min: 1, max: 3 }) }), {
        maxLength: 3,
      }),
    });
    fc.assert(
      fc.property(fc.array(line, { minLength: 1, maxLength: 20 }), (lines) => {
        const text = (amount: number) =>
          `${Math.floor(amount / 100)}.${String(amount % 100).padStart(2, '0')}`;
        const facts: OrderFacts = {
          products: new Map(
            lines.map(({ price }, i) => [`p${i}`, { name: 'P', price: text(price), version: '1' }]),
          ),
          subselections: new Map(),
          choices: new Map(
            lines.flatMap(({ chosen }, i) =>
              chosen.map(({ price }, j) => [
                `c${i}.${j}`,
                {
                  productId: `p${i}`,
                  subselectionId: 's',
                  name: 'C',
                  price: text(price),
                  min: 0,
                  max: 3,
                  version: '1',
                },
              ]),
            ),
          ),
          paymentMethodEnabled: true,
        };
        const request = orderOf(
          ...lines.map(({ thousandths, chosen }, i) => ({
            product_id: `p${i}`,
            quantity: thousandths / 1000,
            subselections: chosen.map(({ quantity }, j) => ({ item_id: `c${i}.${j}`, quantity })),
          })),
        );
        let expected = 0n;
        for (const { price, thousandths, chosen } of lines) {
          let unit = BigInt(price);
          for (const { price: extra, quantity } of chosen) unit += BigInt(extra) * BigInt(quantity);
          const exact = unit * BigInt(thousandths);
          expected += exact / 1000n + (2n * (exact % 1000n) >= 1000n ? 1n : 0n);
        }
        const [whole = '', fraction = ''] = priceOrder(request, facts).total.split('.');
        expect(BigInt(whole) * 100n + BigInt(fraction.padEnd(2, '0'))).toBe(expected);
      }),
      { numRuns: 500 },
    );
  });

  it('may reach 9,999,999,999.99 and not a cent more', () => {
    const half = factsOf({ product: { price: '5000000000.00' } });
    const most = factsOf({ product: { price: '9999999999.99' } });
    expect(faultsOf(one, most)).toBe('');
    expect(faultsOf(orderOf({ product_id: 'p', quantity: 1 }, { product_id: 'p', quantity: 1 }), half)).toBe(
      'items: the total is more than 9999999999.99',
    );
    const chosen = factsOf({ product: { price: '9999999999.99' }, choices: { a: { price: '0.01' } } });
    expect(
      faultsOf(
        orderOf({ product_id: 'p', quantity: 0.1, subselections: [{ item_id: 'a', quantity: 1 }] }),
        chosen,
      ),
    ).toBe('items[0]: the price of one is more than 9999999999.99');
  });

  it('stays quick when one item is named very often', () => {
    const subselections = Array.from({ length: 20_000 }, () => ({ item_id: 'a', quantity: 1 }));
    const facts = factsOf({ subselections: [{ ...extras, max: 20_000 }], choices: { a: { max: 20_000 } } });
    const order = priceOrder(orderOf({ product_id: 'p', quantity: 1, subselections }), facts);
    expect(order.total).toBe('20012.5');
    expect(order.choices).toHaveLength(1);
    expect(order.choices[0]?.quantity).toBe(20_000_000n);
  });
});

describe('what is chosen', () => {
  const choose = (...chosen: [string, number][]) =>
    orderOf({
      product_id: 'p',
      quantity: 1,
      subselections: chosen.map(([item_id, quantity]) => ({ item_id, quantity })),
    });
  const milk: KnownSubselection = { id: 'milk', name: 'Milk', min: 1, max: 2, single: false };
  const size: KnownSubselection = { id: 'size', name: 'Size', min: 0, max: 5, single: true };

  it('must respect min_selection, also when nothing is chosen', () => {
    const facts = factsOf({ subselections: [milk] });
    expect(faultsOf(one, facts)).toBe('items[0].subselections: "Milk" needs at least 1, got 0');
  });

  it('adds up over items and repeated items against max_selection', () => {
    const choices = { oat: { subselectionId: 'milk' }, soy: { subselectionId: 'milk' } };
    const facts = factsOf({ subselections: [milk], choices });
    expect(faultsOf(choose(['oat', 1], ['soy', 1]), facts)).toBe('');
    expect(faultsOf(choose(['oat', 1], ['soy', 1], ['oat', 1]), facts)).toBe(
      'items[0].subselections: "Milk" allows at most 2, got 3',
    );
  });

  it('must be one distinct item where the subselection is single, in any quantity', () => {
    const choices = { small: { subselectionId: 'size' }, large: { subselectionId: 'size' } };
    const facts = factsOf({ subselections: [size], choices });
    expect(faultsOf(choose(['small', 2], ['small', 3]), facts)).toBe('');
    expect(faultsOf(choose(['small', 1], ['large', 1]), facts)).toBe(
      'items[0].subselections: "Size" allows one item, got 2 different ones',
    );
  });

  it('must respect the own min and max of an item, added up, at the place that names it first', () => {
    const facts = factsOf({ choices: { a: { min: 2, max: 3 }, b: {} } });
    expect(faultsOf(choose(['a', 1], ['b', 1], ['a', 1]), facts)).toBe('');
    expect(faultsOf(choose(['b', 1], ['a', 1]), facts)).toBe(
      'items[0].subselections[1].quantity: must be 2 to 3 in all, got 1',
    );
    expect(faultsOf(choose(['a', 2], ['a', 2]), facts)).toBe(
      'items[0].subselections[0].quantity: must be 2 to 3 in all, got 4',
    );
  });

  it('asks nothing of items that were not chosen', () => {
    expect(faultsOf(one, factsOf({ choices: { a: { min: 2 } } }))).toBe('');
  });

  it('must be items of that very product', () => {
    const facts = factsOf({ choices: { other: { productId: 'q' }, own: {} } });
    expect(faultsOf(choose(['own', 1], ['other', 1], ['nothing', 1]), facts)).toBe(
      'items[0].subselections[1].item_id: unknown item of this product; ' +
        'items[0].subselections[2].item_id: unknown item of this product',
    );
  });
});

describe('a refusal', () => {
  it('names every failing field', () => {
    const facts = factsOf({ product: { externalId: 'X', left: '3.000' }, paymentMethodEnabled: undefined });
    const request = orderOf(
      { product_id: 'p', quantity: 2, external_product_id: 'Y' },
      { product_id: 'gone', quantity: 1 },
      { product_id: 'p', quantity: 2, external_product_id: 'X' },
    );
    expect(faultsOf(request, facts).split('; ')).toEqual([
      'items[0].external_product_id: contradicts the product\'s external_id "X"',
      'items[1].product_id: unknown product',
      'payment_method_id: unknown payment method',
      'items[2].quantity: insufficient stock, only 3 left',
    ]);
  });

  it('names at most ten fields and says how many more there are', () => {
    const items = Array.from({ length: 12 }, () => ({ product_id: 'gone', quantity: 1 }));
    const faults = faultsOf(orderOf(...items), factsOf()).split('; ');
    expect(faults).toHaveLength(11);
    expect(faults[9]).toBe('items[9].product_id: unknown product');
    expect(faults[10]).toBe('and 2 more');
  });

  it('says that a payment method is disabled', () => {
    expect(faultsOf(one, factsOf({ paymentMethodEnabled: false }))).toBe('payment_method_id: is disabled');
  });

  it('does not come for a product without an external_id, for any external_product_id', () => {
    const request = orderOf({ product_id: 'p', quantity: 1, external_product_id: 'anything' });
    expect(faultsOf(request, factsOf())).toBe('');
  });

  it('comes for the stock of an item, which is taken once per product ordered', () => {
    const facts = factsOf({ choices: { a: { left: '2.500' } } });
    const request = (quantity: number) =>
      orderOf({ product_id: 'p', quantity, subselections: [{ item_id: 'a', quantity: 2 }] });
    expect(faultsOf(request(1.25), facts)).toBe('');
    expect(faultsOf(request(1.251), facts)).toBe(
      'items[0].subselections[0].quantity: insufficient stock, only 2.5 left',
    );
  });
});
