import { isDeepStrictEqual } from 'node:util';
import { expect, test } from 'vitest';
import { adjust } from '../../packages/api/src/resources/orders/adjustments.rules.ts';
import {
  type Adjustment,
  adjustmentBody,
  applyAdjustments,
  rounded,
  spread,
  sumOf,
  taxIn,
} from '../model/adjustments.ts';
import { createChance } from '../support/chance.ts';
import { json } from '../support/money.ts';
import { seedOf, trials } from '../support/trials.ts';

const seed = seedOf(13);
const orders = trials(5_000, 100_000);

type Given = Parameters<typeof adjust>[0][number];

/** An order: the totals of its lines by their numbers, and adjustments of all kinds; of some the discounts are too large. */
function drawOrder(chance: ReturnType<typeof createChance>) {
  const most = chance.pick([9, 500, 100_000, 99_999_999]);
  const count = chance.between(1, 5);
  const lines = new Map(
    Array.from({ length: count }, (_, index) => [index + 1, BigInt(chance.between(0, most))] as const),
  );
  const adjustments = Array.from({ length: chance.between(1, 6) }, (_, index): Adjustment => {
    const kind = chance.pick(['discount', 'discount', 'service_charge', 'tip', 'delivery_fee'] as const);
    const size = chance.percent(70)
      ? { percent: BigInt(chance.percent(80) ? chance.between(0, 300_000) : chance.between(0, 1_000_000)) }
      : { cents: BigInt(chance.between(0, Math.ceil(most / 4))) };
    const isOfLine = kind === 'discount' && chance.percent(50);
    return { kind, name: `${index}`, ...size, ...(isOfLine && { line: chance.between(1, count) }) };
  });
  return { lines, adjustments };
}

test(`adjustments of random orders are those of the model, to the cent, and refused where discounts exceed what they are of (COMANDA_SEED=${seed})`, () => {
  const chance = createChance(seed);
  const differing: string[] = [];
  let refused = 0;
  for (let order = 0; order < orders; order++) {
    const { lines, adjustments } = drawOrder(chance);
    const given = adjustments.map(adjustmentBody) as Given[];
    const { applied, sum, faults } = adjust(given, lines);
    const expected = applyAdjustments(adjustments, lines);
    if (expected === undefined) refused += 1;
    const whole = sumOf([...lines.values()]);
    const discounts = sumOf((expected ?? []).map(({ kind, adds }) => (kind === 'discount' ? -adds : 0n)));
    const isRight =
      expected === undefined
        ? faults.length > 0
        : faults.length === 0 &&
          sum === sumOf(expected.map(({ adds }) => adds)) &&
          isDeepStrictEqual(
            applied.map(({ total }) => total),
            expected.map(({ adds }) => json(adds)),
          ) &&
          discounts <= whole;
    if (!isRight)
      differing.push(`${[...lines.values()].join()}: ${JSON.stringify({ given, applied, faults })}`);
  }
  expect(differing).toEqual([]);
  // Both outcomes were met, each often.
  expect(refused).toBeGreaterThan(orders / 20);
  expect(refused).toBeLessThan(orders / 2);
});

test(`a spread loses no cent, cuts no share by one or more, and raises those with the largest remainders (COMANDA_SEED=${seed})`, () => {
  const chance = createChance(seed + 1);
  const wrong: string[] = [];
  for (let order = 0; order < orders; order++) {
    const most = chance.pick([3, 500, 100_000_000]);
    const sizes = Array.from({ length: chance.between(1, 6) }, () => BigInt(chance.between(0, most)));
    const whole = sumOf(sizes);
    const cents = BigInt(chance.between(0, most));
    const shares = spread(cents, sizes);
    const parts = shares.map((share, index) => {
      const exact = cents * (sizes[index] ?? 0n);
      return { rest: exact % whole, raised: share - exact / whole };
    });
    const kept = parts.filter(({ raised }) => raised === 0n);
    const raised = parts.filter((part) => part.raised === 1n);
    const isRight =
      whole === 0n
        ? shares.length === 0
        : shares.length === sizes.length &&
          sumOf(shares) === cents &&
          kept.length + raised.length === parts.length &&
          raised.every((one) => kept.every((other) => one.rest >= other.rest));
    if (!isRight) wrong.push(`${cents} over ${sizes.join()}: ${shares.join()}`);
  }
  expect(wrong).toEqual([]);
});

test('amounts are rounded half away from zero', () => {
  expect([rounded(5n, 10n), rounded(-5n, 10n), rounded(4n, 10n), rounded(-14n, 10n)]).toEqual([
    1n,
    -1n,
    0n,
    -1n,
  ]);
  // 22 % of 100.00 is in 122.00; the tax in a discount is below zero.
  expect([taxIn(122_00n, 220_000n), taxIn(-122_00n, 220_000n)]).toEqual([22_00n, -22_00n]);
});
