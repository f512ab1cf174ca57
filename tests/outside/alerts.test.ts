import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openDatabase } from '@comanda/db';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { choosePort } from '../../packages/embedded/src/port.ts';
import { startOwnServer } from '../faults/postgres/server.ts';
import { callRest } from '../support/api.ts';
import { underDeed } from '../support/by-hand.ts';
import { startConsumer } from '../support/consumer.ts';
import { createKey, createLocation, createProduct } from '../support/factories.ts';
import { startProcess } from '../support/processes.ts';
import { waitFor } from '../support/wait.ts';
import { promtoolPath, runProgram } from './programs.ts';
import { type Prometheus, rulesFolder, startPrometheus } from './prometheus.ts';

const rules = join(rulesFolder, 'comanda.rules.yml');
/** Alerts whose fault is not made in earnest here: comanda.tests.yml plays the metrics of all. */
const played = [
  'ComandaEventLoopSlow',
  'ComandaPoolerDown',
  'ComandaDatabaseRefusesWrites',
  'ComandaProcessesMissing',
  'ComandaEndpointsFailing',
  'ComandaClockSkew',
  'ComandaConnectionsNearEnd',
  'ComandaArchiveFails',
  'ComandaDiskNearFull',
  'ComandaVacuumBehind',
  'ComandaCheckWrong',
  'ComandaChecksOld',
];
const named = [...readFileSync(rules, 'utf8').matchAll(/alert: (\w+)/g)].map(([, name]) => name ?? '');
const encryptionKey = 'the-key-that-api-and-worker-share-here';
const fired = new Set<string>(played);

type Scene = Awaited<ReturnType<typeof setScene>>;
let scene: Scene;

async function setScene() {
  const server = await startOwnServer();
  const database = openDatabase({ url: server.url, poolSize: 2 });
  const locationId = await createLocation(database);
  const { key } = await createKey(database, { locationId });
  const productId = await createProduct(database, { locationId });
  const env = {
    DATABASE_URL: server.url,
    ENCRYPTION_KEY: encryptionKey,
    WEBHOOK_TARGETS: 'any',
    WEBHOOK_RETRY_DELAYS: '0,0,0,0',
  };
  const workerPort = await choosePort(server.instance.home, null);
  const startWorker = () =>
    startProcess({ entry: 'worker', env: { ...env, WORKER_PORT: String(workerPort) } });
  const api = await startProcess({ entry: 'api', env });
  const url = api.url ?? '';
  const prometheus: Prometheus = await startPrometheus({
    api: url,
    worker: `http://127.0.0.1:${workerPort}`,
  });
  let worker: Awaited<ReturnType<typeof startWorker>> | undefined;
  return {
    server,
    api,
    prometheus,
    rest: (route: string, body: unknown) =>
      callRest(url, route, { key, body, headers: { 'idempotency-key': route } }),
    rename: (name: string) => callRest(url, `PATCH /v2/products/${productId}`, { key, body: { name } }),
    sql: (text: string) => underDeed(database.pool, 'repair: the scene of a test', text),
    async work(on: boolean) {
      if (!on) await worker?.stop();
      worker = on ? await startWorker() : undefined;
    },
    async close() {
      await prometheus.stop();
      await Promise.all([api.stop().catch(() => {}), worker?.stop()]);
      await database.close();
      await server.remove();
    },
  };
}

beforeAll(async () => {
  scene = await setScene();
}, 120_000);
afterAll(() => scene?.close(), 60_000);

/** Waits until it fires, then until it is silent after `heal`. */
async function firesUntil(alert: string, heal: () => Promise<unknown>): Promise<void> {
  const { prometheus } = scene;
  await waitFor(`${alert} to fire`, async () => (await prometheus.firing()).includes(alert), patience);
  fired.add(alert);
  await heal();
  await waitFor(`${alert} to be silent`, async () => !(await prometheus.firing()).includes(alert), patience);
}

const patience = { timeoutMs: 60_000 };

// The last test judges which have fired in the others.
describe('an alert', { shuffle: false }, () => {
  it('promtool finds the rules and the settings right, and its tests of what is played pass', () => {
    expect(runProgram(promtoolPath(), ['check', 'rules', rules])).toContain(`${named.length} rules found`);
    runProgram(promtoolPath(), ['check', 'config', join(rulesFolder, 'prometheus.yml')]);
    runProgram(promtoolPath(), ['test', 'rules', join(rulesFolder, 'comanda.tests.yml')]);
  });

  it('no worker: it is called for, and what waits with it', async () => {
    await scene.rename('while no worker publishes');
    await scene.sql(`update internal.captured_changes set captured_at = now() - interval '10 minutes'`);
    const beside = ['ComandaProcessDown', 'ComandaPublishingStalled', 'ComandaRelayBehind'];
    await waitFor(
      'all three',
      async () => {
        const firing = await scene.prometheus.firing();
        return beside.every((name) => firing.includes(name));
      },
      patience,
    );
    for (const name of beside) fired.add(name);
    await firesUntil('ComandaNoWorker', () => scene.work(true));
    // Findings of doctor from the time without a worker are reported until its next look, minutes later.
    const quickly = async () =>
      (await scene.prometheus.firing()).filter((name) => name !== 'ComandaCheckWrong');
    await waitFor('all others to be silent', async () => (await quickly()).length === 0, patience);
  }, 180_000);

  it('a change that cannot be published, until it is tried again', async () => {
    await scene.sql(`insert into internal.captured_changes (location_id, resource, operation, resource_ids, failures, error, retry_at)
    select id, 'products', 'update', array[id], 1, 'a scene', now() + interval '1 hour' from locations limit 1`);
    await firesUntil('ComandaChangesSetAside', () => scene.sql('delete from internal.captured_changes'));
  }, 180_000);

  it('deliveries that were given up, and those that are overdue', async () => {
    const refusing = await startConsumer((_, response) => {
      response.statusCode = 500;
      response.end();
    });
    await scene.rest('POST /v2/webhook-endpoints', { url: refusing.url, events: ['product.updated'] });
    await scene.rename('that no worker takes');
    await waitFor(
      'ComandaDeliveriesDead to fire',
      async () => (await scene.prometheus.firing()).includes('ComandaDeliveriesDead'),
      patience,
    );
    fired.add('ComandaDeliveriesDead');

    await scene.work(false);
    await scene.sql(
      `update webhook_deliveries set status = 'pending', next_attempt_at = now() - interval '1 hour'`,
    );
    await firesUntil('ComandaDeliveriesOverdue', () => scene.sql('delete from webhook_deliveries'));
    await scene.work(true);
    await refusing.close();
  }, 180_000);

  it('a sync job that does not end', async () => {
    await scene.work(false);
    await scene.rest('POST /v2/sync/products', {
      items: [{ external_id: 'A', name: 'Tea', description: '', price: 1 }],
    });
    await scene.sql(`update sync_jobs set created_at = now() - interval '2 hours'`);
    await firesUntil('ComandaSyncJobsStuck', () => scene.work(true));
  }, 180_000);

  it('the database is away: it is called for, and so are the answers', async () => {
    await scene.server.stop('fast');
    await waitFor(
      'ComandaServerErrors to fire',
      async () => {
        // Calls continue: Prometheus sees no rate of a counter that stays at its first sample.
        expect((await scene.rename('away')).status).toBe(503);
        return (await scene.prometheus.firing()).includes('ComandaServerErrors');
      },
      patience,
    );
    fired.add('ComandaServerErrors');
    await firesUntil('ComandaDatabaseDown', () => scene.server.start());
  }, 180_000);

  it('every alert has fired for its fault', () => {
    expect([...fired].sort()).toEqual([...named].sort());
  });
});
