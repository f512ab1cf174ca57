import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { MigrationError } from '../release/migration-error.ts';
import { isConcurrent, type Migration, statementsOf } from './files.ts';
import { type Attempts, describeFailure, inAttempts, stepAside } from './lock.ts';

/** How often a migration is tried, and for how long. */
export interface ApplyOptions extends Attempts {
  /** For how many milliseconds a statement CONCURRENTLY waits for older transactions. */
  concurrentLockMs: number;
}

/**
 * Applies a migration and keeps its row, or the row that says how it failed.
 * @throws {MigrationError} it failed, or got no lock.
 */
export async function applyMigration(
  client: pg.Client,
  migration: Migration,
  { concurrentLockMs, ...ordinary }: ApplyOptions,
): Promise<void> {
  const attempts = isConcurrent(migration) ? { ...ordinary, ...concurrently } : ordinary;
  let id = randomUUID();
  try {
    await inAttempts(client, `migration ${migration.name}`, attempts, async () => {
      id = randomUUID();
      if (isConcurrent(migration)) await applyConcurrently(client, id, migration, concurrentLockMs);
      else await applyAtOnce(client, id, migration);
    });
  } catch (error) {
    throw error instanceof MigrationError ? error : await recordFailure(client, id, migration, error);
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

// It waits long by itself, so it is tried once.
const concurrently = { lockAttempts: 1, left: 'an index that it began is built again by the next run' };

// Postgres allows these statements in no transaction. They hold up neither reads nor writes while they wait, so they
// may. One that gives up leaves an index that is not valid; the next run drops it and starts over.
async function applyConcurrently(
  client: pg.Client,
  id: string,
  migration: Migration,
  lockMs: number,
): Promise<void> {
  const { rows } = await client.query<{ now: Date }>('select clock_timestamp() as now');
  try {
    await client.query(`set lock_timeout = ${lockMs}`);
    for (const sql of statementsOf(migration)) await client.query(sql);
  } finally {
    await stepAside(client).catch(() => {});
  }
  await client.query(
    `insert into _prisma_migrations (id, checksum, migration_name, started_at, finished_at, applied_steps_count)
     values ($1, $2, $3, $4, clock_timestamp(), 1)`,
    [id, migration.checksum, migration.name, rows[0]?.now],
  );
}

// A file with its own COMMIT has recorded its row already, which explains the "on conflict".
async function recordFailure(
  client: pg.Client,
  id: string,
  migration: Migration,
  error: unknown,
): Promise<MigrationError> {
  const logs = lineOf(error, migration.sql) + describeFailure(error);
  await client
    .query(
      `insert into _prisma_migrations (id, checksum, migration_name, logs) values ($1, $2, $3, $4)
       on conflict (id) do update set logs = excluded.logs`,
      [id, migration.checksum, migration.name, logs],
    )
    .catch(() => {});
  return new MigrationError(`migration ${migration.name} failed: ${logs}`, { cause: error, mendable: true });
}

function lineOf(error: unknown, sql: string): string {
  const position = error instanceof pg.DatabaseError ? Number(error.position) : 0;
  return position > 0 ? `line ${sql.slice(0, position).split('\n').length}: ` : '';
}
