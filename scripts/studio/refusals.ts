import { means } from '@comanda/db';
import pg from 'pg';

/** An error as Studio's page takes it. */
export interface Refusal {
  name: string;
  message: string;
}

/** What is said of a name: by a guard of a table that only the service writes, or as the rule of a constraint. */
export interface Told {
  name: string;
  sentence: string;
}

/** Reads all that `refusalOf` may say. */
export const readTold = `
  select relation as name, sentence from guarded() where rule = 'service'
  union all
  select conname, regexp_replace(pg_get_constraintdef(oid, true), '^CHECK ', '') from pg_constraint
  where contype = 'c' and connamespace = 'public'::regnamespace`;

/** The sentence that an admin reads when a statement fails: the database's own, and what to do where it does not say. */
export function refusalOf(
  error: unknown,
  { readOnly, told }: { readOnly: boolean; told: readonly Told[] },
): Refusal {
  if (!(error instanceof pg.DatabaseError))
    return { name: 'Error', message: `the database does not answer: ${reason(error)}` };
  return { name: error.code ?? 'Error', message: `${error.message}${more(error, readOnly, told)}` };
}

function more(
  { code = '', message, detail, constraint }: pg.DatabaseError,
  readOnly: boolean,
  told: readonly Told[],
): string {
  if (readOnly && means(code, 'readOnly', 'notGranted'))
    return '. This Studio only reads: start one that edits by npm run studio -- --as <your name>';
  // PostgreSQL looks for privileges before any trigger, so the guard of this table had no say.
  const denied = means(code, 'notGranted') && /^permission denied for table (\w+)$/.exec(message)?.[1];
  const rule = told.find(({ name }) => name === (denied || constraint));
  if (rule !== undefined) return `: ${rule.sentence}`;
  if (denied) return ': of this table only some columns are for people (docs/admin.md)';
  return means(code, 'constraint') && detail !== undefined ? `. ${detail}` : '';
}

const reason = (error: unknown): string =>
  error instanceof Error ? error.message || String((error as NodeJS.ErrnoException).code) : String(error);
