/** Decimal text or number as a whole number of its smallest unit: 12.5 with 2 places is 1250n. Never negative here. */
export function scaled(value: string | number, places: number): bigint {
  const [whole = '0', fraction = ''] = String(value).split('.');
  return BigInt(whole + fraction.slice(0, places).padEnd(places, '0'));
}

/** The decimal text of a whole number of smallest units, without zeros at the end: 1250n with 2 places is "12.5". */
export function decimalText(value: bigint, places: number): string {
  const digits = String(value).padStart(places + 1, '0');
  const fraction = digits.slice(-places).replace(/0+$/, '');
  return digits.slice(0, -places) + (fraction === '' ? '' : `.${fraction}`);
}

/** Divides and rounds half away from zero, which for what is not negative is half up. */
export function divideRounded(dividend: bigint, divisor: bigint): bigint {
  return (dividend + divisor / 2n) / divisor;
}
