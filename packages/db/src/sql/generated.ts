import pg from 'pg';
import { describeFailure, isPassing } from '../migration-lock.ts';
import { MigrationError } from '../migrations.ts';
import { readStatements, type SqlStatement } from './statements.ts';

const name = 'watch_statements';

/**
 * What the folder's function `watch_statements()` writes, in its column `statement`; each row counts as a file. Nothing
 * when the folder has no such function.
 * @throws {MigrationError} the function failed, or a statement is none of those that a folder may hold.
 */
export async function readGenerated(
  client: pg.Client,
  statements: readonly SqlStatement[],
): Promise<SqlStatement[]> {
  if (!statements.some((statement) => statement.kind === 'function' && statement.name === name)) return [];
  const rows = await ask(client);
  return rows.flatMap(({ statement }, index) => readStatements(`${name}() row ${index + 1}`, statement));
}

async function ask(client: pg.Client): Promise<{ statement: string }[]> {
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
