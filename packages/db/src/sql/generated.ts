import type pg from 'pg';
import { located } from '../migration-lock.ts';
import { readStatements, type SqlStatement } from './statements.ts';

/**
 * What the folder's functions named `…_statements` write, in their column `statement`; each row counts as a file.
 * Nothing when the folder has no such function.
 * @throws {MigrationError} a function failed, or a statement is none of those that a folder may hold.
 */
export async function readGenerated(
  client: pg.Client,
  statements: readonly SqlStatement[],
): Promise<SqlStatement[]> {
  const written: SqlStatement[] = [];
  for (const { kind, name } of statements) {
    if (kind !== 'function' || !/^[a-z]+_statements$/.test(name)) continue;
    try {
      const { rows } = await client.query<{ statement: string }>(
        `select coalesce(statement::text, '') as statement from ${name}()`,
      );
      for (const [row, { statement }] of rows.entries())
        written.push(...readStatements(`${name}() row ${row + 1}`, statement));
    } catch (error) {
      throw located(`${name}()`, error);
    }
  }
  return written;
}
