import type { Chance } from '../support/chance.ts';
import type { Adjustment } from './adjustments.ts';
import { drawCarried } from './carried.ts';
import type { Model } from './model.ts';
import { type Choice, isScarce, type Product } from './offer.ts';
import type { Draft, Line } from './orders.ts';

const channels = ['counter', 'web', 'delivery-app', 'kiosk'] as const;

/** Draws an order of some of the products; `name` is its own. A `plain` one carries nothing beside its lines. */
export function drawOrder(
  { methods }: Model,
  chance: Chance,
  products: readonly Product[],
  name: string,
  plain = false,
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
    adjustments: plain || chance.percent(45) ? [] : drawAdjustments(chance, lines.length),
    carried: plain ? {} : drawCarried(chance),
  };
}

/** Rates of tax, in ten-thousandths of a percent. */
export const taxRates = [220_000n, 105_000n, 43_750n] as const;

// Percentages that are rounded, and now and then a discount that is too large.
function drawAdjustments(chance: Chance, lines: number): Adjustment[] {
  return Array.from({ length: chance.between(1, 4) }, (_, index): Adjustment => {
    const kind = chance.pick(['discount', 'discount', 'service_charge', 'tip', 'delivery_fee'] as const);
    const taxRate = chance.percent(30) ? chance.pick(taxRates) : undefined;
    const size = chance.percent(60)
      ? { percent: chance.pick([50_000n, 100_000n, 333_333n, 167n, BigInt(chance.between(0, 400_000))]) }
      : { cents: BigInt(chance.between(0, kind === 'discount' ? 150 : 900)) };
    return {
      kind,
      name: `${kind} ${index}`,
      ...size,
      ...(kind === 'discount' && chance.percent(50) && { line: chance.between(1, lines) }),
      ...(chance.percent(20) && { externalId: `A-${index}` }),
      ...(taxRate !== undefined && { taxRate }),
    };
  });
}

/** Draws a line of a product. */
export function drawLine(chance: Chance, product: Product): Line {
  const milli = drawMilli(chance, product);
  return {
    product,
    milli,
    chosen: product.choices.flatMap((choice) => drawChosen(chance, choice)),
    ...(chance.percent(20) && { comment: 'sin azúcar ☕' }),
  };
}

/** Draws a quantity, in thousandths. */
export const drawMilli = (chance: Chance, product: Product): bigint =>
  isScarce(product)
    ? 1_000n
    : BigInt(chance.percent(40) ? chance.between(1, 4_999) : chance.between(1, 4) * 1_000);

/** Draws what is chosen: one size; of the extras up to three in all, the third at least twice, one named twice adds up. */
export function drawChosen(chance: Chance, { options, min }: Choice): Line['chosen'] {
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
