import { means, serviceOnly, tables } from '@comanda/db';
import pg from 'pg';

/** An error as Studio's page takes it. */
export interface Refusal {
  name: string;
  message: string;
}

/** A check constraint, and its condition. */
export interface Check {
  name: string;
  condition: string;
}

/** Reads the check constraints. */
export const readChecks = `
  select conname as name, regexp_replace(pg_get_constraintdef(oid, true), '^CHECK ', '') as condition from pg_constraint
  where contype = 'c' and connamespace = 'public'::regnamespace`;

/** The sentence that an admin reads when a statement fails: the database's own, and what to do where it does not say. */
export function refusalOf(
  error: unknown,
  { readOnly, checks }: { readOnly: boolean; checks: readonly Check[] },
): Refusal {
  if (!(error instanceof pg.DatabaseError))
    return { name: 'Error', message: `the database does not answer: ${reason(error)}` };
  return { name: error.code ?? 'Error', message: `${error.message}${more(error, readOnly, checks)}` };
}

function more(
  { code = '', message, detail, constraint }: pg.DatabaseError,
  readOnly: boolean,
  checks: readonly Check[],
): string {
  if (readOnly && means(code, 'readOnly', 'notGranted'))
    return '. This Studio only reads: start one that edits by npm run studio -- --as <your name>';
  // PostgreSQL looks for privileges before any trigger, so the guard of this table had no say.
  const denied = means(code, 'notGranted') && /^permission denied for table (\w+)$/.exec(message)?.[1];
  if (denied) {
    const table = tables.find(({ name }) => name === denied);
    const sentence = table === undefined ? undefined : serviceOnly(table);
    return `: ${sentence ?? 'of this table only some columns are for people (docs/admin.md)'}`;
  }
  const check = checks.find(({ name }) => name === constraint);
  if (check !== undefined) return `: ${check.condition}`;
  return means(code, 'constraint') && detail !== undefined ? `. ${detail}` : '';
}

const reason = (error: unknown): string =>
  error instanceof Error ? error.message || String((error as NodeJS.ErrnoException).code) : String(error);
