import { expect, it } from 'vitest';
import type { OrderFacts, OrderRequest } from '../../packages/api/src/resources/orders/facts.ts';
import { createOfferMemory } from '../../packages/api/src/resources/orders/offers.ts';

const orderOf = (productId: string, chosen: string[] = [], paymentMethodId = 'cash'): OrderRequest => ({
  external_id: 'PO-1',
  is_take_away: false,
  identifier: '',
  payment_method_id: paymentMethodId,
  items: [
    {
      product_id: productId,
      quantity: 1,
      subselections: chosen.map((item_id) => ({ item_id, quantity: 1 })),
    },
  ],
});
const factsOf = (price: string, productIds: string[], choiceIds: string[] = []): OrderFacts => ({
  products: new Map(productIds.map((id) => [id, { name: 'Flat White', price, left: '3.000' }])),
  subselections: new Map(),
  choices: new Map(
    choiceIds.map((id) => [
      id,
      { productId: 'p', subselectionId: 's', name: 'Choice', price, min: 0, max: 1, left: '3.000' },
    ]),
  ),
  paymentMethodEnabled: true,
});

/** A memory that has read `p` with the choice `a` for a location at version 1. */
function memoryOf(most?: number) {
  const memory = createOfferMemory(most);
  memory.keep('here', orderOf('p', ['a']), { facts: factsOf('1.00', ['p'], ['a']), version: 1n });
  return memory;
}

it('recalls what was kept, without the stock that was left', () => {
  const offer = memoryOf().recall('here', orderOf('p', ['a']));
  expect(offer?.version).toBe(1n);
  expect(offer?.facts.products.get('p')).toEqual({ name: 'Flat White', price: '1.00' });
  expect(offer?.facts.choices.get('a')).not.toHaveProperty('left');
});

it('recalls nothing where a part of the order is not known', () => {
  const memory = memoryOf();
  expect(memory.recall('there', orderOf('p'))).toBeUndefined();
  expect(memory.recall('here', orderOf('q'))).toBeUndefined();
  expect(memory.recall('here', orderOf('p', ['b']))).toBeUndefined();
  expect(memory.recall('here', orderOf('p', ['a'], 'card'))).toBeUndefined();
});

it('adds to what it has of the same version, and begins anew with a later one', () => {
  const memory = memoryOf();
  memory.keep('here', orderOf('q'), { facts: factsOf('2.00', ['q']), version: 1n });
  expect(memory.recall('here', orderOf('p'))).toBeDefined();
  memory.keep('here', orderOf('q'), { facts: factsOf('3.00', ['q']), version: 2n });
  expect(memory.recall('here', orderOf('p'))).toBeUndefined();
  expect(memory.recall('here', orderOf('q'))).toMatchObject({ version: 2n });
});

it('keeps nothing of an earlier version', () => {
  const memory = memoryOf();
  memory.keep('here', orderOf('q'), { facts: factsOf('2.00', ['q']), version: 0n });
  expect(memory.recall('here', orderOf('q'))).toBeUndefined();
  expect(memory.recall('here', orderOf('p'))).toBeDefined();
});

it('forgets single products, and beyond its size the locations that were asked for longest ago', () => {
  const memory = memoryOf(2);
  memory.keep('there', orderOf('q'), { facts: factsOf('2.00', ['q']), version: 1n });
  memory.recall('here', orderOf('p'));
  memory.keep('elsewhere', orderOf('r'), { facts: factsOf('2.00', ['r']), version: 1n });
  expect(memory.recall('there', orderOf('q'))).toBeUndefined();
  expect(memory.recall('here', orderOf('p'))).toBeDefined();
  memory.forget('here', ['p', 'unknown']);
  expect(memory.recall('here', orderOf('p'))).toBeUndefined();
  expect(memory.recall('elsewhere', orderOf('r'))).toBeDefined();
});
