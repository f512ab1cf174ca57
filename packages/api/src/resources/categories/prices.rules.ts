import { type FieldFault, invalid } from '../../errors.ts';
import { largestDecimal } from '../../wire.ts';
import type { PriceChange } from './prices.schema.ts';

type By = Pick<PriceChange, 'amount' | 'percent'>;

/** A product with its price. */
export interface Priced {
  id: string;
  name: string;
  price: number;
}

// Whole hundredths, and of percent whole ten-thousandths: no sum of doubles decides how a price is rounded.
const hundredths = (value: number): bigint => BigInt(Math.round(value * 100));

/** The price after a change: a percentage is rounded half away from zero to 2 decimals. */
export function priceAfter(price: number, { amount, percent }: By): number {
  const before = hundredths(price);
  if (percent === undefined) return Number(before + hundredths(amount ?? 0)) / 100;
  const exact = before * (10_000n + hundredths(percent));
  return Number((exact + 5_000n) / 10_000n) / 100;
}

/** Every product with its price before and after. Throws `validation_error` where a price would be below zero or too large. */
export function pricesAfter(products: readonly Priced[], by: By) {
  const path = by.percent === undefined ? 'amount' : 'percent';
  const faults: FieldFault[] = [];
  const changed = products.map(({ id, name, price }) => {
    const after = priceAfter(price, by);
    if (after < 0) faults.push({ path, message: `would make the price of ${name} less than 0` });
    if (after > largestDecimal) faults.push({ path, message: `would make the price of ${name} too large` });
    return { id, name, before: price, after };
  });
  const [first] = faults;
  if (first !== undefined) throw invalid(first);
  return changed;
}
