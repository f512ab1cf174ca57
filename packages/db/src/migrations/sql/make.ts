import pg from 'pg';
import { located } from '../lock.ts';
import { dropping } from './identity.ts';
import { differing, readFound, record } from './objects.ts';
import type { SqlStatement } from './statements.ts';

/**
 * Makes and remembers those of the objects that differ, within the caller's transaction, and gives them.
 * @throws {MigrationError} a statement failed; the message names its file and line.
 * A lock that did not come in time is thrown as Postgres says it.
 */
export async function make(client: pg.Client, statements: readonly SqlStatement[]): Promise<SqlStatement[]> {
  const made = await differing(client, statements);
  if (made.length === 0) return [];
  const found = await readFound(client, made);
  // The statement with the strongest lock runs first: taken later, that lock could deadlock with a session that
  // waits for this transaction.
  for (const statement of made)
    if (statement.constraint || found.get(statement.identity)?.constraint === true)
      await run(client, statement, dropping(statement));
  for (const statement of made) await run(client, statement);
  await record(client, made);
  return made;
}

/**
 * Checks the bodies of functions and procedures that were made without a check: they are made once more.
 * @throws {MigrationError} for the first that cannot be run.
 */
export async function validate(client: pg.Client, routines: readonly SqlStatement[]): Promise<void> {
  await client.query('set local check_function_bodies = on');
  for (const routine of routines) await run(client, routine);
}

async function run(client: pg.Client, { file, line, identity, ddl }: SqlStatement, sql = ddl): Promise<void> {
  try {
    // In this mode PostgreSQL refuses a second statement on the lines of the first.
    const query: pg.QueryConfig & { queryMode: 'extended' } = { text: sql, queryMode: 'extended' };
    await client.query(query);
  } catch (error) {
    const position = error instanceof pg.DatabaseError && sql === ddl ? Number(error.position ?? 0) : 0;
    const above = ddl.slice(0, position).split('\n').length - 1;
    throw located(`${file}:${line + above}: ${identity}`, error);
  }
}
