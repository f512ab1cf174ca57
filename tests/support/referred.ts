import { z } from 'zod';
import { referenceOf } from '../../packages/api/src/references.ts';
import { operations } from './documented.ts';

/** The table that a field of this name refers to, wherever an input declares one (`refersTo`). */
export const tableReferredBy: ReadonlyMap<string, string> = new Map(
  operations.flatMap(({ input }) => fieldsIn(input)),
);

/** The resource of a table, as the router names it: `paymentMethods` of `payment_methods`. */
export const resourceOfTable = (table: string): string =>
  table.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());

function fieldsIn(schema: unknown): [string, string][] {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault)
    return fieldsIn(schema.unwrap());
  if (schema instanceof z.ZodArray) return fieldsIn(schema.element);
  if (!(schema instanceof z.ZodObject)) return [];
  return Object.entries(schema.shape as Record<string, z.ZodType>).flatMap(([name, member]) => {
    const table = referenceOf(member);
    return table === undefined ? fieldsIn(member) : [[name, table] as [string, string]];
  });
}
