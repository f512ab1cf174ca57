import type { FieldFault } from '../../errors.ts';
import type { AdjustmentCreate } from './carried.schema.ts';
import { decimalText, divideRounded, scaled } from './decimals.rules.ts';

/** An adjustment as it is stored: `total` is what it adds to the order, below zero for a discount. */
export type AppliedAdjustment = AdjustmentCreate & { total: number };

/**
 * Computes the adjustments of an order from the totals of its lines, by their numbers, in cents: each result is rounded once, half away from
 * zero. Percentages of an order are of the lines less their own discounts. Contract: 13.10.
 */
export function adjust(
  adjustments: readonly AdjustmentCreate[],
  lines: ReadonlyMap<number, bigint | undefined>,
): { applied: AppliedAdjustment[]; sum: bigint; faults: FieldFault[] } {
  const faults: FieldFault[] = [];
  const left = new Map(lines);
  const amounts = adjustments.map(({ line, ...each }, index) => {
    if (line === undefined) return 0n;
    if (!lines.has(line))
      faults.push({ path: `adjustments[${index}].line`, message: `there is no line ${line}` });
    const of = lines.get(line);
    if (of === undefined) return 0n;
    const amount = amountOf(each, of);
    const rest = (left.get(line) ?? 0n) - amount;
    left.set(line, rest);
    if (rest < 0n) faults.push(tooMuch(index, `line ${line}`, of));
    return amount;
  });
  const total = sumOf(lines.values());
  const base = sumOf(left.values());
  let rest = base;
  for (const [index, each] of adjustments.entries()) {
    if (each.line !== undefined) continue;
    const amount = amountOf(each, base > 0n ? base : 0n);
    amounts[index] = amount;
    if (each.kind !== 'discount') continue;
    rest -= amount;
    if (rest < 0n && base >= 0n) faults.push(tooMuch(index, 'the lines', total));
  }
  const applied = adjustments.map((each, index) => {
    const amount = amounts[index] ?? 0n;
    const total = Number(decimalText(amount, 2));
    return { ...each, total: each.kind === 'discount' && total !== 0 ? -total : total };
  });
  const sum = adjustments.reduce(
    (all, { kind }, index) => all + (kind === 'discount' ? -1n : 1n) * (amounts[index] ?? 0n),
    0n,
  );
  return { applied, sum, faults };
}

function amountOf({ amount, percent }: Pick<AdjustmentCreate, 'amount' | 'percent'>, of: bigint): bigint {
  return percent === undefined ? scaled(amount ?? 0, 2) : divideRounded(of * scaled(percent, 4), 1_000_000n);
}

const tooMuch = (index: number, of: string, most: bigint): FieldFault => ({
  path: `adjustments[${index}]`,
  message: `the discounts are more than ${of}, ${decimalText(most, 2)}`,
});

/** The sum of amounts; one that is unknown counts nothing. */
export function sumOf(amounts: Iterable<bigint | undefined>): bigint {
  let sum = 0n;
  for (const amount of amounts) sum += amount ?? 0n;
  return sum;
}
