import { randomBytes } from 'node:crypto';
import { openDatabase } from '@comanda/db';
import { expect, test } from 'vitest';
import { compareRestaurant } from '../model/compare.ts';
import { startDrive } from '../model/drive.ts';
import { openRestaurant } from '../model/restaurant.ts';
import { untilQuiet } from '../model/service.ts';
import { createEmptyDatabase } from '../support/database.ts';
import { createKey, createLocation } from '../support/factories.ts';
import { reportFault } from '../support/trials.ts';
import { waitFor } from '../support/wait.ts';
import { runStart } from './pressure/starts.ts';
import { startConsumer } from './support/consumer.ts';

test('two starts on one database at once migrate once, serve side by side, and deliver nothing twice', {
  timeout: 400_000,
}, async () => {
  const own = await createEmptyDatabase();
  const env = {
    DATABASE_URL: own.url,
    WEBHOOK_TARGETS: 'any',
    SEED_DEMO: 'false',
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
  const locationId = await createLocation(database, { timezone: 'America/St_Johns', currency: 'CAD' });
  const { key } = await createKey(database, { locationId, batchJobsPerHour: 100_000, perMinute: 1_000_000 });
  const urls = runs.map(({ baseUrl }) => baseUrl);
  let turn = 0;
  const target = async () => urls[turn++ % urls.length] ?? '';
  const restaurant = await openRestaurant({ target, locationId, key, consumer, callers: 4 });
  const driven = startDrive([restaurant], { callers: 4, seed: 5, paceMs: 10, jobEvery: 100 });
  const { model, counts } = restaurant;
  await waitFor('orders through both', () => model.orders.length > 60, { timeoutMs: 120_000 });
  await driven.stop();
  await untilQuiet(database.pool, 120_000);
  await compareRestaurant(restaurant, { databaseUrl: own.url, consumer });
  expect(counts).toMatchObject({ unavailable: 0, unanswered: 0 });
  expect([...consumer.receipts.values()].filter(({ arrivals }) => arrivals.length > 1)).toEqual([]);
  for (const run of runs) run.stop();
  expect(await Promise.all(runs.map(({ ended }) => ended))).toEqual([0, 0]);
  reportFault('two starts on one database', {
    trials: 1,
    real: turn > 60 ? 1 : 0,
    migrations: rows.length,
    orders: model.orders.length,
  });
  restaurant.close();
  for (const run of runs) run.remove();
  await consumer.close();
  await database.close();
  await own.drop();
});
