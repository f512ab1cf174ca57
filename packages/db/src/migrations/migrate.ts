import { join } from 'node:path';
import pg from 'pg';
import { openClient } from '../connection/hosts.ts';
import { holdUps } from '../lifetimes.ts';
import { ownRelease } from '../release/build.ts';
import { readKnownChecksums } from '../release/history.ts';
import { MigrationError } from '../release/migration-error.ts';
import { grantToRoles } from '../roles/apply.ts';
import { repositoryRoot } from '../root.ts';
import { applyMigration } from './apply.ts';
import { type HistoryRow, pendingMigrations, readMigrations } from './files.ts';
import { inAttempts, lockMigrations } from './lock.ts';
import { type AppliedSql, applySql } from './sql/apply.ts';
import { readSqlFolder } from './sql/folder.ts';
import { fillTimeZones } from './time-zones.ts';

export { MigrationError } from '../release/migration-error.ts';

/** The migrations and the SQL of a version for a database, and the version's name. */
export interface SchemaSources {
  /** The folder of `<stamp>_<name>/migration.sql`; `prisma/migrations` by default. */
  directory?: string;
  /**
   * The folder with the SQL of functions, views and triggers; `prisma/sql` by default, none with a given
   * `directory`.
   */
  sqlDirectory?: string;
  /** The build of the code; `ownRelease()` unless said. */
  release?: string;
}

/** How to migrate. */
export interface MigrateOptions extends SchemaSources {
  /** Called with one line per step and per warning. */
  log?(line: string): void;
  /** How long to wait for another process that migrates the same database; 60 s unless said. */
  waitSeconds?: number;
  /** How often what could not get its locks within 0.8 s is tried; 60 times unless said. */
  lockAttempts?: number;
  /** For how many milliseconds a statement CONCURRENTLY waits for older transactions; 600,000 unless said. */
  concurrentLockMs?: number;
  /** The prefix of the names of the roles (`DATABASE_ROLE_PREFIX`); `comanda` by default. */
  rolePrefix?: string;
}

/** The completed steps, in their order. */
export interface Migrated extends AppliedSql {
  /** The names of the migrations that were applied. */
  applied: string[];
}

/**
 * Applies the pending SQL migrations in the order of their names, fills `time_zones`, then applies what differs of the
 * folder of SQL that holds no data (see `applySql`), then grants to the roles what they may do. Keeps
 * `_prisma_migrations` as Prisma does (lock number, columns, sha256, one row per migration), so that `prisma migrate`
 * agrees. A migration and its row commit together: a killed process leaves nothing. Migrations that only the database
 * knows are left as they are, so that old code runs with new code. One that says CONCURRENTLY runs statement by
 * statement, outside of a transaction: killed, it runs again.
 *
 * @throws {MigrationError} a migration failed, now or earlier; an applied file has changed; a statement of the folder
 * failed or is none that it may hold; another process holds the lock for longer than `waitSeconds`; the database is older
 * than the first migration.
 */
export async function migrate(url: string, options: MigrateOptions = {}): Promise<Migrated> {
  const {
    log = () => {},
    waitSeconds = 60,
    lockAttempts = 60,
    concurrentLockMs = holdUps.concurrentLockMs,
    release = ownRelease(),
    rolePrefix = 'comanda',
  } = options;
  const { directory, sqlDirectory } = foldersOf(options);
  const files = readMigrations(directory);
  const folder = sqlDirectory === undefined ? undefined : readSqlFolder(sqlDirectory);
  const client = await openClient(url, 'comanda-migrate');
  let ended: Error | undefined;
  client.on('error', (error) => {
    ended ??= error;
  });
  try {
    await lockMigrations(client, waitSeconds);
    // The folder of SQL names tables without their schema; objects made without one are in the first.
    await client.query('set search_path = public, internal');
    await client.query(historyTable);
    const pending = pendingMigrations(
      files,
      await readHistory(client),
      await readKnownChecksums(client),
      log,
    );
    for (const migration of pending) {
      log(`migration ${migration.name}`);
      await applyMigration(client, migration, { lockAttempts, concurrentLockMs, log });
    }
    await fillTimeZones(client);
    const applied = pending.map(({ name }) => name);
    if (folder === undefined) return { applied, objects: [], dropped: [] };
    const migrations = Object.fromEntries(files.map(({ name, checksum }) => [name, checksum]));
    const made = await applySql(client, folder, { release, migrations, lockAttempts, log });
    await inAttempts(client, 'roles', { lockAttempts, log }, async () => {
      await client.query('begin');
      await grantToRoles(client, rolePrefix, release);
      await client.query('commit');
    });
    return { applied, ...made };
  } catch (error) {
    // The error that ended the session says more than that it has ended.
    throw error instanceof MigrationError || error instanceof pg.DatabaseError ? error : (ended ?? error);
  } finally {
    await client.end();
  }
}

/** The given folders, or the default ones. */
export function foldersOf({ directory, sqlDirectory }: SchemaSources): {
  directory: string;
  sqlDirectory: string | undefined;
} {
  const prisma = join(repositoryRoot, 'prisma');
  return {
    directory: directory ?? join(prisma, 'migrations'),
    sqlDirectory: sqlDirectory ?? (directory === undefined ? join(prisma, 'sql') : undefined),
  };
}

const historyTable = `
  create table if not exists _prisma_migrations (
    id                  varchar(36) primary key not null,
    checksum            varchar(64) not null,
    finished_at         timestamptz,
    migration_name      varchar(255) not null,
    logs                text,
    rolled_back_at      timestamptz,
    started_at          timestamptz not null default now(),
    applied_steps_count integer not null default 0
  )`;

async function readHistory(client: pg.Client): Promise<HistoryRow[]> {
  const { rows } = await client.query<HistoryRow>(`
    select migration_name, checksum, finished_at is not null as finished, logs
    from _prisma_migrations where rolled_back_at is null order by started_at, migration_name`);
  return rows;
}
