import type pg from 'pg';
import { isState } from '../connection/database-errors.ts';
import { refusedSettings } from '../connection/session-settings.ts';
import { again, repeat } from '../loops/loop.ts';
import { ownRelease } from '../release/build.ts';
import { readKnownChecksums, readReleases, type SqlState, sqlStateOf } from '../release/history.ts';
import { MigrationError } from '../release/migration-error.ts';
import { SettingsError } from '../settings/error.ts';
import { type HistoryRow, hasChecksum, isAsReleased, pendingMigrations, readMigrations } from './files.ts';
import { foldersOf, type SchemaSources } from './migrate.ts';
import { readSqlFolder } from './sql/folder.ts';

/** How the migrations, functions, views and triggers of a database compare with the files of this version. */
export interface SchemaState {
  /** The migrations that the code needs and the database lacks; the next start applies them. */
  missing: string[];
  /** Those that only the database knows, from a newer version: old code runs with it. */
  unknown: string[];
  /** The state of the database compared with `prisma/sql`. */
  sql: SqlState;
  /** Migrations whose row has another checksum, while the file, with this one, is as its release shipped it. */
  misnoted: { name: string; checksum: string }[];
  /** Why the next start would refuse, or could not help. */
  problem?: string;
}

/**
 * Compares, and changes nothing; with the files of this version unless others are said. Throws what the database throws;
 * one without any migrations lacks them all.
 */
export async function readSchemaState(
  pool: Pick<pg.Pool, 'query'>,
  sources: SchemaSources = {},
): Promise<SchemaState> {
  const { directory, sqlDirectory } = foldersOf(sources);
  const files = readMigrations(directory);
  const history = await readHistory(pool);
  const applied = new Set(history.flatMap((row) => (row.finished ? [row.migration_name] : [])));
  const names = new Set(files.map(({ name }) => name));
  const known = await readKnownChecksums(pool);
  const pending = attempt(() => pendingMigrations(files, history, known, () => {}));
  const sql =
    sqlDirectory === undefined
      ? { state: 'applied' as const }
      : await readSqlState(pool, sqlDirectory, sources.release);
  const problem = pending instanceof MigrationError ? pending.message : sql.problem;
  return {
    missing: [...names].filter((name) => !applied.has(name)),
    unknown: [...applied].filter((name) => !names.has(name)),
    sql: sql.state,
    misnoted: files
      .filter((file) => {
        const row = history.find((each) => each.migration_name === file.name);
        return row !== undefined && !hasChecksum(file, row.checksum) && isAsReleased(file, known);
      })
      .map(({ name, checksum }) => ({ name, checksum })),
    ...(problem !== undefined && { problem }),
  };
}

async function readSqlState(
  pool: Pick<pg.Pool, 'query'>,
  directory: string,
  release = ownRelease(),
): Promise<{ state: SqlState; problem?: string }> {
  const releases = await readReleases(pool);
  const read = attempt(() => readSqlFolder(directory));
  if (read instanceof MigrationError) return { state: 'missing', problem: read.message };
  const state = sqlStateOf(releases, { hash: read.hash, release });
  if (state !== 'outdated') return { state };
  const problem = `the database has the functions and triggers of release ${releases[0]?.release}, and never had those of this one, ${release}: run that release`;
  return { state, problem };
}

/**
 * Resolves once the database is seen to have every migration, function and trigger that this code needs; waits for one
 * that is away, until `signal` aborts. `warn` is called with that and its reason, and with anything newer than this
 * code.
 *
 * @throws {SettingsError} the database lacks some: nothing may be served from it; or for `refusalMs` (a minute) it has
 * refused the user, the password or the name of the database, or had settings with which nothing may be served
 * (session-settings.ts), which is permanent.
 */
export async function requireSchema(
  pool: Pick<pg.Pool, 'query'>,
  warn: (line: string) => void,
  signal?: AbortSignal,
  { refusalMs = 60_000, ...sources }: SchemaSources & { refusalMs?: number } = {},
): Promise<void> {
  let warned: string | undefined;
  let refusedSince: number | undefined;
  const endAfterAMinute = (reason: string) => {
    refusedSince ??= performance.now();
    if (performance.now() - refusedSince >= refusalMs) throw new SettingsError(`DATABASE_URL: ${reason}`);
  };
  const look = async () => {
    signal?.throwIfAborted();
    const state = await readSchemaState(pool, sources).catch((error: unknown) => {
      const reason = reasonOf(error);
      if (reason !== warned) warn(`the database cannot be used yet: ${reason}`);
      warned = reason;
      if (isRefusal(error)) endAfterAMinute(reason);
      else refusedSince = undefined;
    });
    if (state === undefined) return again(500);
    const lack = lackOf(state);
    if (lack !== undefined) throw new SettingsError(`DATABASE_URL: ${lack}`);
    const refusal = await refusalBySettings(pool);
    if (refusal !== undefined) {
      if (refusal !== warned) warn(`the database cannot be used yet: ${refusal}`);
      warned = refusal;
      endAfterAMinute(refusal);
      // A session keeps the settings that it began with: the next look is by another one.
      await pool.query('select pg_terminate_backend(pg_backend_pid())').catch(() => {});
      return again(500);
    }
    const unknown = list(state.unknown);
    if (unknown !== undefined) warn(`the database has ${unknown}, from a newer version than this: going on`);
    if (state.sql === 'followed')
      warn('the database has functions and triggers of another version, after those of this one: going on');
    return undefined;
  };
  await repeat(look);
}

/** Why nothing may be served with the settings of the sessions. Undefined when the database cannot be asked: the next use reports that. */
async function refusalBySettings(pool: Pick<pg.Pool, 'query'>): Promise<string | undefined> {
  const found = await pool.query<{ refusal: string | null }>(refusedSettings).catch(() => undefined);
  return found?.rows[0]?.refusal ?? undefined;
}

const isRefusal = (error: unknown): boolean => isState(error, 'loginRefused');

/** The text of an error; for a server that is not reached Node gives a code alone. */
function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return reasonOf(error.errors[0]);
  if (!(error instanceof Error)) return String(error);
  return error.message || ('code' in error ? String(error.code) : error.name);
}

/** Why nothing may be served, and what helps. */
function lackOf({ missing, sql, problem }: SchemaState): string | undefined {
  const migrations = list(missing);
  const usable = sql === 'applied' || sql === 'followed';
  if (migrations === undefined && usable) return undefined;
  if (problem !== undefined) return problem;
  return `the database lacks ${migrations ?? 'the functions and triggers of this version'}; comanda migrate applies what is missing, and so does npm start`;
}

function list([first, ...more]: readonly string[]): string | undefined {
  if (first === undefined) return undefined;
  return `migration ${first}${more.length === 0 ? '' : ` and ${more.length} more`}`;
}

/** The result of `look`, or the reason why it cannot be migrated. */
function attempt<Result>(look: () => Result): Result | MigrationError {
  try {
    return look();
  } catch (error) {
    if (error instanceof MigrationError) return error;
    throw error;
  }
}

async function readHistory(pool: Pick<pg.Pool, 'query'>): Promise<HistoryRow[]> {
  const found = await pool.query<{ there: boolean }>(
    `select to_regclass('_prisma_migrations') is not null as there`,
  );
  if (found.rows[0]?.there !== true) return [];
  const { rows } = await pool.query<HistoryRow>(
    `select migration_name, checksum, finished_at is not null as finished, logs
     from _prisma_migrations where rolled_back_at is null order by started_at, migration_name`,
  );
  return rows;
}
