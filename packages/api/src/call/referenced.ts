import { isId, isState, sqlState, statement } from '@comanda/db';
import type { z } from 'zod';
import { conflict } from '../errors.ts';
import { referencesIn } from '../references.ts';
import { refusedReferences, unknownReferences } from '../unknown-references.ts';
import type { CallContext } from './context.ts';

/** Refuses an input with a reference that is no id, and so names nothing. Throws `validation_error`. */
export function refuseUnfitReferences(schema: z.ZodObject, input: unknown): void {
  const unfit = referencesIn(schema, input).filter(({ id }) => !isId(id));
  if (unfit.length > 0) throw refusedReferences(unfit);
}

/**
 * The error of a work that a foreign key refused: the fields of the input that name no row, or the table that still
 * refers to the row to delete. Any other error is answered as it is.
 */
export async function explainReferenced(
  { app, caller }: CallContext,
  schema: z.ZodObject,
  input: unknown,
  error: unknown,
): Promise<unknown> {
  if (!isState(error, 'referenced')) return error;
  const { database } = app;
  const unknown = await unknownReferences(database, caller.locationId, referencesIn(schema, input));
  if (unknown.length > 0) return refusedReferences(unknown);
  const [referrer] = await database.run(findReferrer, [sqlState(error)?.constraint ?? '']);
  if (referrer === undefined) return error;
  const { table, columns } = referrer;
  return conflict(
    'still_referenced',
    `${table} still refer to it (${columns}): change or delete these first.`,
  );
}

/** $1 name of a foreign key. */
const findReferrer = statement<{ table: string; columns: string }>(
  'find_referrer',
  `select r.relname as table, (
     select string_agg(a.attname, ', ' order by k.place) from unnest(c.conkey) with ordinality as k (number, place)
     join pg_attribute a on a.attrelid = c.conrelid and a.attnum = k.number where a.attname <> 'location_id') as columns
   from pg_constraint c join pg_class r on r.oid = c.conrelid
   where c.conname = $1 and c.contype = 'f' and c.connamespace = 'public'::regnamespace limit 1`,
);
