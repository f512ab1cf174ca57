import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { fieldPath, fromZod } from '../../packages/api/src/errors.ts';
import { AuditList } from '../../packages/api/src/resources/audit/schema.ts';
import { KeyCreateAt } from '../../packages/api/src/resources/keys/schema.ts';
import { operations } from '../support/documented.ts';

/** Words of a schema library, and of the programs behind it; a caller has never heard of them. */
const foreign =
  /invalid (input|option|type)|expected|received|undefined|\bNaN\b|zod|union|regex|pattern|too (small|big)|\[object|[\\^]|=>|<=|>=/i;

const inputs: [string, z.ZodObject][] = [
  ...operations.map(({ name, input }): [string, z.ZodObject] => [name, input]),
  ['comanda keys create', KeyCreateAt],
  ['comanda audit', AuditList],
];

it.each(inputs.filter(([, input]) => Object.keys(input.shape).length > 0))(
  'what is wrong with an input is reported without a word of zod: %s',
  (_name, input) => {
    let refused = 0;
    for (const [path, value] of faulty(input)) {
      const read = input.safeParse(withValue(path, value));
      if (read.success) continue;
      const { message, fields } = fromZod(read.error);
      // Without the names of fields, of which one is `expected`.
      const sentences = fields.map((field) => field.message).join('; ');
      expect(sentences, `${fieldPath(path)} = ${JSON.stringify(value)}`).not.toMatch(foreign);
      const paths = fields.map((field) => field.path);
      expect(paths).toHaveLength(new Set(paths).size);
      for (const field of fields) expect(field.message, message).not.toMatch(/; |\. /);
      refused += 1;
    }
    expect(refused).toBeGreaterThan(0);
  },
);

const shop = z.object({
  name: z.string(),
  count: z.int(),
  price: z.number(),
  open: z.boolean(),
  day: z.iso.date(),
  status: z.enum(['pending', 'ready', 'closed']),
  several: z.union([z.enum(['pending', 'ready']), z.array(z.enum(['pending', 'ready']))]),
  items: z.array(z.object({ id: z.string().min(2).max(3) })).min(1),
});
const right = {
  name: '',
  count: 1,
  price: 1.5,
  open: true,
  day: '2026-01-31',
  status: 'ready',
  several: 'ready',
  items: [{ id: 'ab' }],
};

describe('the sentence on', () => {
  it.each([
    ['a field that is missing', { name: undefined }, 'name: is required'],
    ['a choice that is missing', { status: undefined }, 'status: is required'],
    ['null for text', { name: null }, 'name: must be text, not null'],
    ['a number for text', { name: 5 }, 'name: must be text'],
    ['text for a number', { price: '5' }, 'price: must be a number'],
    ['half of a whole number', { count: 1.5 }, 'count: must be a whole number'],
    ['a whole number that is too large to be exact', { count: 1e300 }, 'count: must be a whole number'],
    ['text for a switch', { open: 'yes' }, 'open: must be true or false'],
    ['a day that is none', { day: '31/01/2026' }, 'day: must be a date, YYYY-MM-DD'],
    ['a misspelled choice', { status: 'redy' }, 'status: is unknown: did you mean ready?'],
    ['a choice far from all', { status: 'cooking' }, 'status: must be one of pending, ready, closed'],
    ['null for a choice', { status: null }, 'status: must be one of pending, ready, closed, not null'],
    ['one of several choices', { several: ['ready', 'rady'] }, 'several[1]: is unknown: did you mean ready?'],
    ['a list of one choice', { several: 'cooking' }, 'several: must be one of pending, ready'],
    ['an object for a list', { items: {} }, 'items: must be a list'],
    ['an empty list', { items: [] }, 'items: must hold at least 1 entry'],
    ['text for an object', { items: ['x'] }, 'items[0]: must be an object'],
    ['short text', { items: [{ id: 'a' }] }, 'items[0].id: must have at least 2 characters'],
    ['long text', { items: [{ id: 'abcd' }] }, 'items[0].id: must have at most 3 characters'],
  ])('%s', (_what, wrong, message) => {
    const read = shop.safeParse({ ...right, ...wrong });
    expect(read.success ? 'accepted' : fromZod(read.error).message).toBe(message);
  });

  it('an input that is no object', () => {
    const read = shop.safeParse([]);
    expect(read.success ? 'accepted' : fromZod(read.error).message).toBe('The input must be an object.');
  });
});

/** Values that hardly anything accepts, at every place of a schema. */
function* faulty(schema: unknown, path: readonly PropertyKey[] = []): Generator<[PropertyKey[], unknown]> {
  const inner = insideOf(schema);
  for (const value of wrong) yield [[...path], value];
  if (inner instanceof z.ZodEnum) yield [[...path], `${String(inner.options[0]).slice(0, -1)}x`];
  if (inner instanceof z.ZodObject)
    for (const [name, field] of Object.entries(inner.shape)) yield* faulty(field, [...path, name]);
  if (inner instanceof z.ZodArray) yield* faulty(inner.element, [...path, 0]);
  if (inner instanceof z.ZodUnion) for (const option of inner.options) yield* faulty(option, path);
}

const wrong = [
  undefined,
  null,
  true,
  5,
  -1,
  0.0001,
  1e300,
  Number.POSITIVE_INFINITY,
  Number.NaN,
  '',
  'x',
  'x'.repeat(3_000),
  '\u0000',
  [],
  [[]],
  {},
  { x: 1 },
];

function insideOf(schema: unknown): unknown {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault)
    return insideOf(schema.unwrap());
  return schema instanceof z.ZodPipe ? insideOf(schema.in) : schema;
}

function withValue([part, ...rest]: readonly PropertyKey[], value: unknown): unknown {
  if (part === undefined) return value;
  return part === 0 ? [withValue(rest, value)] : { [part]: withValue(rest, value) };
}
