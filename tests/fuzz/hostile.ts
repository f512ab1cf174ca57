import fc from 'fast-check';

/** Text that programs have taken for something else. */
const texts = [
  '',
  ' ',
  '\0',
  'a\0b',
  '\ud800',
  'x\udfff',
  '\ufeff',
  '\u202egnp.exe',
  '\u0000\u0001\u001f\u007f\u0085',
  '👩‍👩‍👧‍👦'.repeat(30),
  '𝒳'.repeat(255),
  '𝒳'.repeat(256),
  'a'.repeat(255),
  'a'.repeat(256),
  'a'.repeat(1_001),
  'a'.repeat(10_001),
  'e\u0301'.repeat(128),
  'ıİſß',
  "'; DROP TABLE orders; --",
  "' OR '1'='1",
  '%',
  '_',
  '\\',
  '%%\\',
  '*',
  '$1',
  '{{7*7}}<%= 7*7 %>',
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  '../../../../etc/passwd',
  '..',
  'C:\\con',
  'null',
  'undefined',
  'NaN',
  'true',
  '-1',
  '1e400',
  '__proto__',
  'constructor',
  'toString',
  '00000000-0000-0000-0000-000000000000',
  '01935a3e-7c1f-7d2a-9b40-5f6c2e8a1b3d',
  '01935A3E-7C1F-7D2A-9B40-5F6C2E8A1B3D',
  '{01935a3e-7c1f-7d2a-9b40-5f6c2e8a1b3d}',
  '2026-02-30',
  '2026-13-01',
  '0000-01-01',
  '10000-01-01',
  '+275760-09-13T00:00:00Z',
  '2026-01-01T24:00:00Z',
  '2026-01-01T00:00:60Z',
  '2026-01-01T00:00:00+99:99',
  '-infinity',
  'now()',
  'http://',
  'http://[::1',
  'https://user:pass@example.com/',
  'javascript:alert(1)',
  'Etc/../UTC',
  'localtime',
] as const;

const numbers = [
  0,
  -0,
  -1,
  1,
  0.001,
  0.0005,
  0.005,
  1e-7,
  5e-324,
  99.995,
  0.1 + 0.2,
  9_999_999_999.99,
  10_000_000_000,
  9_999_999_999.995,
  1e21,
  1e308,
  2 ** 53,
  -(2 ** 53),
  2 ** 31 - 1,
  2 ** 31,
  -(2 ** 31) - 1,
  32_767,
  32_768,
  -32_768,
  -32_769,
  200,
  201,
  500,
  501,
];

/** Names that are something already in JavaScript. */
const names = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  'then',
  'toJSON',
  '',
  '0',
  '\0',
  'a.b',
];

/** Text that is hostile, or merely strange. */
export const hostileText: fc.Arbitrary<string> = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...texts) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 40 }) },
);

/** Any JSON value that is hostile, or merely strange. */
export const hostileValue: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 6, arbitrary: hostileText },
  { weight: 4, arbitrary: fc.constantFrom(...numbers) },
  fc.constantFrom<unknown>(null, true, false, [], {}, [[]], [null], [{}]),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.constantFrom(2, 10, 63, 64, 65, 66, 500).map(nested),
  fc.constantFrom(...names).map((name) => named(name, { polluted: 1 })),
  fc.jsonValue({ maxDepth: 2 }),
);

/** One change to a JSON value: where (counted through all its parts), and what. */
export interface Change {
  at: number;
  kind: 'replace' | 'drop' | 'add' | 'repeat' | 'nudge';
  value: unknown;
  name: string;
}

/** Changes that make a valid value nearly valid. */
export const changes: fc.Arbitrary<Change[]> = fc.oneof(
  { weight: 1, arbitrary: fc.constant<Change[]>([]) },
  { weight: 1, arbitrary: fc.array(someChange(), { minLength: 1, maxLength: 3 }) },
);

/** The value with the changes made. */
export function changed(value: unknown, made: readonly Change[]): unknown {
  return made.reduce((before, change) => apply(before, change), value);
}

function someChange(): fc.Arbitrary<Change> {
  return fc.record({
    at: fc.nat(200),
    kind: fc.constantFrom<Change['kind']>('replace', 'replace', 'drop', 'add', 'repeat', 'nudge'),
    value: hostileValue,
    name: fc.constantFrom(...names),
  });
}

interface Place {
  holder: Record<string, unknown>;
  name: string;
}

function apply(value: unknown, change: Change): unknown {
  const root: Record<string, unknown> = { value: structuredCopy(value) };
  // Seldom the whole of it.
  const places = [...placesIn(root, 'value')].slice(change.at < 190 ? 1 : 0);
  const { holder, name } = places[change.at % places.length] ?? { holder: root, name: 'value' };
  const here = holder[name];
  if (change.kind === 'drop') delete holder[name];
  else if (change.kind === 'repeat') holder[name] = Array.isArray(here) ? [...here, ...here] : [here, here];
  else if (change.kind === 'nudge' && typeof here === 'number')
    holder[name] = here + (change.at % 2 === 0 ? 1 : -0.001);
  else if (change.kind === 'nudge' && typeof here === 'string') holder[name] = `${here}${change.name}`;
  else if (change.kind === 'add' && isObject(here))
    holder[name] = { ...here, ...named(change.name, change.value) };
  else holder[name] = change.value;
  return root.value;
}

function* placesIn(holder: Record<string, unknown>, name: string): Generator<Place> {
  yield { holder, name };
  const here = holder[name];
  if (!isObject(here) && !Array.isArray(here)) return;
  for (const inner of Object.keys(here)) yield* placesIn(here as Record<string, unknown>, inner);
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;

// References to what exists are kept as they are.
function structuredCopy(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(structuredCopy);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, structuredCopy(member)]));
}

function nested(depth: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < depth; level++) value = level % 2 === 0 ? [value] : { a: value };
  return value;
}

// `__proto__` as a member of its own, as JSON.parse would make it.
function named(name: string, value: unknown): Record<string, unknown> {
  return Object.defineProperty({}, name, { value, enumerable: true, configurable: true, writable: true });
}
