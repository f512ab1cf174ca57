import { z } from 'zod';

/**
 * Parses a value with a documented schema made strict at every level: a field that is not documented fails the
 * test as surely as one that is missing.
 */
export function parseStrict<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  return strict(schema).parse(value) as z.output<Schema>;
}

const known = new WeakMap<z.ZodType, z.ZodType>();

function strict(schema: z.ZodType): z.ZodType {
  const found = known.get(schema);
  if (found !== undefined) return found;
  const made = make(schema);
  known.set(schema, made);
  return made;
}

function make(schema: z.ZodType): z.ZodType {
  if (schema instanceof z.ZodObject) {
    const shape = Object.entries(schema.shape).map(
      ([name, member]) => [name, strict(member as z.ZodType)] as const,
    );
    return z.strictObject(Object.fromEntries(shape));
  }
  if (schema instanceof z.ZodArray) return z.array(strict(schema.element as z.ZodType));
  if (schema instanceof z.ZodOptional) return strict(schema.unwrap() as z.ZodType).optional();
  if (schema instanceof z.ZodNullable) return strict(schema.unwrap() as z.ZodType).nullable();
  if (schema instanceof z.ZodUnion) {
    return z.union(schema.options.map((option) => strict(option as z.ZodType)) as [z.ZodType, z.ZodType]);
  }
  return schema;
}
