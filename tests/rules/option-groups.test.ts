import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { OrderFacts } from '../../packages/api/src/resources/orders/facts.rules.ts';
import { selectionFaults } from '../../packages/api/src/resources/orders/selections.rules.ts';
import { unsatisfiable } from '../../packages/api/src/resources/subselections/rules.ts';

const small = (most: number) => fc.integer({ min: 0, max: most });
const options = (leastMost: number) =>
  fc.array(
    fc.tuple(small(leastMost), small(3)).map(([min, more]) => ({ min, max: min + more })),
    { maxLength: 3 },
  );
const bounds = fc
  .tuple(small(4), small(2), fc.boolean())
  .map(([min, more, single]) => ({ min_selection: min, max_selection: min + more, single }));

/** Whether any order can be placed, by the rules of orders: every choice is tried. */
function canBeOrdered(
  { min_selection, max_selection, single }: { min_selection: number; max_selection: number; single: boolean },
  items: readonly { min: number; max: number }[],
): boolean {
  const own = { productId: 'p', subselectionId: 's' };
  const facts = {
    choices: new Map(items.map((item, index) => [String(index), { ...own, ...item }])),
    subselections: new Map([
      ['p', [{ id: 's', name: 'Toppings', min: min_selection, max: max_selection, single }]],
    ]),
  } as unknown as OrderFacts;
  const choices = items.reduce<number[][]>(
    (all, { max }) =>
      all.flatMap((chosen) => Array.from({ length: max + 1 }, (_, units) => [...chosen, units])),
    [[]],
  );
  return choices.some((chosen) => {
    const subselections = chosen.flatMap((quantity, index) =>
      quantity === 0 ? [] : { item_id: String(index), quantity },
    );
    return selectionFaults({ product_id: 'p', quantity: 1, subselections }, facts, 'items[0]').length === 0;
  });
}

test('a subselection that orders can satisfy is never named, and one that none can is', () => {
  fc.assert(
    fc.property(bounds, options(1), (group, items) => {
      expect(unsatisfiable({ name: 'Toppings', ...group }, items) === undefined).toBe(
        canBeOrdered(group, items),
      );
    }),
    { numRuns: 500 },
  );
});

test('with options that have a minimum above 1, one that orders can satisfy is never named', () => {
  fc.assert(
    fc.property(bounds, options(4), (group, items) => {
      if (canBeOrdered(group, items))
        expect(unsatisfiable({ name: 'Toppings', ...group }, items)).toBeUndefined();
    }),
    { numRuns: 500 },
  );
});
