import { z } from 'zod';

const named = z.registry<{ table: string }>();

/**
 * Declares that a field names a row of a table by its id, at the location of the caller: `refersTo('suppliers', Id)`.
 * The foreign key enforces it. The refusal is derived: an unknown id is refused with the path of the field, in bodies
 * and batches.
 */
export function refersTo<Field extends z.ZodType>(table: string, field: Field): Field {
  const own = field.clone();
  named.add(own, { table });
  return own;
}

/** The table that a field refers to; undefined for one that is no reference. */
export function referenceOf(field: z.core.$ZodType): string | undefined {
  const own = named.get(field);
  return own?.table ?? (isWrapper(field) ? referenceOf(field.unwrap()) : undefined);
}

/** A reference in a value: the path of its field, and what it names. */
export interface Reference {
  path: string;
  table: string;
  id: string;
}

/** The message about a reference that names no row. */
export const namesNothing = (table: string): string => `names nothing in ${table}`;

/** Every reference in a value that the schema has read. */
export function referencesIn(schema: z.core.$ZodType, value: unknown): Reference[] {
  const found: Reference[] = [];
  readerOf(schema)?.(value, '', found);
  return found;
}

type Reader = (value: unknown, path: string, found: Reference[]) => void;

const readers = new WeakMap<z.core.$ZodType, { read: Reader | undefined }>();

/** A function that finds the references in a value; undefined for a schema without any, of which nothing is read. */
function readerOf(schema: z.core.$ZodType): Reader | undefined {
  const known = readers.get(schema) ?? { read: made(schema) };
  readers.set(schema, known);
  return known.read;
}

function made(schema: z.core.$ZodType): Reader | undefined {
  const table = named.get(schema)?.table;
  if (table !== undefined)
    return (value, path, found) => {
      if (typeof value === 'string') found.push({ path, table, id: value });
    };
  if (isWrapper(schema)) return readerOf(schema.unwrap());
  if (schema instanceof z.ZodArray) {
    const read = readerOf(schema.element);
    if (read === undefined) return undefined;
    return (value, path, found) => {
      if (Array.isArray(value))
        for (const [index, entry] of value.entries()) read(entry, `${path}[${index}]`, found);
    };
  }
  if (!(schema instanceof z.ZodObject)) return undefined;
  const members = Object.entries(schema.shape as Record<string, z.core.$ZodType>).flatMap(
    ([name, member]) => {
      const read = readerOf(member);
      return read === undefined ? [] : [[name, read] as const];
    },
  );
  if (members.length === 0) return undefined;
  return (value, path, found) => {
    if (typeof value !== 'object' || value === null) return;
    for (const [name, read] of members)
      read((value as Record<string, unknown>)[name], path === '' ? name : `${path}.${name}`, found);
  };
}

const isWrapper = (schema: z.core.$ZodType): schema is z.ZodOptional | z.ZodNullable | z.ZodDefault =>
  schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault;
