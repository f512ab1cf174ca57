import pg from 'pg';
import { describeFailure, isPassing } from '../migration-lock.ts';
import { MigrationError } from '../migrations.ts';
import { undoing } from './identity.ts';
import { forgetGrants, readFound, record } from './objects.ts';
import type { SqlStatement } from './statements.ts';

/**
 * Makes the objects and remembers them, within the caller's transaction.
 * @throws {MigrationError} a statement failed; the message names its file and line.
 * A lock that did not come in time is thrown as Postgres says it.
 */
export async function make(client: pg.Client, statements: readonly SqlStatement[]): Promise<void> {
  if (statements.length === 0) return;
  const found = await readFound(client, statements);
  // First what needs the strongest lock: taken later, it could wait for somebody who waits for this transaction.
  for (const statement of statements)
    if (statement.constraint || found.get(statement.identity)?.constraint === true)
      await run(client, statement, undoing(statement));
  for (const statement of statements) await run(client, statement, statement.ddl);
  const anew = statements.some(
    ({ kind, identity }) => kind !== 'trigger' && kind !== 'grant' && !found.has(identity),
  );
  if (anew) await forgetGrants(client);
  await record(client, statements);
}

// The languages whose functions can be looked at without being run.
const validators: Readonly<Record<string, string>> = {
  plpgsql: 'select plpgsql_validator($1::text::regprocedure)',
  sql: 'select fmgr_sql_validator($1::text::regprocedure)',
};

/**
 * Looks at the bodies of functions and procedures that were made while nobody looked.
 * @throws {MigrationError} for the first that cannot be run.
 */
export async function validate(client: pg.Client, routines: readonly SqlStatement[]): Promise<void> {
  if (routines.length === 0) return;
  const found = await readFound(client, routines);
  await client.query('set local check_function_bodies = on');
  for (const routine of routines) {
    const { language, signatures } = found.get(routine.identity) ?? {};
    const validator = validators[language ?? ''];
    if (validator !== undefined) await run(client, routine, validator, [signatures?.[0]]);
  }
}

async function run(
  client: pg.Client,
  { file, line, identity, ddl }: SqlStatement,
  sql: string,
  values?: unknown[],
): Promise<void> {
  try {
    await client.query(sql, values);
  } catch (error) {
    if (!(error instanceof pg.DatabaseError) || isPassing(error)) throw error;
    const at = line + lineWithin(error, ddl, sql);
    throw new MigrationError(`${file}:${at}: ${identity}: ${describeFailure(error)}`, { cause: error });
  }
}

/** How many lines below the first of `ddl` the failure is. */
function lineWithin(
  { position, internalPosition, internalQuery }: pg.DatabaseError,
  ddl: string,
  sql: string,
): number {
  const body = internalQuery === undefined ? -1 : ddl.indexOf(internalQuery);
  const end = body < 0 ? (sql === ddl ? Number(position ?? 0) : 0) : body + Number(internalPosition ?? 0);
  return ddl.slice(0, end).split('\n').length - 1;
}
