import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { readMigrations } from './migrations.ts';
import { repositoryRoot } from './root.ts';
import { SettingsError } from './settings.ts';

/** How the database's migrations compare with those that this version of the code knows. */
export interface SchemaState {
  /** What the code needs and the database lacks: it cannot be served. */
  missing: string[];
  /** What only the database knows, from a newer version: old code runs beside it. */
  unknown: string[];
}

/**
 * Compares. Throws what the database throws while it cannot be asked; one without any migrations lacks them all.
 * `directory`: where the migrations of this code stand, `prisma/migrations` unless said.
 */
export async function readSchemaState(
  pool: Pick<pg.Pool, 'query'>,
  directory = join(repositoryRoot, 'prisma', 'migrations'),
): Promise<SchemaState> {
  const known = readMigrations(directory).map(({ name }) => name);
  const applied = await readApplied(pool);
  return {
    missing: known.filter((name) => !applied.has(name)),
    unknown: [...applied].filter((name) => !known.includes(name)),
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

async function readApplied(pool: Pick<pg.Pool, 'query'>): Promise<Set<string>> {
  const { rows } = await pool.query<{ there: boolean }>(
    `select to_regclass('_prisma_migrations') is not null as there`,
  );
  if (rows[0]?.there !== true) return new Set();
  const { rows: history } = await pool.query<{ name: string }>(
    `select migration_name as name from _prisma_migrations
     where finished_at is not null and rolled_back_at is null order by migration_name`,
  );
  return new Set(history.map(({ name }) => name));
}
