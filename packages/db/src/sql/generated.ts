import type pg from 'pg';
import { located } from '../migration-lock.ts';
import { readStatements, type SqlStatement } from './statements.ts';

/**
 * What the folder's function `watch_statements()` writes, in its column `statement`; each row counts as a file. Nothing
 * when the folder has no such function.
 * @throws {MigrationError} the function failed, or a statement is none of those that a folder may hold.
 */
export async function readGenerated(
  client: pg.Client,
  statements: readonly SqlStatement[],
): Promise<SqlStatement[]> {
  if (!statements.some(({ identity }) => identity === 'function watch_statements')) return [];
  try {
    const { rows } = await client.query<{ statement: string }>(
      `select coalesce(statement::text, '') as statement from watch_statements()`,
    );
    return rows.flatMap(({ statement }, row) =>
      readStatements(`watch_statements() row ${row + 1}`, statement),
    );
  } catch (error) {
    throw located('watch_statements()', error);
  }
}
