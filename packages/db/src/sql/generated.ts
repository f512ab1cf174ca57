import pg from 'pg';
import { describeFailure, isPassing } from '../migration-lock.ts';
import { MigrationError } from '../migrations.ts';
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
    for (const [index, { statement }] of (await ask(client, name)).entries())
      written.push(...readStatements(`${name}() row ${index + 1}`, statement));
  }
  return written;
}

async function ask(client: pg.Client, name: string): Promise<{ statement: string }[]> {
  try {
    const { rows } = await client.query<{ statement: string }>(
      `select coalesce(statement::text, '') as statement from ${name}()`,
    );
    return rows;
  } catch (error) {
    if (!(error instanceof pg.DatabaseError) || isPassing(error)) throw error;
    throw new MigrationError(`${name}(): ${describeFailure(error)}`, { cause: error });
  }
}
