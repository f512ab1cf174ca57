import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decode } from '../src/csv/encoding.ts';
import { readNumber, styleOf } from '../src/csv/numbers.ts';
import { readRecords, writeRecord } from '../src/csv/records.ts';
import { separators } from '../src/csv/separators.ts';
import { encodings, written } from './csv-files.ts';

const cell = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 8 }),
  fc.string({ unit: fc.constantFrom('"', ',', ';', '\t', '|', '\r', '\n', ' ', 'a', 'é'), maxLength: 8 }),
);

describe('records', () => {
  test('are read as they were written, with any contents', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...separators),
        fc.constantFrom('\r\n', '\n', '\r'),
        fc.array(fc.array(cell, { minLength: 2, maxLength: 4 }), { minLength: 1, maxLength: 5 }),
        (separator, end, rows) => {
          const text = rows.map((cells) => writeRecord(cells, separator) + end).join('');
          const read = [...readRecords(text, separator)];
          expect(read.map(({ cells }) => cells)).toEqual(rows);
          for (const [index, { line }] of read.entries()) {
            const before = rows.slice(0, index).map((cells) => writeRecord(cells, separator) + end);
            expect(line).toBe(before.join('').split(/\r\n|\r|\n/).length);
          }
        },
      ),
      { numRuns: 2_000 },
    );
  });

  test.each([
    ['a,b\n1,"x', 'line 2: a quote is opened and never closed'],
    ['a,b\n"1\n2" x,3\n', 'line 3: text follows a closing quote'],
  ])('of %j are refused by the line', (text, message) => {
    expect(() => [...readRecords(text, ',')]).toThrow(message);
  });

  test.each([
    ['a,b\n5" pizza,2', [['5" pizza', '2']]],
    ['a,b\n\n1,\n\r\n', [['1', '']]],
    ['a,b\n"",""""', [['', '"']]],
  ])('of %j are read', (text, rows) => {
    const [, ...read] = [...readRecords(text, ',')].map(({ cells }) => cells);
    expect(read).toEqual(rows);
  });
});

/** Numbers as people write them. */
const amount = fc.tuple(fc.integer({ min: 0, max: 9_999_999 }), fc.integer({ min: 0, max: 999 }));
const thousands = (whole: number, sign: string) => String(whole).replace(/\B(?=(\d{3})+$)/g, sign);

describe('numbers', () => {
  test('are read as they were written, or refused: never as another number', () => {
    fc.assert(
      fc.property(
        fc.constantFrom<['comma' | 'point', string, string]>(
          ['comma', ',', '.'],
          ['comma', ',', '\u00a0'],
          ['comma', ',', ''],
          ['point', '.', ','],
          ['point', '.', '’'],
          ['point', '.', ''],
        ),
        fc.array(amount, { minLength: 1, maxLength: 6 }),
        fc.integer({ min: 0, max: 3 }),
        ([mark, decimal, group], amounts, decimals) => {
          const texts = amounts.map(([whole, part]) => {
            const digits = String(part).padStart(3, '0').slice(0, decimals);
            return thousands(whole, group) + (digits === '' ? '' : decimal + digits);
          });
          const values = amounts.map(([whole, part]) =>
            Number(`${whole}.${String(part).padStart(3, '0').slice(0, decimals)}`),
          );
          const style = styleOf(texts);
          const read = texts.map((text) => readNumber(text, style));
          for (const [index, each] of read.entries()) {
            if ('value' in each) expect(Number(each.value), texts[index]).toBe(values[index]);
            else expect(each.reason).toContain(' may be ');
            const asked = readNumber(texts[index] ?? '', style, mark);
            expect('value' in asked && Number(asked.value)).toBe(values[index]);
          }
          if (style.mark !== undefined) expect(style.mark).toBe(mark);
        },
      ),
      { numRuns: 5_000 },
    );
  });

  test.each([
    ['1,250', undefined, '"1,250" may be 1.25 or 1250'],
    ['1.250', undefined, '"1.250" may be 1250 or 1.25'],
    ['1,250', 'comma', '1.25'],
    ['1,250', 'point', '1250'],
    ['0,125', undefined, '0.125'],
    ['1234,567', undefined, '1234.567'],
    ['1.234.567', undefined, '1234567'],
    ['1.234,50', undefined, '1234.5'],
    ["1'234.50", undefined, '1234.5'],
    [',5', undefined, '0.5'],
    ['-0,00', undefined, '0'],
    ['-3', undefined, '-3'],
    ['+3', undefined, '3'],
    ['007', undefined, '7'],
    ['12.50', 'comma', 'is not a number with a decimal comma'],
    ['1.23.456', undefined, 'is not a number'],
    ['1,2,3', undefined, 'is not a number'],
    ['€ 5', undefined, 'is not a number'],
    ['1e3', undefined, 'is not a number'],
    ['12-', undefined, 'is not a number'],
    ['', undefined, 'is not a number'],
    ['٣', undefined, 'is not a number'],
  ] as const)('%j with a decimal %s: %s', (text, asked, expected) => {
    const read = readNumber(text, { mark: undefined }, asked);
    expect('value' in read ? read.value : read.reason).toContain(expected);
  });

  test('that may be two are read as their column is written, but not where that is mixed', () => {
    expect(styleOf(['1.250', '3,5'])).toMatchObject({ mark: 'comma' });
    expect(readNumber('1.250', { mark: 'comma' })).toMatchObject({ value: '1250' });
    expect(styleOf(['1,250', '3.5', '3,5'])).toMatchObject({ mark: 'mixed' });
    expect(readNumber('1,250', { mark: 'mixed' })).toHaveProperty('reason');
    expect(readNumber('3,5', { mark: 'mixed' })).toMatchObject({ value: '3.5' });
  });
});

describe('encodings', () => {
  // Signs that Windows-1252 has, those of 0x80 to 0x9f as well.
  const text = 'name;precio\nCafé crème – “doppio” 3 €;Ñandú œuf Š\u0178\n';

  test.each(Object.entries(encodings))('%s is recognized', (_, { bytes, said }) => {
    expect(decode(bytes(text))).toEqual({ text, encoding: said });
  });

  test('of any text are recognized, or refused', () => {
    // Two signs in a row that together are a letter of UTF-8, as Ñœ, cannot be distinguished from it.
    const letters = fc.string({
      unit: fc.constantFrom(...['a', 'é ', 'Ñ.', '€;', 'œu', 'ßa', ',', '"', '\n', '1']),
      minLength: 1,
      maxLength: 40,
    });
    fc.assert(
      fc.property(letters, fc.constantFrom(...Object.values(encodings)), (some, { bytes, said }) => {
        const read = (() => {
          try {
            return decode(bytes(some));
          } catch (error) {
            return error as Error;
          }
        })();
        if (read instanceof Error) return expect(read.message).toContain('--encoding');
        // Of ASCII alone both say the same.
        expect(read.text).toBe(some);
        if (/[^\p{ASCII}]/u.test(some)) expect(read.encoding).toBe(said);
      }),
      { numRuns: 2_000 },
    );
  });

  test.each([
    ['UTF-16 without a mark', written(text, 'utf-16le'), undefined, 'zero bytes'],
    [
      'UTF-8 and a stray byte',
      Buffer.concat([Buffer.from('é\n'), Buffer.from([0xe9])]),
      undefined,
      'line 2 is not UTF-8',
    ],
    ['a byte that Windows-1252 has not', Buffer.from([0x61, 0x0a, 0x81]), undefined, 'line 2 is neither'],
    ['half a character of UTF-16', Buffer.from([0xff, 0xfe, 0x61]), undefined, 'not UTF-16LE'],
    ['Latin letters', Buffer.from([0xe9]), 'utf-8', 'not UTF-8'],
    ['anything', Buffer.from('a'), 'ebcdic', '--encoding ebcdic is not known'],
  ])('%s', (_, bytes, asked, message) => {
    expect(() => decode(bytes, asked)).toThrow(message);
  });

  test('that are asked for are taken', () => {
    expect(decode(Buffer.from([0xa4]), 'iso-8859-15')).toEqual({ text: '€', encoding: 'iso-8859-15' });
    expect(decode(written(text, 'utf-16le'), 'utf-16le').text).toBe(text);
  });
});
