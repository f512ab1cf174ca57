import { endOfText } from './text.ts';

/**
 * Whether a JSON text may hold a number that no double stands for: one with more than 15 digits, or with an exponent so
 * small that the double is 0. Says yes too often, never no wrongly. Looks at each sixteenth byte, as a run of sixteen
 * digits cannot pass between two of them.
 */
export function mayHoldInexactNumbers(bytes: Uint8Array, text: string): boolean {
  for (let at = run - 1; at < bytes.length; at += run)
    if (isDigit(bytes[at]) && runAround(bytes, at) >= run) return true;
  return tinyExponent.test(text);
}

/**
 * The JSON text with each number that no double stands for exactly replaced by the next larger double: a
 * schema that allows 3 decimals then refuses `0.0010000000000000000001`, and does not take it for 0.001. The text must be JSON. Every bound on a number is below 2^34, where neighboring doubles differ in the sixth decimal.
 */
export function withoutInexactNumbers(text: string): string {
  const pieces: string[] = [];
  let at = 0;
  for (let open = text.indexOf('"'); open >= 0; open = text.indexOf('"', at)) {
    const end = endOfText(text, open);
    pieces.push(replaced(text.slice(at, open)), text.slice(open, end));
    at = end;
  }
  return pieces.join('') + replaced(text.slice(at));
}

const replaced = (piece: string): string =>
  piece.replace(/-?\d[\d.eE+-]*/g, (token) => (isExact(token) ? token : String(nextUp(Number(token)))));

/** The least run of digits and points that a double may not stand for. */
const run = 16;

const point = 0x2e;

const isDigit = (byte: number | undefined): boolean =>
  byte !== undefined && ((byte >= 0x30 && byte <= 0x39) || byte === point);

function runAround(bytes: Uint8Array, at: number): number {
  let from = at;
  let to = at;
  while (isDigit(bytes[from - 1]) && to - from < run) from--;
  while (isDigit(bytes[to + 1]) && to - from < run) to++;
  return to - from + 1;
}

// Behind a number comes one of these; behind the digits of an id does not.
const tinyExponent = /[\d.][eE]-\d{3,}[\s,}\]]/;

function isExact(token: string): boolean {
  const value = Number(token);
  // Out of range: it is refused as it is.
  if (!Number.isFinite(value)) return true;
  const given = decimalOf(token);
  const held = decimalOf(String(value));
  return given.digits === held.digits && (given.digits === '' || given.exponent === held.exponent);
}

/** Its digits without zeros at either end, and the power of ten that the last of them counts. */
function decimalOf(token: string): { digits: string; exponent: number } {
  const [mantissa = '', power = '0'] = token.replace(/^-/, '').split(/[eE]/);
  const [whole = '', fraction = ''] = mantissa.split('.');
  const significant = trimZerosAtStart(whole + fraction);
  const digits = trimZerosAtEnd(significant);
  return { digits, exponent: Number(power) - fraction.length + significant.length - digits.length };
}

function trimZerosAtStart(digits: string): string {
  let from = 0;
  while (digits[from] === '0') from++;
  return digits.slice(from);
}

function trimZerosAtEnd(digits: string): string {
  let to = digits.length;
  while (digits[to - 1] === '0') to--;
  return digits.slice(0, to);
}

const double = new Float64Array(1);
const bits = new BigInt64Array(double.buffer);

/** The next double away from zero. */
function nextUp(value: number): number {
  double[0] = value;
  bits[0] = (bits[0] ?? 0n) + 1n;
  return double[0] ?? value;
}
