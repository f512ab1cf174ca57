import type { AuditEntry } from './schema.ts';

// What a key may do again must be within what keys may do: the reach of a key is a person's to give back.
const notByKey = ['api_keys'];

/** Whether a key may undo what is done in the table. */
export const isUndoneByKey = (table: string | null | undefined): boolean =>
  table == null || !notByKey.includes(table);

/** Whether an undo by a key has a chance, as far as the entry tells. A later change is found by the undo itself. */
export const mayBeUndone = ({ actor, table, cannot_undo }: AuditEntry): boolean =>
  actor === 'database' && table !== undefined && cannot_undo === undefined && isUndoneByKey(table);
