import { randomBytes } from 'node:crypto';
import { type Database, openDatabase } from '@comanda/db';
import { type Consumer, startConsumer } from '../faults/support/consumer.ts';
import { createTestDatabase } from '../support/database.ts';
import { createKey, createLocation } from '../support/factories.ts';
import { startProcess, type TestProcess } from '../support/processes.ts';
import { waitFor } from '../support/wait.ts';
import { type OpenRestaurant, openRestaurant, type Restaurant } from './restaurant.ts';

/** Real processes on a database of their own, with restaurants in it and a consumer that hears of everything. */
export interface Service {
  databaseUrl: string;
  database: Database;
  consumer: Consumer;
  restaurants: Restaurant[];
  /** The API that served first. */
  api: TestProcess;
  start(entry: 'api' | 'worker', env?: Readonly<Record<string, string>>): Promise<TestProcess>;
  /** The addresses that are called in turn; without any, calls wait. */
  serveAt(...processes: TestProcess[]): void;
  /** The next of these addresses. */
  target(): Promise<string>;
  /** Calls that are written whole and not answered yet. */
  inFlight(): number;
  /** Waits until no session of that kind of process is left: the work of a dead one has ended then. */
  sessionsGone(kind: 'api' | 'worker'): Promise<void>;
  /** Waits until every change is published and every delivery and job has ended. */
  quiet(): Promise<void>;
  close(): Promise<void>;
}

/** Opens one with an API that serves and no worker. */
export async function openService({
  restaurants: count = 1,
  callers,
}: {
  restaurants?: number;
  callers: number;
}) {
  const own = await createTestDatabase();
  const database = openDatabase({ url: own.url, poolSize: 3, applicationName: 'comanda.test' });
  const consumer = await startConsumer();
  const env = {
    DATABASE_URL: own.url,
    WEBHOOK_TARGETS: 'any',
    ENCRYPTION_KEY: randomBytes(32).toString('base64'),
  };
  const restaurants: Restaurant[] = [];
  let serving: TestProcess[] = [];
  let waiting: (() => void)[] = [];
  let turn = 0;
  // Under other load a start takes long, which says nothing about the tested part.
  const start: Service['start'] = (entry, more = {}) =>
    startProcess({ entry, env: { ...env, ...more }, readyTimeoutMs: 180_000 });
  const target = async () => {
    while (serving.length === 0) await new Promise<void>((resolve) => waiting.push(resolve));
    turn += 1;
    return serving[turn % serving.length]?.url ?? '';
  };
  const serveAt = (...processes: TestProcess[]) => {
    serving = processes;
    if (serving.length > 0) for (const wake of waiting.splice(0)) wake();
  };
  const api = await start('api');
  serveAt(api);
  for (let index = 0; index < count; index++)
    restaurants.push(await openAt(database, { target, consumer, callers }));
  const service: Service = {
    databaseUrl: own.url,
    database,
    consumer,
    restaurants,
    api,
    start,
    serveAt,
    target,
    inFlight: () => restaurants.reduce((sum, restaurant) => sum + restaurant.inFlight(), 0),
    async sessionsGone(kind) {
      await waitFor(`the sessions of the ${kind} to end`, async () => {
        const { rows } = await database.pool.query(
          'select from pg_stat_activity where datname = current_database() and application_name like $1',
          [`comanda-${kind}%`],
        );
        return rows.length === 0;
      });
    },
    quiet: () => untilQuiet(database.pool, 120_000),
    async close() {
      waiting = [];
      for (const restaurant of restaurants) restaurant.close();
      await database.close();
      await consumer.close();
      await own.drop();
    },
  };
  return service;
}

/** Opens a restaurant at a new location, with a key without bounds that matter, in a time zone whose offset is no whole hour. */
export async function openAt(
  database: Database,
  options: Omit<OpenRestaurant, 'locationId' | 'key'>,
): Promise<Restaurant> {
  const locationId = await createLocation(database, { timezone: 'America/St_Johns', currency: 'CAD' });
  const limits = { batchJobsPerHour: 1_000_000, maxItemsPerBatch: 5_000, perMinute: 1_000_000 };
  const { key } = await createKey(database, { locationId, ...limits });
  return openRestaurant({ ...options, locationId, key });
}

/**
 * Waits until every change of a database is published, every delivery has ended and every job is done. The deliveries of a deleted
 * endpoint are cleared away in the worker's own time.
 */
export async function untilQuiet(pool: Pick<Database['pool'], 'query'>, timeoutMs: number): Promise<void> {
  await waitFor(
    'every change to be published and every delivery to end',
    async () => {
      // One statement, so one snapshot: between two, an event could be missed by both.
      const { rows } = await pool.query<{ count: number }>(
        `select ((select count(*) from internal.captured_changes)
           + (select count(*) from webhook_deliveries d where next_attempt_at is not null
              and exists (select from webhook_endpoints e where e.location_id = d.location_id and e.id = d.endpoint_id))
           + (select count(*) from sync_jobs where status in ('queued', 'processing')))::int as count`,
      );
      return rows[0]?.count === 0;
    },
    { timeoutMs, intervalMs: 200 },
  );
}
