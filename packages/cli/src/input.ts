import { fromZod } from '@comanda/api/src/errors.ts';
import type { z } from 'zod';

/** The result of parsing options by a schema. Throws ApiError for what it refuses. */
export function parse<Schema extends z.ZodType>(schema: Schema, input: unknown): z.output<Schema> {
  const result = schema.safeParse(input);
  if (!result.success) throw fromZod(result.error);
  return result.data;
}

/** The number of an option; NaN, which schemas refuse, for a text that is none. */
export const number = (text: string | undefined) =>
  text === undefined ? undefined : text.trim() === '' ? Number.NaN : Number(text);

/** The parts of a comma-separated option. */
export const listOf = (text: string | undefined): string[] | undefined =>
  text?.split(',').map((part) => part.trim());
