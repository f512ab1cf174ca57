import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { structureBounds } from '../../packages/api/src/bodies/bounds.ts';
import { faultPlace } from '../../packages/api/src/bodies/malformed.ts';
import { duplicateName } from '../../packages/api/src/bodies/names.ts';
import { readJson } from '../../packages/api/src/bodies/read.ts';
import { scanStructure } from '../../packages/api/src/bodies/scan.ts';
import { ApiError } from '../../packages/api/src/errors.ts';
import { words } from '../support/words.ts';

const ordinary = { kind: 'ordinary', isStrict: false } as const;
const read = (json: string, more: Partial<Parameters<typeof readJson>[1]> = {}) =>
  readJson(Buffer.from(json), { ...ordinary, ...more });
const refusal = (json: string, more: Partial<Parameters<typeof readJson>[1]> = {}) => {
  try {
    read(json, more);
  } catch (error) {
    if (error instanceof ApiError) return `${error.status} ${error.reason}: ${error.message}`;
    throw error;
  }
  return 'none';
};
const wide = (members: number) =>
  JSON.stringify(Object.fromEntries(Array.from({ length: members }, (_, index) => [`n${index}`, 0])));

describe('a body that is read', () => {
  it('is what JSON.parse makes of it, for any content', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue()), (value) => {
        const json = JSON.stringify(value);
        expect(read(json).value).toEqual(JSON.parse(json));
      }),
    );
  });

  it('is refused by its bytes at each bound, and taken right below it', () => {
    const { depth, members, nameBytes, values } = structureBounds;
    const deep = (levels: number) => `{"a":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`;
    const named = (bytes: number) => `{"${'x'.repeat(bytes)}":0}`;
    // Its own bracket, that of the list, and a comma less than entries.
    const full = (count: number) => `{"a":[${'0,'.repeat(count - 2)}0]}`;
    expect(
      [deep(depth), wide(members), named(nameBytes), full(values.ordinary)].map((json) => refusal(json)),
    ).toEqual(Array(4).fill('none'));
    const above = [deep(depth + 1), wide(members + 1), named(nameBytes + 1), full(values.ordinary + 1)];
    expect(above.map((json) => refusal(json))).toEqual([
      '422 body_bound: The body nests deeper than 64 levels.',
      '422 body_bound: The body has an object with more than 256 members.',
      '422 body_bound: The body has a name of more than 1024 bytes.',
      '422 body_bound: The body holds more than 100000 values.',
    ]);
    expect(refusal(full(values.ordinary + 1), { kind: 'batch' })).toBe('none');
  });

  it('is refused for a list of its own that is longer than the key may send, named by what it is', () => {
    const json = `{"mode":"upsert","items":[${'{},'.repeat(500)}{}],"x":[[],[[]]]}`;
    expect(refusal(json, { kind: 'batch', mostItems: 500 })).toBe(
      '422 batch_too_large: items: must hold at most 500 items (max_items_per_batch), got 501',
    );
    expect(refusal(json, { kind: 'batch', mostItems: 501 })).toBe('none');
  });

  it('counts at least as many values as there are, and no escapes where there are none', () => {
    const count = (value: unknown): number =>
      typeof value === 'object' && value !== null
        ? Object.values(value).reduce((sum: number, each) => sum + count(each), 1)
        : 1;
    fc.assert(
      fc.property(fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue()), (value) => {
        const json = JSON.stringify(value);
        const found = scanStructure(Buffer.from(json), Number.MAX_SAFE_INTEGER);
        // Commas and brackets: each value but a container's last is one of them, and each container's first is its bracket.
        expect(2 * found.values).toBeGreaterThanOrEqual(count(value));
        expect(found.hasEscapes).toBe(/(?<!\\)(\\\\)*\\u/.test(json));
      }),
    );
  });

  it('is refused with a name that an object has twice where nothing may be ignored', () => {
    const twice = '{"items":[{"quantity":1},{"a":"}\\"{","quantity":1,"quantity":100}]}';
    expect(refusal(twice)).toBe('none');
    expect(refusal(twice, { isStrict: true })).toMatch(
      /^422 .*items\[1\]\.quantity: must not be given twice/,
    );
    expect(duplicateName('{"a":{"a":"a"},"b":["a","a",{"a":1}],"\\u0061":2}')).toBe('a');
  });

  it('has no name twice that JSON.stringify wrote', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(duplicateName(JSON.stringify(value))).toBeUndefined();
      }),
    );
  });
});

describe('a number', () => {
  const exactOf = (token: string) => (read(`{"n":${token}}`).exact as { n: number }).n;

  it.each(words('1.100 1e2 0 -0.0 0e-999 12.5 9999999999.99 0.1 100000000000000000000 1E+2'))(
    '%s is what it says',
    (token) => {
      expect(exactOf(token)).toBe(Number(token));
    },
  );

  it.each(
    words(`0.0010000000000000000001 0.1000000000000000055511151231257827 1e-400
      1.00000000000000000000000000000001 2.5000000000000000000001e1`),
  )('%s is not rounded to one with fewer decimals', (token) => {
    const { n } = read(`{"n":${token}}`).exact as { n: number };
    expect(
      Math.max(
        0,
        (String(n).split('e')[0]?.split('.')[1]?.length ?? 0) - Number(String(n).split('e')[1] ?? 0),
      ),
    ).toBeGreaterThan(3);
    // The text that a repeat is compared by stays the result of JSON.parse.
    expect((read(`{"n":${token}}`).value as { n: number }).n).toBe(Number(token));
  });

  it('passes unchanged in every place when a double represents it', () => {
    const spaces = fc.constantFrom('', ' ', '\n', '                 ');
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.double({ noNaN: true, noDefaultInfinity: true }), spaces, fc.string())),
        (rows) => {
          const json = `{"rows":[${rows.map(([n, space, text]) => `${space}{"n":${space}${JSON.stringify(n)}${space},"t":${JSON.stringify(text)}}`).join()}]}`;
          const { value, exact } = read(json);
          expect(exact).toEqual(value);
        },
      ),
    );
  });

  it('is looked at digit by digit where it is long or has an exponent below 0, and nothing else is', () => {
    const spaces = fc.stringMatching(/^[ \t\n\r]{0,20}$/);
    const token = fc.oneof(
      fc.stringMatching(/^-?[1-9]\d{0,30}(\.\d{1,20})?([eE][+-]?\d{1,3})?$/),
      fc.constantFrom('true', 'false', 'null', '0', '{}', '[]'),
      fc.string({ unit: 'binary' }).map((text) => JSON.stringify(text)),
      // Texts with what would be looked at.
      fc.constantFrom('"000000000000123456"', '"1e-400"', '"a, 1234567890123456789 "', '"\\" , 1e-9"'),
    );
    fc.assert(
      fc.property(
        fc.array(fc.tuple(spaces, token, spaces), { minLength: 1 }),
        fc.boolean(),
        (rows, isList) => {
          const values = rows.map(([before, value, behind]) => `${before}${value}${behind}`);
          const json = isList
            ? `{"a":[${values.join()}]}`
            : `{${values.map((value, at) => `"n${at}":${value}`).join()}}`;
          const places = scanStructure(Buffer.from(json), Number.MAX_SAFE_INTEGER).unsureNumbers;
          const bytes = Buffer.from(json);
          const found = Array.from({ length: places.length / 2 }, (_, at) =>
            bytes.subarray(places[2 * at], places[2 * at + 1]).toString(),
          );
          const expected = rows
            .map(([, value]) => value)
            .filter((value) => /^-?\d/.test(value) && (value.length >= 16 || /e-/i.test(value)));
          expect(found).toEqual(expected);
        },
      ),
    );
  });

  it('between others that a double represents, it alone changes', () => {
    const json = '{"a":[0.1, 1e-400 ,"ü 1e-400"],"b":0.30000000000000004,"c":1.00000000000000000001,"d":"é"}';
    expect(read(json).exact).toEqual({
      a: [0.1, 5e-324, 'ü 1e-400'],
      b: 0.30000000000000004,
      c: 1 + Number.EPSILON,
      d: 'é',
    });
  });

  it('never passes with more digits than a double holds', () => {
    const digits = (least: number, most: number) =>
      fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: least, maxLength: most });
    fc.assert(
      fc.property(digits(0, 9), digits(17, 60), digits(0, 40), (whole, fraction, text) => {
        // Digits other than 0 at both ends: 0.00000000000000001 has one digit, and a double holds it.
        const token = `${Number(whole)}.1${fraction}1`;
        const { exact, value } = read(`{"before":"${text}","n":${token}}`);
        expect((exact as { n: number }).n).not.toBe((value as { n: number }).n);
      }),
    );
  });
});

it.each([
  ['', 'line 1, column 1'],
  ['{"price":12,50}', 'line 1, column 13'],
  ['{"a":1,}', 'line 1, column 8'],
  ['{"a":\r\n\ttru}', 'line 2, column 2'],
  ['{"a":TRUE}', 'line 1, column 6'],
  ['{"a":01}', 'line 1, column 7'],
  ['{"a":"x', 'line 1, column 8'],
  ['{"a":"x\ny"}', 'line 1, column 8'],
  ['{"a":"\\q"}', 'line 1, column 7'],
  ['{"a" 1}', 'line 1, column 6'],
  ['{"a":[1 2]}', 'line 1, column 9'],
  ['{"a":[1}', 'line 1, column 8'],
  ['{"a":1} x', 'line 1, column 9'],
])('the place where %j is no JSON is %s', (json, place) => {
  expect(() => JSON.parse(json)).toThrow(SyntaxError);
  expect(faultPlace(json)).toBe(place);
});

it('JSON has no such place before its end', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const json = JSON.stringify(value);
      expect(faultPlace(json)).toBe(`line 1, column ${json.length + 1}`);
    }),
  );
});
