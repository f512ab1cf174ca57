import { describe, expect, expectTypeOf, it, test } from 'vitest';
import { z } from 'zod';
import { onlyIn, ownField, prunedText, prunerOf, schemaIn } from '../../packages/api/src/families.ts';
import { words } from '../support/words.ts';

const Part = z
  .object({ id: z.string(), ...onlyIn('v2', { barcode: z.string().optional() }) })
  .meta({ id: 'TestedPart', description: 'A part.' });

const Cash = z.object({ kind: z.literal('cash'), ...onlyIn('v1', { drawer: z.string() }) });
const Card = z.object({
  kind: z.literal('card'),
  drawer: z.string(),
  ...onlyIn('v2', { brand: z.string() }),
});

const Whole = z.object({
  id: z.string(),
  part: Part,
  parts: z.array(Part),
  maybe: Part.nullable().optional(),
  byName: z.record(z.string(), Part),
  either: z.union([Card, Cash]),
  tagged: z.discriminatedUnion('kind', [Cash, Card]),
  same: z.object({ barcode: z.string() }),
  ...onlyIn('v1', { legacy: z.number(), legacyParts: z.array(Part) }),
});

const part = { id: 'a', barcode: '7790' };
const whole = {
  id: 'w',
  part,
  parts: [part, part],
  maybe: part,
  byName: { one: part },
  either: { kind: 'cash', drawer: 'left' },
  tagged: { kind: 'card', drawer: 'kept', brand: 'visa' },
  same: { barcode: 'kept' },
  legacy: 1,
  legacyParts: [part],
};

describe('an answer shows a field of the other family', () => {
  test('in an object, a list, a record, a union or what may be null', () => {
    const bare = { id: 'a' };
    expect(prunerOf(schemaIn(Whole, 'v1'))?.(whole)).toEqual({
      ...whole,
      part: bare,
      parts: [bare, bare],
      maybe: bare,
      byName: { one: bare },
      legacyParts: [bare],
      tagged: { kind: 'card', drawer: 'kept' },
    });
    const { legacy: _, legacyParts: __, ...young } = whole;
    expect(prunerOf(schemaIn(Whole, 'v2'))?.(whole)).toEqual({ ...young, either: { kind: 'cash' } });
  });

  it.each(['optional', 'nullable', 'readonly', 'nonoptional'] as const)(
    'on which %s is called later',
    (verb) => {
      const { barcode } = onlyIn('v2', { barcode: z.string() });
      const said = z.object({ barcode: barcode.meta({ description: 'said' })[verb]() });
      expect(prunerOf(schemaIn(said, 'v1'))?.({ barcode: 'x' })).toEqual({});
      expect(schemaIn(said, 'v2')).toBe(said);
    },
  );

  test('where the value is of no option of a union, or of another shape', () => {
    const prune = prunerOf(schemaIn(Whole, 'v1'));
    expect(prune?.({ ...whole, tagged: { kind: 'gift', brand: 'x' } })).toMatchObject({
      tagged: { kind: 'gift' },
    });
    expect(prune?.({ ...whole, tagged: { kind: 'gift', brand: 'x' } })).not.toHaveProperty('tagged.brand');
    for (const odd of [null, 'text', [whole], { parts: 'none' }]) expect(prune?.(odd)).toEqual(odd);
  });
});

test('what a service answered is changed under its hands', () => {
  const given = structuredClone(whole);
  prunerOf(schemaIn(Whole, 'v1'))?.(given);
  expect(given).toEqual(whole);
});

test('an operation without such a field pays for those that have one', () => {
  const plain = z.object({ parts: z.array(z.object({ id: z.string() })) });
  expect(schemaIn(plain, 'v1')).toBe(plain);
  expect(prunerOf(schemaIn(plain, 'v1'))).toBeUndefined();
  const text = '{"parts": [ {"id" : "1"} ], "more": 12.50}';
  expect(prunedText(schemaIn(plain, 'v1'), text)).toBe(text);
});

test('a family that is asked for twice has two schemas of one name', () => {
  expect(schemaIn(Part, 'v1')).toBe(schemaIn(Part, 'v1'));
  expect(schemaIn(Part, 'v1').meta()).toEqual(Part.meta());
  expect(schemaIn(Whole, 'v1').shape.part).toBe(schemaIn(Part, 'v1'));
});

test('a schema of a family loses the checks of the whole', () => {
  const range = z
    .object({ from: z.int(), to: z.int(), ...onlyIn('v2', { step: z.int().optional() }) })
    .refine(({ from, to }) => from <= to, { error: 'must not be after to' });
  expect(schemaIn(range, 'v1').safeParse({ from: 2, to: 1 }).success).toBe(false);
  expect(schemaIn(range, 'v1').parse({ from: 1, to: 2, step: 1 })).toEqual({ from: 1, to: 2 });
});

test('the types show a field of v1', () => {
  expectTypeOf<z.infer<typeof Part>>().toEqualTypeOf<{ id: string; barcode?: string | undefined }>();
  expectTypeOf<keyof z.infer<typeof Whole>>().not.toEqualTypeOf<keyof z.infer<typeof Whole> | 'legacy'>();
  expectTypeOf<z.infer<typeof Cash>>().toEqualTypeOf<{ kind: 'cash' }>();
});

test('a number changes on its way through a pruned answer', () => {
  const schema = schemaIn(z.object({ list: z.array(z.number()), ...onlyIn('v2', { gone: z.int() }) }), 'v1');
  const money = words('0 0.01 0.1 1.1 9999999999.99 9999999999.98 1234567890.12 4503599627.37');
  const quantities = ['0.001', '2.675', '9999999.999', '9999999999.999', '0.999'];
  // Every amount and quantity in steps that meet all last digits.
  const steps = Array.from({ length: 20_000 }, (_, step) => step);
  const amounts = steps.map((step) => trimmed((499_999_999_99n * BigInt(step)) / 1_000n, 2));
  const parts = steps.map((step) => trimmed((499_999_999_999n * BigInt(step)) / 1_000n, 3));
  const list = [...money, ...quantities, ...amounts, ...parts, '9007199254740991'];
  expect(prunedText(schema, `{"list":[${list.join(', ')}],"gone":1}`)).toBe(`{"list":[${list.join(',')}]}`);
});

/** Hundredths or thousandths as `trim_scale` writes them. */
function trimmed(value: bigint, places: number): string {
  const digits = String(value).padStart(places + 1, '0');
  return `${digits.slice(0, -places)}.${digits.slice(-places)}`.replace(/\.?0+$/, '');
}

test('a text changes on its way through a pruned answer', () => {
  const schema = schemaIn(z.object({ text: z.string(), ...onlyIn('v2', { gone: z.int() }) }), 'v1');
  for (const text of ['', '€ 😀 \u2028', '"\\/\b\f\n\r\t', '\u0001 __proto__', '\ud800'])
    expect(JSON.parse(prunedText(schema, JSON.stringify({ text, gone: 1 })))).toEqual({ text });
  const own = '{"text":"a","__proto__":{"b":1},"gone":1}';
  expect(prunedText(schema, own)).toBe('{"text":"a","__proto__":{"b":1}}');
  expect(prunedText(schema, prunedText(schema, own))).toBe(prunedText(schema, own));
});

test('an unknown kind of schema passes unseen', () => {
  expect(() => schemaIn(z.object({ one: z.map(z.string(), Part) }), 'v1')).toThrow('families.ts has no row');
});

test('one field of a table of fields', () => {
  const Row = z.object({ barcode: ownField('v2', z.string().optional()) }).partial();
  expect(Object.keys(schemaIn(Row, 'v1').shape)).toEqual([]);
});
