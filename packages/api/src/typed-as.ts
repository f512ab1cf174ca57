import type { z } from 'zod';

const types = new WeakMap<object, z.ZodType>();

/**
 * A schema that checks and documents what it did, and whose values the typed client knows more closely: as those of `type`. For what a
 * caller could only send to be refused, and for texts that a later release may add to. The schema must be one of its own.
 */
export function typedAs<Type extends z.ZodType>(
  schema: z.ZodType,
  type: Type,
): z.ZodType<z.output<Type>, z.input<Type>> {
  types.set(schema, type);
  return schema as z.ZodType<z.output<Type>, z.input<Type>>;
}

/** How the typed client knows the values of a schema, where that is more closely than the schema does. */
export const typeOf = (schema: object): z.ZodType | undefined => types.get(schema);
