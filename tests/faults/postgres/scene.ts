import { openDatabase } from '@comanda/db';
import { expect } from 'vitest';
import { createChance } from '../../e2e/day/chance.ts';
import { createKey, createLocation, createPaymentMethod } from '../../support/factories.ts';
import { startProcess, type TestProcess } from '../../support/processes.ts';
import { type Sql, sqlAt } from '../../support/sql.ts';
import { waitFor } from '../../support/wait.ts';
import { type Consumer, startConsumer } from '../support/consumer.ts';
import { createLedger, type Ledger } from '../support/ledger.ts';
import { type Load, startLoad } from '../support/load.ts';
import { comparePublished, type Published } from '../support/missing-events.ts';
import { complaintsOf, type Reconciliation, reconcile } from '../support/reconcile.ts';
import { openShop, type Shop } from '../support/shop.ts';

/** An API and a worker on a database that is about to go away, with a consumer and a load of orders and jobs. */
export interface Scene {
  apiUrl: string;
  key: string;
  api: TestProcess;
  worker: TestProcess;
  shop: Shop;
  ledger: Ledger;
  consumer: Consumer;
  /** Starts the load, unless it runs, and waits until requests, a delivery and a sync job are under way at once. */
  work(): Promise<void>;
  /** Ends the load, waits until every change is published, and compares ledger, database and consumer. */
  settle(): Promise<{ books: Reconciliation; published: Published }>;
  /** Runs SQL on a connection of its own, straight to the server. */
  sql: Sql;
  close(): Promise<void>;
}

/** Sets one. `through` is the way the processes take to the database; its own URL unless said. */
export async function setScene(databaseUrl: string, { through = databaseUrl } = {}): Promise<Scene> {
  const database = openDatabase({ url: databaseUrl, poolSize: 2 });
  const locationId = await createLocation(database);
  const { key } = await createKey(database, { locationId, batchJobsPerHour: 100_000 });
  await createPaymentMethod(database, { locationId });
  await database.close();
  const env = { DATABASE_URL: through, WEBHOOK_TARGETS: 'any' };
  const [api, consumer] = await Promise.all([startProcess({ entry: 'api', env }), startConsumer()]);
  const apiUrl = api.url ?? '';
  const ledger = createLedger();
  const shop = await openShop(apiUrl, key, ledger, { registers: 4, hookUrl: consumer.hookUrl(locationId) });
  consumer.useSecret(locationId, shop.endpoint?.secret ?? '');
  const worker = await startProcess({ entry: 'worker', env });
  // Slow enough that something is always on its way.
  consumer.behave(() => ({ afterMs: 30 }));

  const sql = sqlAt(databaseUrl);
  let load: Load | undefined;
  return {
    ...{ apiUrl, key, api, worker, shop, ledger, consumer, sql },
    async work() {
      load ??= startLoad({
        ...{ target: async () => apiUrl, shops: [shop], ledger, lanes: 4 },
        ...{ chance: createChance(Date.now()), paceMs: 60, jobEvery: 15 },
      });
      const underWay = async () => {
        const jobs = await sql(`select from sync_jobs where status in ('queued', 'processing')`);
        return jobs.length > 0 && (load?.inFlight() ?? 0) > 0 && consumer.inHand().length > 0;
      };
      await waitFor('requests, a delivery and a sync job under way at once', underWay, { timeoutMs: 60_000 });
    },
    async settle() {
      await load?.stop();
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
      const books = await reconcile(databaseUrl, ledger, [shop]);
      const published = await comparePublished(databaseUrl, ledger, [shop], consumer);
      expect([...complaintsOf(books), ...published.complaints]).toEqual([]);
      const { missing, waiting, dead } = published;
      expect([books.unknownAbsent, books.unknownFound, missing, waiting, dead]).toEqual([0, 0, 0, 0, 0]);
      expect(books.found).toBe(books.acknowledged);
      expectAlive(api);
      expectAlive(worker);
      return { books, published };
    },
    async close() {
      await load?.stop(0);
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
