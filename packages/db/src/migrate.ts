import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import {
  type HistoryRow,
  isConcurrent,
  type Migration,
  MigrationError,
  pendingMigrations,
  readMigrations,
  statementsOf,
} from './migrations.ts';
import { repositoryRoot } from './root.ts';

export { MigrationError } from './migrations.ts';

/** How to migrate. */
export interface MigrateOptions {
  /** Told one line per step and per warning. */
  log?(line: string): void;
  /** Where `<stamp>_<name>/migration.sql` stand; `prisma/migrations` unless said. */
  directory?: string;
  /** How long to wait for another process that migrates the same database; 60 s unless said. */
  waitSeconds?: number;
  /** How often a migration that could not get its locks within 0.8 s is tried; 60 times unless said. */
  lockAttempts?: number;
}

/**
 * Applies the pending SQL migrations in the order of their names and returns the names it applied.
 * Keeps `_prisma_migrations` as Prisma does (lock number, columns, sha256, one row per migration), so
 * that `prisma migrate` agrees. A migration and its row commit together: a killed process leaves nothing.
 * Migrations that only the database knows are let be, so that old code runs beside new.
 * One that says CONCURRENTLY runs statement by statement, outside of a transaction: killed, it runs again.
 *
 * @throws {MigrationError} a migration failed, now or earlier; an applied file has changed; another
 * process holds the lock for longer than `waitSeconds`.
 */
export async function migrate(url: string, options: MigrateOptions = {}): Promise<{ applied: string[] }> {
  const { log = () => {}, waitSeconds = 60, lockAttempts = 60 } = options;
  const files = readMigrations(options.directory ?? join(repositoryRoot, 'prisma', 'migrations'));
  const client = new pg.Client({ connectionString: url, application_name: 'comanda-migrate' });
  client.on('error', () => {});
  await client.connect();
  try {
    await lock(client, waitSeconds);
    await client.query(historyTable);
    const pending = pendingMigrations(files, await readHistory(client), log);
    for (const migration of pending) {
      log(`migration ${migration.name}`);
      await apply(client, migration, lockAttempts, log);
    }
    return { applied: pending.map(({ name }) => name) };
  } finally {
    await client.end();
  }
}

// Prisma's own number: whichever of the two migrates, the other waits.
const lockNumber = 72707369;

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

async function lock(client: pg.Client, waitSeconds: number): Promise<void> {
  await client.query(`set statement_timeout = 0; set client_min_messages = warning`);
  // Asked again and again: a statement that waits would hold up every CREATE INDEX CONCURRENTLY, this one's owner's too.
  for (const end = performance.now() + waitSeconds * 1_000; ; ) {
    const { rows } = await client.query<{ taken: boolean }>(
      'select pg_try_advisory_lock($1::bigint) as taken',
      [lockNumber],
    );
    if (rows[0]?.taken === true) break;
    if (performance.now() >= end)
      throw new MigrationError(`another process has been migrating this database for over ${waitSeconds} s`);
    await sleep(100);
  }
  // From here on for DDL: rather step aside and try again than hold up every query behind ours. Shorter than
  // Postgres waits before it looks for deadlocks (1 s), so that nobody else is chosen to give way.
  await client.query(`set lock_timeout = '800ms'`);
}

async function readHistory(client: pg.Client): Promise<HistoryRow[]> {
  const { rows } = await client.query<HistoryRow>(`
    select migration_name, checksum, finished_at is not null as finished, logs
    from _prisma_migrations where rolled_back_at is null order by started_at, migration_name`);
  return rows;
}

async function apply(
  client: pg.Client,
  migration: Migration,
  attempts: number,
  log: (line: string) => void,
): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    const id = randomUUID();
    try {
      if (isConcurrent(migration)) await applyConcurrently(client, id, migration);
      else await applyAtOnce(client, id, migration);
      return;
    } catch (error) {
      await client.query('rollback').catch(() => {});
      if (!isPassing(error)) throw await recordFailure(client, id, migration, error);
      if (attempt >= attempts)
        throw new MigrationError(
          `migration ${migration.name} got no lock in ${attempts} attempts: a long transaction holds its tables; nothing was changed`,
        );
      log(`migration ${migration.name} waits for a lock (attempt ${attempt})`);
      await sleep(500);
    }
  }
}

async function applyAtOnce(client: pg.Client, id: string, { name, checksum, sql }: Migration): Promise<void> {
  await client.query('begin');
  await client.query(
    'insert into _prisma_migrations (id, checksum, migration_name, started_at) values ($1, $2, $3, clock_timestamp())',
    [id, checksum, name],
  );
  await client.query(sql);
  await client.query(
    'update _prisma_migrations set finished_at = clock_timestamp(), applied_steps_count = 1 where id = $1',
    [id],
  );
  await client.query('commit');
}

// Postgres allows these statements in no transaction. They hold up neither reads nor writes while they wait, so they may.
async function applyConcurrently(client: pg.Client, id: string, migration: Migration): Promise<void> {
  const { rows } = await client.query<{ now: Date }>('select clock_timestamp() as now');
  try {
    await client.query('set lock_timeout = 0');
    for (const sql of statementsOf(migration)) await client.query(sql);
  } finally {
    await client.query(`set lock_timeout = '800ms'`).catch(() => {});
  }
  await client.query(
    `insert into _prisma_migrations (id, checksum, migration_name, started_at, finished_at, applied_steps_count)
     values ($1, $2, $3, $4, clock_timestamp(), 1)`,
    [id, migration.checksum, migration.name, rows[0]?.now],
  );
}

// A file with its own COMMIT has kept its row already, hence the "on conflict".
async function recordFailure(
  client: pg.Client,
  id: string,
  migration: Migration,
  error: unknown,
): Promise<MigrationError> {
  const logs = describe(error, migration.sql);
  await client
    .query(
      `insert into _prisma_migrations (id, checksum, migration_name, logs) values ($1, $2, $3, $4)
       on conflict (id) do update set logs = excluded.logs`,
      [id, migration.checksum, migration.name, logs],
    )
    .catch(() => {});
  return new MigrationError(`migration ${migration.name} failed: ${logs}`, { cause: error });
}

function describe(error: unknown, sql: string): string {
  if (!(error instanceof pg.DatabaseError)) return String(error);
  const position = Number(error.position);
  const where = position > 0 ? `line ${sql.slice(0, position).split('\n').length}: ` : '';
  return [`${where}${error.message} (${error.code})`, error.detail, error.hint].filter(Boolean).join('; ');
}

// A lock that did not come in time, or a deadlock: nothing was changed, and it may do better next time.
const isPassing = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && (error.code === '55P03' || error.code === '40P01');
