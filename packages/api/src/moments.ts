import { z } from 'zod';

const beginnings = z.registry<{ begins: true }>();

/** How far a moment from which on something is read may be ahead of our clock. */
export const mostAheadMs = 300_000;

/** The reference's sentence about every such moment, after its description. */
export const aheadSentence =
  'Up to five minutes ahead of our clock it is read as now, and `X-Read-As-Now` says so; further ahead it is refused.';

/**
 * Declares that a field is the moment from which on something is read: `readFrom(TimestampFilter)`. Entries from a
 * moment in the future on would skip all that happens until then; `call/input.ts` reads it as now, or refuses it.
 */
export function readFrom<Field extends z.ZodType>(field: Field): Field {
  const own = field.clone();
  beginnings.add(own, { begins: true });
  return own;
}

const known = new WeakMap<z.ZodObject, readonly string[]>();

/** The names of the fields of an input that are such moments. */
export function beginningsIn(input: z.ZodObject): readonly string[] {
  const names =
    known.get(input) ??
    Object.entries(input.shape as Record<string, z.core.$ZodType>).flatMap(([name, field]) =>
      isBeginning(field) ? [name] : [],
    );
  known.set(input, names);
  return names;
}

/** Whether a field is declared as such a moment, optional or not. */
export function isBeginning(field: z.core.$ZodType): boolean {
  if (beginnings.get(field)?.begins) return true;
  return field instanceof z.ZodOptional && isBeginning(field.unwrap());
}
