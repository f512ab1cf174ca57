import { Logger, runMigrations } from 'graphile-worker';
import type pg from 'pg';
import { openPool } from '../connection/pool.ts';
import { sessionNamed } from '../connection/session-name.ts';
import { silence } from '../lifetimes.ts';
import { retry } from '../loops/loop.ts';
import { MigrationError } from '../release/migration-error.ts';
import { type Attempts, gaveUp, isPassing, lockPauseMs, longestOpen, stepAside } from './lock.ts';

/** The last migration that the installed graphile-worker brings; a test holds it. */
const latestQueueMigration = 19;

/** The state of the queue's own tables. */
export interface QueueState {
  /** The number of the last migration that was applied; 0 where there is no queue yet. */
  applied: number;
  latest: number;
}

/**
 * Brings the queue's own tables up to date, as the owner: who works on them later needs no DDL. It steps aside for others
 * as a migration does. Throws what the database throws.
 * @throws {MigrationError} none of `lockAttempts`, 60 unless said, got its locks.
 */
export async function migrateQueue(
  url: string,
  { lockAttempts = 60, log = () => {} }: Partial<Attempts> = {},
): Promise<void> {
  const doubt = { ...silence, abandonMs: Number.POSITIVE_INFINITY };
  const pgPool = openPool({ ...sessionNamed(url, 'comanda-migrate'), max: 2 }, doubt);
  // An error during work is thrown by that work.
  pgPool
    .on('error', () => {})
    .on('connect', (client) => {
      client.on('error', () => {});
      // Ahead of what the library asks; what breaks the connection is thrown by that.
      stepAside(client).catch(() => {});
    });
  try {
    await retry(
      () => runMigrations({ pgPool, logger: new Logger(() => () => {}) }),
      async (error, attempt) => {
        if (!isPassing(error)) throw error;
        if (attempt >= lockAttempts)
          throw new MigrationError(gaveUp("the queue's tables", attempt, await longestOpen(pgPool)));
        log(`the queue's tables wait for a lock (attempt ${attempt})`);
        return lockPauseMs;
      },
    );
  } finally {
    await pgPool.end();
  }
}

/** Looks, and changes nothing. Throws what the database throws. */
export async function readQueueState(client: Pick<pg.Pool, 'query'>): Promise<QueueState> {
  const { rows } = await client.query<{ there: boolean }>(
    `select to_regclass('graphile_worker.migrations') is not null as there`,
  );
  if (rows[0]?.there !== true) return { applied: 0, latest: latestQueueMigration };
  const last = await client.query<{ id: number | null }>(
    'select max(id) as id from graphile_worker.migrations',
  );
  return { applied: last.rows[0]?.id ?? 0, latest: latestQueueMigration };
}
