import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { type HistoryRow, MigrationError, pendingMigrations, readMigrations } from './migrations.ts';
import { repositoryRoot } from './root.ts';
import { SettingsError } from './settings-error.ts';

/** How the migrations of a database compare with the files of this version. */
export interface SchemaState {
  /** What the code needs and the database lacks; the next start applies it. */
  missing: string[];
  /** What only the database knows, from a newer version: old code runs beside it. */
  unknown: string[];
  /** Why the next start would refuse: a migration failed, or its file was changed after it was applied. */
  problem?: string;
}

/** Compares, and changes nothing. Throws what the database throws; one without any migrations lacks them all. */
export async function readSchemaState(pool: Pick<pg.Pool, 'query'>): Promise<SchemaState> {
  const files = readMigrations(join(repositoryRoot, 'prisma', 'migrations'));
  const history = await readHistory(pool);
  const applied = new Set(history.flatMap((row) => (row.finished ? [row.migration_name] : [])));
  const names = new Set(files.map(({ name }) => name));
  const problem = problemOf(() => pendingMigrations(files, history, () => {}));
  return {
    missing: [...names].filter((name) => !applied.has(name)),
    unknown: [...applied].filter((name) => !names.has(name)),
    ...(problem !== undefined && { problem }),
  };
}

/**
 * Resolves once the database is seen to have every migration that this code needs; waits for one that is away, until
 * `signal` aborts. `warn` is told of that, and of migrations that are newer than this code.
 *
 * @throws {SettingsError} the database lacks some: nothing may be served from it.
 */
export async function requireSchema(
  pool: Pick<pg.Pool, 'query'>,
  warn: (line: string) => void,
  signal?: AbortSignal,
): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    signal?.throwIfAborted();
    const state = await readSchemaState(pool).catch(() => undefined);
    if (state === undefined) {
      if (tries === 1) warn('the database cannot be used yet');
      await sleep(500, undefined, { ref: false });
      continue;
    }
    const [missing, unknown] = [list(state.missing), list(state.unknown)];
    if (missing !== undefined)
      throw new SettingsError(
        `DATABASE_URL: the database lacks ${missing}; npm start applies what is missing`,
      );
    if (unknown !== undefined) warn(`the database has ${unknown}, from a newer version than this: going on`);
    return;
  }
}

function list([first, ...more]: readonly string[]): string | undefined {
  if (first === undefined) return undefined;
  return `migration ${first}${more.length === 0 ? '' : ` and ${more.length} more`}`;
}

function problemOf(look: () => unknown): string | undefined {
  try {
    look();
    return undefined;
  } catch (error) {
    if (error instanceof MigrationError) return error.message;
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
