import { randomUUID } from 'node:crypto';
import { openDatabase } from '@comanda/db';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { choosePort } from '../../packages/embedded/src/port.ts';
import { callRest } from '../support/api.ts';
import { startConsumer } from '../support/consumer.ts';
import { panelsOf, readDashboard } from '../support/dashboard.ts';
import { useTestDatabase } from '../support/database.ts';
import { createKey, createLocation, createPaymentMethod, createProduct } from '../support/factories.ts';
import { orderBody } from '../support/orders.ts';
import { startProcess } from '../support/processes.ts';
import { waitFor } from '../support/wait.ts';
import { promtoolPath, runProgram } from './programs.ts';
import { startPrometheus } from './prometheus.ts';

const own = useTestDatabase();
const panels = panelsOf(readDashboard());
const patience = { timeoutMs: 60_000, intervalMs: 500 };

/** Panels that may be empty: those without data in this service have `Empty unless …` in their description. */
const isOptional = (description: string) => description.startsWith('Empty unless ');

let scene: Awaited<ReturnType<typeof setScene>>;

/** A restaurant that takes orders, whose ERP hears of them, and a Prometheus that scrapes its API and its worker. */
async function setScene() {
  const database = openDatabase({ url: own.url, poolSize: 2 });
  const locationId = await createLocation(database);
  const { key } = await createKey(database, { locationId });
  const productId = await createProduct(database, { locationId, stock: { quantity: 1_000 } });
  const kitchen = { productId, paymentMethodId: await createPaymentMethod(database, { locationId }) };
  const consumer = await startConsumer();
  const env = {
    DATABASE_URL: own.url,
    ENCRYPTION_KEY: 'the-key-that-api-and-worker-share-here',
    WEBHOOK_TARGETS: 'any',
  };
  const workerPort = await choosePort(inject('runDirectory'), null);
  const [api, worker] = await Promise.all([
    startProcess({ entry: 'api', env }),
    startProcess({ entry: 'worker', env: { ...env, WORKER_PORT: String(workerPort) } }),
  ]);
  const url = api.url ?? '';
  const workerUrl = `http://127.0.0.1:${workerPort}`;
  const prometheus = await startPrometheus({ api: url, worker: workerUrl });
  const post = (route: string, body: unknown) =>
    callRest(url, route, { key, body, headers: { 'idempotency-key': randomUUID() } });
  return {
    prometheus,
    post,
    consumer,
    kitchen,
    scrapes: () => Promise.all([url, workerUrl].map(async (each) => (await fetch(`${each}/metrics`)).text())),
    async close() {
      await prometheus.stop();
      await Promise.all([api.stop(), worker.stop()]);
      await consumer.close();
      await database.close();
    },
  };
}

beforeAll(async () => {
  scene = await setScene();
  const { post, consumer, kitchen } = scene;
  await post('POST /v2/webhook-endpoints', { url: consumer.url, events: ['order.created'] });
  for (let order = 0; order < 20; order += 1)
    expect((await post('POST /v2/orders', orderBody(kitchen))).status).toBe(201);
  await waitFor('the deliveries', () => consumer.received.length >= 20);
  await waitFor(
    'the checks of doctor',
    async () => (await scene.prometheus.series('comanda_check_outcome')) > 0,
    patience,
  );
}, 180_000);
afterAll(() => scene?.close(), 60_000);

describe('each panel of the dashboard', () => {
  it.each(panels.filter(({ description }) => !isOptional(description)))(
    'shows: $title',
    async ({ queries }) => {
      for (const query of queries)
        await waitFor(query, async () => (await scene.prometheus.series(query)) > 0, patience);
    },
    120_000,
  );

  it.each(panels.filter(({ description }) => isOptional(description)))(
    'can be asked: $title',
    async ({ queries }) => {
      for (const query of queries) await scene.prometheus.series(query);
    },
  );

  it('is empty for a reason where it may be', async () => {
    expect(panels.filter(({ description }) => isOptional(description)).map(({ title }) => title)).toEqual([
      'Jobs in the queue',
      'Archive of the log fails',
    ]);
  });

  it('names no more than ten locations', async () => {
    for (const name of ['requests', 'orders', 'delivery_attempts'])
      expect(await scene.prometheus.series(`comanda_location_${name}`)).toBe(1);
  });
});

it('promtool finds nothing wrong with what API and worker answer', async () => {
  for (const text of await scene.scrapes())
    expect(runProgram(promtoolPath(), ['check', 'metrics'], text)).toBe('');
});
