/**
 * The JSON text with each of its numbers that no double represents exactly replaced by the next larger double: a schema
 * that allows 3 decimals then refuses `0.0010000000000000000001`, and does not take it for 0.001. Undefined where there
 * is none. `places` are those of `scanStructure`. Every bound on a number is below 2^34, where neighboring doubles
 * differ in the sixth decimal.
 */
export function withoutInexactNumbers(bytes: Uint8Array, places: readonly number[]): string | undefined {
  const pieces: string[] = [];
  let done = 0;
  for (let place = 0; place < places.length; place += 2) {
    const from = places[place] ?? 0;
    const to = places[place + 1] ?? 0;
    const token = utf8.decode(bytes.subarray(from, to));
    if (isExact(token)) continue;
    pieces.push(utf8.decode(bytes.subarray(done, from)), String(nextUp(Number(token))));
    done = to;
  }
  return done === 0 ? undefined : pieces.join('') + utf8.decode(bytes.subarray(done));
}

const utf8 = new TextDecoder();

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
