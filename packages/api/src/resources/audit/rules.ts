import { calledAfter } from '../keys/schema.ts';
import type { AuditEntry } from './schema.ts';

/** The record of an entry's author, as it is stored. `login` is of a session of the database. */
export interface Maker {
  actor_kind: AuditEntry['actor'];
  key_name: string | null;
  role: string | null;
  application: string | null;
  /** `own`: of one person alone; `shared`: one that several use, or that may take the name of any; `service`: ours. */
  login: 'own' | 'shared' | 'service' | null;
}

const undo = 'audit undo';

/** The name of a session while it undoes something for a person or a key. */
export const undoneBy = (name: string | undefined): string =>
  name === undefined ? undo : `${undo} by ${name}`;

/**
 * The author of a change. Known is the owner of a key or of an own login; the name that a session takes over a shared
 * login, and the name that was given at the command line, are only stated.
 */
export function personOf({
  actor_kind,
  key_name,
  role,
  application,
  login,
}: Maker): Pick<AuditEntry, 'by' | 'by_known'> {
  if (actor_kind === 'api_key') return named(key_name, true);
  if (login === 'own') return named(role, true);
  if (application === undo) return {};
  const undoing = application?.startsWith(undoneBy('')) ? application.slice(undoneBy('').length) : null;
  // At the desk the service says it, of the key that asked for the undo.
  return undoing === null ? named(application, false) : named(undoing, login === 'service');
}

const named = (name: string | null, by_known: boolean): Pick<AuditEntry, 'by' | 'by_known'> =>
  name === null || name === '' ? {} : { by: calledAfter(name), by_known };

// A change that a key may repeat must be within what keys may do: the reach of a key is a person's to give
// back.
const notByKey = ['api_keys'];

/** Whether a key may undo what is done in the table. */
export const isUndoneByKey = (table: string | null | undefined): boolean =>
  table == null || !notByKey.includes(table);

/** Whether an undo by a key has a chance, as far as the entry shows. A later change is found by the undo itself. */
export const mayBeUndone = ({ actor, table, cannot_undo }: AuditEntry): boolean =>
  actor === 'database' && table !== undefined && cannot_undo === undefined && isUndoneByKey(table);
