import { json } from '../support/money.ts';

/** What an adjustment is: a discount subtracts, the others add. */
export type AdjustmentKind = 'discount' | 'service_charge' | 'tip' | 'delivery_fee';

/** An adjustment that will be sent, by `cents` or by `percent`. */
export interface Adjustment {
  kind: AdjustmentKind;
  name: string;
  cents?: bigint;
  /** Ten-thousandths of a percent. */
  percent?: bigint;
  /** The number of the line that a discount is of; the whole order without it. */
  line?: number;
  externalId?: string;
  /** Ten-thousandths of a percent. */
  taxRate?: bigint;
}

/** The same as it was computed: `adds` is below zero for a discount. */
export interface AppliedAdjustment extends Adjustment {
  adds: bigint;
}

/** Computes adjustments from the totals of the lines, by their numbers. Undefined where they must be refused. */
export function applyAdjustments(
  adjustments: readonly Adjustment[],
  lines: ReadonlyMap<number, bigint>,
): AppliedAdjustment[] | undefined {
  let base = sumOf([...lines.values()]);
  let discountable = base;
  const discounts = new Map<number, bigint>();
  for (const { line, ...each } of adjustments) {
    if (line === undefined) continue;
    const whole = lines.get(line);
    if (whole === undefined) return undefined;
    const all = (discounts.get(line) ?? 0n) + sizeOf(each, whole);
    if (all > whole) return undefined;
    discounts.set(line, all);
  }
  base -= sumOf([...discounts.values()]);
  const applied = adjustments.map((each): AppliedAdjustment => {
    const size = sizeOf(each, each.line === undefined ? base : (lines.get(each.line) ?? 0n));
    if (each.kind === 'discount') discountable -= size;
    return { ...each, adds: each.kind === 'discount' ? -size : size };
  });
  return discountable < 0n ? undefined : applied;
}

const sizeOf = ({ cents, percent }: Pick<Adjustment, 'cents' | 'percent'>, of: bigint): bigint =>
  percent === undefined ? (cents ?? 0n) : rounded(of * percent, 1_000_000n);

/** A quotient, rounded half away from zero. */
export function rounded(dividend: bigint, divisor: bigint): bigint {
  if (dividend < 0n) return -rounded(-dividend, divisor);
  const rest = dividend % divisor;
  return dividend / divisor + (rest * 2n >= divisor ? 1n : 0n);
}

/** The tax in an amount that holds it; `rate` is in ten-thousandths of a percent. */
export const taxIn = (cents: bigint, rate: bigint): bigint => rounded(cents * rate, 1_000_000n + rate);

/**
 * Spreads an amount over parts by their sizes, which are not below zero: each gets the whole cents of its share, and those with the largest
 * remainders the cents that are left; of equal remainders the first. Empty where all sizes are zero.
 */
export function spread(cents: bigint, sizes: readonly bigint[]): bigint[] {
  const whole = sumOf(sizes);
  if (whole === 0n) return [];
  const shares = sizes.map((size) => (cents * size) / whole);
  const rests = sizes.map((size, index) => ({ index, rest: (cents * size) % whole }));
  rests.sort((one, other) =>
    one.rest === other.rest ? one.index - other.index : one.rest < other.rest ? 1 : -1,
  );
  const left = Number(cents - sumOf(shares));
  const raised = new Set(rests.slice(0, left).map(({ index }) => index));
  return shares.map((share, index) => share + (raised.has(index) ? 1n : 0n));
}

/** The sum of amounts. */
export const sumOf = (amounts: readonly bigint[]): bigint => amounts.reduce((sum, each) => sum + each, 0n);

/** The body that sends it. */
export const adjustmentBody = (each: Adjustment): Record<string, unknown> => ({
  kind: each.kind,
  name: each.name,
  ...(each.cents !== undefined && { amount: json(each.cents) }),
  ...(each.percent !== undefined && { percent: json(each.percent, 4) }),
  ...(each.line !== undefined && { line: each.line }),
  ...(each.externalId !== undefined && { external_id: each.externalId }),
  ...(each.taxRate !== undefined && { tax_rate: json(each.taxRate, 4) }),
});

/** The same as it must be shown. */
export const shownAdjustment = (each: AppliedAdjustment): Record<string, unknown> => ({
  ...adjustmentBody(each),
  total: json(each.adds),
});
