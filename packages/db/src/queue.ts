import { Logger, runMigrations } from 'graphile-worker';
import type pg from 'pg';
import { silence } from './lifetimes.ts';
import { openPool } from './pool.ts';
import { sessionNamed } from './session-name.ts';

/** The last migration that the installed graphile-worker brings; a test holds it. */
const latestQueueMigration = 19;

/** How the queue's own tables stand. */
export interface QueueState {
  /** The number of the last migration that was applied; 0 where there is no queue yet. */
  applied: number;
  latest: number;
}

/**
 * Brings the queue's own tables up to date, as the owner: who works on them later needs no DDL. Throws what the database
 * throws.
 */
export async function migrateQueue(url: string): Promise<void> {
  const doubt = { ...silence, abandonMs: Number.POSITIVE_INFINITY };
  const pgPool = openPool({ ...sessionNamed(url, 'comanda-migrate'), max: 2 }, doubt);
  // What breaks under way is thrown by what was under way.
  pgPool.on('error', () => {}).on('connect', (client) => client.on('error', () => {}));
  try {
    await runMigrations({ pgPool, logger: new Logger(() => () => {}) });
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
