import { randomBytes } from 'node:crypto';
import { openDatabase } from '@comanda/db';
import { expect, test } from 'vitest';
import { createChance } from '../e2e/day/chance.ts';
import { createEmptyDatabase } from '../support/database.ts';
import { createKey, createLocation, createPaymentMethod } from '../support/factories.ts';
import { reportFault } from '../support/trials.ts';
import { waitFor } from '../support/wait.ts';
import { runStart } from './pressure/starts.ts';
import { startConsumer } from './support/consumer.ts';
import { createLedger } from './support/ledger.ts';
import { startLoad } from './support/load.ts';
import { comparePublished } from './support/missing-events.ts';
import { complaintsOf, reconcile } from './support/reconcile.ts';
import { openShop } from './support/shop.ts';

test('two starts on one database at once migrate once, serve side by side, and deliver nothing twice', {
  timeout: 400_000,
}, async () => {
  const own = await createEmptyDatabase();
  const env = {
    ...{ DATABASE_URL: own.url, WEBHOOK_TARGETS: 'any', SEED_DEMO: 'false' },
    ENCRYPTION_KEY: randomBytes(32).toString('base64'),
  };
  const runs = await Promise.all([runStart(env), runStart(env)]);
  const database = openDatabase({ url: own.url, poolSize: 2 });
  const { rows } = await database.pool.query<{ times: number }>(
    'select count(*)::int as times from _prisma_migrations group by migration_name',
  );
  expect(rows.length).toBeGreaterThan(0);
  expect(rows.filter(({ times }) => times !== 1)).toEqual([]);

  const consumer = await startConsumer();
  const ledger = createLedger();
  const locationId = await createLocation(database);
  await createPaymentMethod(database, { locationId });
  const { key } = await createKey(database, { locationId, batchJobsPerHour: 100_000 });
  const urls = runs.map(({ baseUrl }) => baseUrl);
  const shop = await openShop(urls[0] ?? '', key, ledger, {
    registers: 4,
    hookUrl: consumer.hookUrl(locationId),
  });
  consumer.useSecret(locationId, shop.endpoint?.secret ?? '');
  let turn = 0;
  const target = async () => urls[turn++ % urls.length] ?? '';
  const load = startLoad({
    ...{ target, shops: [shop], ledger, lanes: 4 },
    ...{ chance: createChance(5), paceMs: 10, jobEvery: 100 },
  });
  await waitFor('orders through both', () => ledger.orders.length > 60, { timeoutMs: 120_000 });
  await load.stop();
  await waitFor(
    'everything to be published',
    async () => {
      const { rows: left } = await database.pool.query<{ count: number }>(
        `select ((select count(*) from internal.captured_changes)
           + (select count(*) from webhook_deliveries where next_attempt_at is not null)
           + (select count(*) from sync_jobs where status in ('queued', 'processing')))::int as count`,
      );
      return left[0]?.count === 0;
    },
    { timeoutMs: 120_000, intervalMs: 200 },
  );
  const books = await reconcile(own.url, ledger, [shop]);
  const published = await comparePublished(own.url, ledger, [shop], consumer);
  // The workers deliver while the shop is still being opened, before the consumer can check a signature.
  const complaints = published.complaints.filter((one) => !one.endsWith('came before the secret was known'));
  expect([...complaintsOf(books), ...complaints]).toEqual([]);
  const { repeats, missing, dead, delivered } = published;
  expect([ledger.unavailable, ledger.unanswered, repeats, missing, dead]).toEqual([0, 0, 0, 0, 0]);
  for (const run of runs) run.stop();
  expect(await Promise.all(runs.map(({ ended }) => ended))).toEqual([0, 0]);
  reportFault('two starts on one database', {
    ...{ trials: 1, real: turn > 60 ? 1 : 0, migrations: rows.length, acknowledged: books.acknowledged },
    ...{ delivered, repeats, unavailable: ledger.unavailable },
  });
  for (const run of runs) run.remove();
  await consumer.close();
  await database.close();
  await own.drop();
});
