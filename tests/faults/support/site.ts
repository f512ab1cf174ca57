import { randomBytes } from 'node:crypto';
import { type Database, openDatabase } from '@comanda/db';
import { createTestDatabase } from '../../support/database.ts';
import { createKey, createLocation, createPaymentMethod } from '../../support/factories.ts';
import { startProcess, type TestProcess } from '../../support/processes.ts';
import { waitFor } from '../../support/wait.ts';
import { type Consumer, startConsumer } from './consumer.ts';
import { createLedger, type Ledger } from './ledger.ts';
import { openShop, type Shop } from './shop.ts';

/** Real processes on a database of their own, with shops in it and a consumer that hears of everything. */
export interface Site {
  /** The API that served first. */
  api: TestProcess;
  databaseUrl: string;
  database: Database;
  ledger: Ledger;
  shops: Shop[];
  consumer: Consumer;
  start(entry: 'api' | 'worker', env?: Readonly<Record<string, string>>): Promise<TestProcess>;
  /** Lets the load call this address; none holds it. */
  serveAt(url: string | undefined): void;
  /** For the load: the address to call, once there is one. */
  target(): Promise<string>;
  /** Waits until no session of that kind of process is left: the work of a dead one has ended then. */
  sessionsGone(kind: 'api' | 'worker'): Promise<void>;
  /** Waits until every change is published and every delivery has ended. */
  quiet(timeoutMs: number): Promise<void>;
  close(): Promise<void>;
}

/** Opens one, with an API that serves. `lanes`: writers that each shop must have room for. */
export async function openSite({ shops: count, lanes }: { shops: number; lanes: number }): Promise<Site> {
  const own = await createTestDatabase();
  const database = openDatabase({ url: own.url, poolSize: 3, applicationName: 'comanda.test' });
  const consumer = await startConsumer();
  const ledger = createLedger();
  const env = {
    DATABASE_URL: own.url,
    WEBHOOK_TARGETS: 'any',
    ENCRYPTION_KEY: randomBytes(32).toString('base64'),
  };
  let address: string | undefined;
  let waiting: (() => void)[] = [];
  const site: Omit<Site, 'api'> = {
    ...{ databaseUrl: own.url, database, ledger, consumer, shops: [] },
    // Under other load a start takes long, which says nothing about the tested part.
    start: (entry, more = {}) => startProcess({ entry, env: { ...env, ...more }, readyTimeoutMs: 180_000 }),
    serveAt(url) {
      address = url;
      if (url !== undefined) for (const wake of waiting.splice(0)) wake();
    },
    async target() {
      while (address === undefined) await new Promise<void>((resolve) => waiting.push(resolve));
      return address;
    },
    async sessionsGone(kind) {
      await waitFor(`the sessions of the ${kind} to end`, async () => {
        const { rows } = await database.pool.query(
          `select from pg_stat_activity where datname = current_database() and application_name like $1`,
          [`comanda-${kind}%`],
        );
        return rows.length === 0;
      });
    },
    quiet: (timeoutMs) => untilQuiet(database.pool, timeoutMs),
    async close() {
      waiting = [];
      await database.close();
      await consumer.close();
      await own.drop();
    },
  };
  const api = await site.start('api');
  for (let index = 0; index < count; index++) {
    const locationId = await createLocation(database);
    await createPaymentMethod(database, { locationId });
    const { key } = await createKey(database, {
      locationId,
      batchJobsPerHour: 1_000_000,
      maxItemsPerBatch: 5_000,
    });
    const hookUrl = consumer.hookUrl(locationId);
    const shop = await openShop(api.url ?? '', key, ledger, { registers: lanes, hookUrl });
    consumer.useSecret(locationId, shop.endpoint?.secret ?? '');
    site.shops.push(shop);
  }
  site.serveAt(api.url);
  return { ...site, api };
}

/** Waits until every change of a database is published, every delivery has ended and every job is done. */
export async function untilQuiet(pool: Pick<Database['pool'], 'query'>, timeoutMs: number): Promise<void> {
  await waitFor(
    'every change to be published and every delivery to be over',
    async () => {
      // One statement, so one snapshot: between two, an event could be missed by both.
      const { rows } = await pool.query<{ count: number }>(
        `select ((select count(*) from internal.captured_changes)
           + (select count(*) from webhook_deliveries where next_attempt_at is not null)
           + (select count(*) from sync_jobs where status in ('queued', 'processing')))::int as count`,
      );
      return rows[0]?.count === 0;
    },
    { timeoutMs, intervalMs: 200 },
  );
}
