import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from '../root.ts';

/** A table whose rows are told by their id, and the columns that are. */
export interface WatchedTable {
  table: string;
  /** Separated by spaces. */
  columns: string;
}

/**
 * The rows of `prisma/sql/watched.sql` that tell a table by its id. Read as text, since privileges are printed without a
 * database, too; a test holds them against the function.
 */
export function watchedTables(): WatchedTable[] {
  const text = readFileSync(join(repositoryRoot, 'prisma', 'sql', 'watched.sql'), 'utf8');
  return [...text.matchAll(row)].map(([, table = '', columns = '']) => ({
    table,
    columns: columns.replace(/[^\w ]/g, ''),
  }));
}

// relation, touched, told_as, of, told_on, columns
const row = /^ *\('(\w+)', +\w+, +'\w+', +'id', +'\w+', +'([^']*)'/gm;
