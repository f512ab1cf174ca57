import fc from 'fast-check';
import { decimalsKey } from '../../packages/api/src/schema-words.ts';
import { resolve, type Schema } from './documents.ts';
import { keepsConditions } from './validity.ts';
import { Existing } from './values.ts';

/**
 * Values that keep every rule of a schema of a document, as far as each value shows it; rules between fields are kept by trying
 * again (`fits`). `field` is the name of their field, so that references lead to existing rows.
 */
export function fitting(document: Schema, part: unknown, field = '', depth = 0): fc.Arbitrary<unknown> {
  const schema = resolve(document, part);
  if (Array.isArray(schema.enum)) return fc.constantFrom(...schema.enum);
  const options = [schema.anyOf, schema.oneOf].find(Array.isArray);
  if (options !== undefined)
    return fc.oneof(...options.map((option) => fitting(document, option, field, depth)));
  if (schema.type === 'object') return object(document, schema, depth);
  if (schema.type === 'array') return array(document, schema, field, depth);
  if (schema.type === 'integer' || schema.type === 'number') return number(schema);
  if (schema.type === 'boolean') return fc.boolean();
  if (schema.type === 'null') return fc.constant(null);
  if (schema.type === 'string') return text(schema, field);
  throw new Error(`tests/fuzz/fitting.ts makes nothing of ${JSON.stringify(schema)}`);
}

function object(document: Schema, schema: Schema, depth: number): fc.Arbitrary<unknown> {
  const fields = Object.entries((schema.properties ?? {}) as Record<string, Schema>);
  const required = new Set((schema.required ?? []) as string[]);
  const model = Object.fromEntries(
    fields.map(([name, member]) => [name, fitting(document, member, name, depth + 1)]),
  );
  const requiredKeys = fields.map(([name]) => name).filter((name) => required.has(name));
  return fc
    .oneof(fc.record(model, { requiredKeys }), fc.record(model))
    .filter((value) => keepsConditions(schema, value));
}

function array(document: Schema, schema: Schema, field: string, depth: number): fc.Arbitrary<unknown> {
  const entry = fitting(document, schema.items, field.replace(/s$/, ''), depth + 1);
  const minLength = Number(schema.minItems ?? 0);
  const maxLength = Math.max(minLength, Math.min(Number(schema.maxItems ?? 3), 3));
  return schema.uniqueItems === true
    ? fc.uniqueArray(entry, { minLength, maxLength })
    : fc.array(entry, { minLength, maxLength });
}

/** Often the bounds themselves, and otherwise what a restaurant has. */
function number(schema: Schema): fc.Arbitrary<number> {
  const decimals = schema.type === 'integer' ? 0 : Number(schema[decimalsKey] ?? 2);
  const unit = 10 ** decimals;
  const above = schema.exclusiveMinimum === undefined ? 0 : 1 / unit;
  const min = Number(schema.minimum ?? schema.exclusiveMinimum ?? (decimals === 0 ? 0 : -1_000)) + above;
  const max = Number(schema.maximum ?? 1_000_000);
  const bounds = [schema.minimum, schema.maximum].filter((bound) => typeof bound === 'number');
  const usual = fc
    .integer({ min: Math.round(Math.max(min, -20) * unit), max: Math.round(Math.min(max, 20) * unit) })
    .map((count) => count / unit);
  return bounds.length === 0
    ? usual
    : fc
        .oneof({ weight: 9, arbitrary: usual }, { weight: 1, arbitrary: fc.constantFrom(...bounds) })
        .filter((value) => schema.if === undefined || value !== 0);
}

function text(schema: Schema, field: string): fc.Arbitrary<unknown> {
  if (schema.format === 'date') return fc.constantFrom(...days);
  if (schema.format === 'date-time')
    return fc.constantFrom(...days.flatMap((day) => [`${day}T00:00:00Z`, `${day}T23:59:59.999+14:00`]));
  const pattern = new RegExp(typeof schema.pattern === 'string' ? schema.pattern : '', 'u');
  const fits = (value: unknown) => typeof value !== 'string' || pattern.test(value);
  const maxLength = Number(schema.maxLength ?? 60);
  const minLength = Number(schema.minLength ?? 0);
  const existing = fc.nat().map((choice) => new Existing(field, choice));
  const examples = [...((schema.examples ?? []) as string[]), ...addresses].filter(
    (value) => fits(value) && (field.endsWith('url') || !value.includes('://')) && value.length >= minLength,
  );
  if (field.endsWith('url')) return fc.constantFrom(...examples);
  if (field === 'id' || /_ids?$/.test(field))
    return fc.oneof({ weight: 6, arbitrary: existing }, { weight: 1, arbitrary: fc.uuid() });
  return fc.oneof(
    ...[{ weight: 1, arbitrary: existing }].filter(() => ['sku', 'external_id'].includes(field)),
    { weight: 3, arbitrary: word(minLength, Math.min(maxLength, 12), 'grapheme').filter(fits) },
    { weight: 1, arbitrary: word(minLength, Math.min(maxLength, 12), 'binary').filter(fits) },
    {
      weight: maxLength > 300 ? 0 : 1,
      arbitrary: fc.constantFrom('x', '😀').map((one) => one.repeat(maxLength)),
    },
  );
}

// U+0000 is the one character that no text may hold; the document says so in words.
const word = (minLength: number, maxLength: number, unit: 'grapheme' | 'binary') =>
  fc
    .string({ unit, minLength, maxLength })
    .map((value) => [...value.replaceAll('\0', '-')].slice(0, maxLength).join(''));

const addresses = [
  '',
  'http://127.0.0.1:9/hook?a=b',
  'HTTPS://images.example.com',
  'https://müller.example/ä b.jpg',
];

const days = ['2026-01-31', '2024-02-29', '2026-12-31', '2026-11-01', '0001-01-01'];
