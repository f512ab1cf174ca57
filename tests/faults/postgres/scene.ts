import { openDatabase } from '@comanda/db';
import { expect } from 'vitest';
import { compareRestaurant } from '../../model/compare.ts';
import { type Drive, startDrive } from '../../model/drive.ts';
import { openRestaurant, type Restaurant } from '../../model/restaurant.ts';
import { createKey, createLocation } from '../../support/factories.ts';
import { startProcess, type TestProcess } from '../../support/processes.ts';
import { type Sql, sqlAt } from '../../support/sql.ts';
import { waitFor } from '../../support/wait.ts';
import { type Consumer, startConsumer } from '../support/consumer.ts';

/** An API and a worker on a database that is about to go away, with a consumer and a load of orders and jobs. */
export interface Scene {
  apiUrl: string;
  key: string;
  api: TestProcess;
  worker: TestProcess;
  restaurant: Restaurant;
  consumer: Consumer;
  /** Starts the load, unless it runs, and waits until requests, a delivery and a sync job are under way at once. */
  work(): Promise<void>;
  /** Ends the load, waits until every change is published, and compares the service with its model. */
  settle(): Promise<void>;
  /** Runs SQL on a connection of its own, straight to the server. */
  sql: Sql;
  close(): Promise<void>;
}

/** Sets one. `through` is the way the processes take to the database; its own URL unless said. */
export async function setScene(databaseUrl: string, { through = databaseUrl } = {}): Promise<Scene> {
  const database = openDatabase({ url: databaseUrl, poolSize: 2 });
  const locationId = await createLocation(database, { timezone: 'America/St_Johns', currency: 'CAD' });
  const limits = { batchJobsPerHour: 100_000, perMinute: 1_000_000 };
  const { key } = await createKey(database, { locationId, ...limits });
  await database.close();
  const env = { DATABASE_URL: through, WEBHOOK_TARGETS: 'any' };
  const [api, consumer] = await Promise.all([startProcess({ entry: 'api', env }), startConsumer()]);
  const apiUrl = api.url ?? '';
  const target = async () => apiUrl;
  const restaurant = await openRestaurant({ target, locationId, key, consumer, callers: 4 });
  const worker = await startProcess({ entry: 'worker', env });
  // Slow enough that something is always on its way.
  consumer.behave(() => ({ afterMs: 30 }));

  const sql = sqlAt(databaseUrl);
  let driven: Drive | undefined;
  return {
    apiUrl,
    key,
    api,
    worker,
    restaurant,
    consumer,
    sql,
    async work() {
      driven ??= startDrive([restaurant], { callers: 4, seed: Date.now() % 1e6, paceMs: 60, jobEvery: 15 });
      const underWay = async () => {
        const jobs = await sql(`select from sync_jobs where status in ('queued', 'processing')`);
        return jobs.length > 0 && restaurant.inFlight() > 0 && consumer.inHand().length > 0;
      };
      await waitFor('requests, a delivery and a sync job under way at once', underWay, { timeoutMs: 60_000 });
    },
    async settle() {
      await driven?.stop();
      consumer.behave(() => ({}));
      // However long the backlog is, publishing must never stop for 60 s.
      for (let left = await leftToTell(sql); left > 0; ) {
        const before = left;
        const moves = async () => {
          left = await leftToTell(sql);
          return left !== before;
        };
        await waitFor(`any of ${before} to be published`, moves, { timeoutMs: 60_000, intervalMs: 200 });
      }
      await compareRestaurant(restaurant, { databaseUrl, consumer });
      expectAlive(api);
      expectAlive(worker);
    },
    async close() {
      restaurant.close();
      await Promise.all([api.stop(), worker.stop()]);
      await consumer.close();
    },
  };
}

/** The process that was started lives, and has written nothing but lines of its log. */
export function expectAlive(started: TestProcess): void {
  expect(() => process.kill(started.pid, 0)).not.toThrow();
  const raw = started
    .output()
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('{'));
  expect(raw).toEqual([]);
}

/** Changes to publish, events to deliver and jobs to do. */
async function leftToTell(sql: Scene['sql']): Promise<number> {
  const [left] = await sql<{ count: number }>`
    select (select count(*) from internal.captured_changes) + (select count(*) from webhook_deliveries where status = 'pending')
    + (select count(*) from sync_jobs where status in ('queued', 'processing')) as count`;
  return Number(left?.count);
}
