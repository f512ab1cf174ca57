import { join } from 'node:path';
import type pg from 'pg';
import { type HistoryRow, MigrationError, pendingMigrations, readMigrations } from './migrations.ts';
import { repositoryRoot } from './root.ts';

/** How the migrations of a database compare with the files of this version. */
export interface MigrationCheck {
  /** What the next start would apply. */
  pending: string[];
  /** What only the database knows, from a newer version. */
  unknown: string[];
  /** Why the next start would refuse: a migration failed, or its file was changed after it was applied. */
  problem?: string;
}

/** Compares, and changes nothing. Throws what the database throws; one without any migrations lacks them all. */
export async function checkMigrations(pool: Pick<pg.Pool, 'query'>): Promise<MigrationCheck> {
  const files = readMigrations(join(repositoryRoot, 'prisma', 'migrations'));
  const history = await readHistory(pool);
  const names = new Set(files.map(({ name }) => name));
  const unknown = history.map((row) => row.migration_name).filter((name) => !names.has(name));
  try {
    const pending = pendingMigrations(files, history, () => {});
    return { pending: pending.map(({ name }) => name), unknown };
  } catch (error) {
    if (!(error instanceof MigrationError)) throw error;
    return { pending: [], unknown, problem: error.message };
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
