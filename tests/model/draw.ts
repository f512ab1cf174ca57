import type { Chance } from '../support/chance.ts';
import type { Model } from './model.ts';
import { type Choice, isScarce, type Product } from './offer.ts';
import type { Draft, Line } from './orders.ts';

const channels = ['counter', 'web', 'delivery-app', 'kiosk'] as const;

/** Draws an order of some of the products; `name` is its own. */
export function drawOrder(
  { methods }: Model,
  chance: Chance,
  products: readonly Product[],
  name: string,
): Draft {
  const lines = Array.from({ length: chance.between(1, 4) }, () => drawLine(chance, chance.pick(products)));
  return {
    version: chance.percent(30) ? 'v1' : 'v2',
    key: `key-${name}`,
    externalId: `POS ${name}/é`,
    ...(chance.percent(95) && { channel: chance.pick(channels) }),
    takeAway: chance.percent(30),
    identifier: chance.pick(['Table 4', '', 'Bar']),
    method: chance.pick(methods),
    lines,
  };
}

function drawLine(chance: Chance, product: Product): Line {
  const milli = isScarce(product)
    ? 1_000n
    : BigInt(chance.percent(40) ? chance.between(1, 4_999) : chance.between(1, 4) * 1_000);
  return {
    product,
    milli,
    chosen: product.choices.flatMap((choice) => drawChosen(chance, choice)),
    ...(chance.percent(20) && { comment: 'sin azúcar ☕' }),
  };
}

// The legal ones: one size; of the extras up to three in all, the third at least twice, one named twice adds up.
function drawChosen(chance: Chance, { options, min }: Choice): Line['chosen'] {
  const [first, second, third] = options;
  if (first === undefined || second === undefined || third === undefined) return [];
  if (min === 1) return [{ option: chance.pick(options), count: 1 }];
  return chance.pick([
    [],
    [{ option: first, count: 3 }],
    [
      { option: second, count: 1 },
      { option: first, count: 2 },
    ],
    [{ option: third, count: 2 }],
    [
      { option: second, count: 1 },
      { option: second, count: 1 },
    ],
  ]);
}
