import type { z } from 'zod';
import { strictly } from './documented.ts';

/**
 * Parses a value with a documented schema made strict at every level: a field that is not documented fails the
 * test as surely as one that is missing.
 */
export function parseStrict<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  return strictly(schema).parse(value) as z.output<Schema>;
}
