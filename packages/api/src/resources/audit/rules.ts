import type { AuditEntry } from './schema.ts';

// What a key may do again must be within what keys may do: the reach of a key is a person's to give back.
const notByKey = ['api_keys'];

/** Whether a key may undo what is done in the table. */
export const isUndoneByKey = (table: string | null | undefined): boolean =>
  table == null || !notByKey.includes(table);

/**
 * Whether an undo by a key has a chance: it was done by hand, without a deed, its rows are kept with their values, and it
 * is no part of a deletion. A later change is found by the undo itself.
 */
export function mayBeUndone({
  actor,
  operation,
  table,
  rows = [],
  row_count,
  deed,
  caused_by,
}: AuditEntry): boolean {
  return (
    actor === 'database' &&
    table !== undefined &&
    isUndoneByKey(table) &&
    (table !== 'locations' || operation === 'update') &&
    deed === undefined &&
    caused_by === undefined &&
    rows.length === row_count &&
    rows.every(({ left_out }) => left_out === undefined)
  );
}
