import fc from 'fast-check';
import { resolve, type Schema } from './documents.ts';

/** A reference to something that exists, chosen when the request is sent. */
export class Existing {
  readonly field: string;
  readonly choice: number;

  constructor(field: string, choice: number) {
    this.field = field;
    this.choice = choice;
  }
}

/** Values as the schema has them. `field` is the name of their field, so that references lead to existing rows. */
export function valid(document: Schema, part: unknown, field = '', depth = 0): fc.Arbitrary<unknown> {
  const schema = resolve(document, part);
  if (Array.isArray(schema.enum)) return fc.constantFrom(...schema.enum);
  if ('const' in schema) return fc.constant(schema.const);
  const options = [schema.anyOf, schema.oneOf].find(Array.isArray);
  if (options !== undefined)
    return fc.oneof(...options.map((option) => valid(document, option, field, depth)));
  if (Array.isArray(schema.allOf)) return valid(document, Object.assign({}, ...schema.allOf), field, depth);
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
  if (type === 'object' || schema.properties !== undefined) return object(document, schema, depth);
  if (type === 'array') {
    const entry = valid(document, schema.items, field.replace(/s$/, ''), depth + 1);
    const least = Number(schema.minItems ?? 0);
    return fc.array(entry, { minLength: least, maxLength: Math.max(least, 4) });
  }
  if (type === 'integer') return fc.integer(range(schema, 2 ** 31 - 1));
  if (type === 'number')
    return fc.integer({ min: 0, max: Math.min(Number(schema.maximum ?? 1e6), 1e6) }).map((n) => n / 100);
  if (type === 'boolean') return fc.boolean();
  if (type === 'null') return fc.constant(null);
  return text(schema, field);
}

function object(document: Schema, schema: Schema, depth: number): fc.Arbitrary<unknown> {
  const fields = Object.entries((schema.properties ?? {}) as Record<string, Schema>);
  const required = new Set((schema.required ?? []) as string[]);
  if (depth > 6) return fc.constant({});
  const model = Object.fromEntries(
    fields.map(([name, member]) => [name, valid(document, member, name, depth + 1)]),
  );
  return fc.record(model, {
    requiredKeys: fields.map(([name]) => name).filter((name) => required.has(name)),
  });
}

function text(schema: Schema, field: string): fc.Arbitrary<unknown> {
  const example = fc.constantFrom(
    ...[schema.example, schema.default, 'a'].filter((one) => one !== undefined),
  );
  const existing = fc.nat().map((choice) => new Existing(field, choice));
  if (field === 'external_id')
    return fc.oneof({ weight: 3, arbitrary: fc.uuid() }, { weight: 1, arbitrary: existing });
  if (field.endsWith('url')) return example;
  if (field === 'id' || field === 'sku' || /_ids?$/.test(field)) {
    return fc.oneof({ weight: 5, arbitrary: existing }, { weight: 1, arbitrary: example }, fc.uuid());
  }
  if (schema.format === 'date') return day;
  if (schema.format === 'date-time')
    return fc.oneof(
      day.map((date) => `${date}T00:00:00Z`),
      day.map((date) => `${date}T23:59:59.999+14:00`),
    );
  const most = Math.min(Number(schema.maxLength ?? 30), 40);
  return fc.oneof(
    example,
    fc.string({ unit: 'grapheme', minLength: Number(schema.minLength ?? 0), maxLength: most }),
  );
}

// Near enough to today that something is found there.
const day = fc.oneof(
  fc
    .integer({ min: -2, max: 2 })
    .map((days) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)),
  fc.constantFrom('2024-02-29', '2026-12-31', '1970-01-01', '9999-12-31', '0001-01-01'),
);

function range(schema: Schema, most: number): { min: number; max: number } {
  const min = Math.max(Number(schema.minimum ?? -10), -(2 ** 31));
  return { min, max: Math.max(min, Math.min(Number(schema.maximum ?? 1_000), most)) };
}
