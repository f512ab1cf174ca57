import { lacksColumn, means, refusalSentence, sqlState } from '@comanda/db';
import type { PageStatement } from './statements.ts';

/** An error as Studio's page takes it. */
export interface Refusal {
  name: string;
  message: string;
  /** The sentence names no column, since PostgreSQL names none. */
  lacksColumn?: true;
}

/** The sentence that an admin reads when a statement fails. */
export function refusalOf(error: unknown, { readOnly }: { readOnly: boolean }): Refusal {
  const state = sqlState(error);
  if (state === undefined)
    return { name: 'Error', message: `the database does not answer: ${reason(error)}` };
  const { code, message } = state;
  if (readOnly && means(code, 'readOnly', 'notGranted'))
    return {
      name: code,
      message: 'This Studio only reads: start one that edits by npm run studio -- --edit --as <your name>',
    };
  return {
    name: code,
    message: refusalSentence(state) ?? message,
    ...(lacksColumn(state) && { lacksColumn: true }),
  };
}

/** The same with the column before it, where the page writes one column of one table. */
export function withPlace(refusal: Refusal, statements: readonly PageStatement[]): Refusal {
  const { lacksColumn: isWithout, ...shown } = refusal;
  const places = isWithout ? new Set(statements.flatMap(writtenColumns)) : new Set<string>();
  return places.size === 0 ? shown : { ...shown, message: `${[...places].join(' or ')}: ${shown.message}` };
}

/** The column that a statement of the page writes: `products.price`. */
const writtenColumns = (statement: PageStatement): string[] =>
  'columns' in statement ? statement.columns.map((column) => `${statement.table}.${column}`) : [];

const reason = (error: unknown): string =>
  error instanceof Error ? error.message || String((error as NodeJS.ErrnoException).code) : String(error);
