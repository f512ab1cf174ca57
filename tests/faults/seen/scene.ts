import { randomBytes, randomUUID } from 'node:crypto';
import { openDatabase } from '@comanda/db';
import { type CheckResult, diagnose } from '../../../packages/api/src/doctor/doctor.ts';
import { choosePort } from '../../../packages/embedded/src/port.ts';
import { type Answer, callRest } from '../../support/api.ts';
import { createKey, createLocation, createPaymentMethod, createProduct } from '../../support/factories.ts';
import { metricsIn } from '../../support/metric-text.ts';
import { orderBody } from '../../support/orders.ts';
import { startProcess, type TestProcess } from '../../support/processes.ts';
import { type DatabaseProxy, startProxy } from '../../worker/proxy.ts';
import { type OwnServer, startOwnServer } from '../postgres/server.ts';

/** A service whose requests reach the database through a pooler, and what an operator sees of it. */
export interface SeenScene {
  server: OwnServer;
  /** The path of requests; all else bypasses it. */
  pooler: DatabaseProxy;
  worker: TestProcess;
  env: Readonly<Record<string, string>>;
  /** A caller's order. */
  order(): Promise<Answer>;
  /** A caller's read. */
  read(): Promise<Answer>;
  readyz(): Promise<{ status: number; body: Record<string, unknown> }>;
  workerReadyz(): Promise<{ status: number; body: Record<string, unknown> }>;
  /** The findings of `comanda doctor`, by the name of the check. */
  doctor(): Promise<Readonly<Record<string, CheckResult>>>;
  /** Of `/metrics`, by `name` or `name label label`: the values of the labels, as `comanda_database_state ok`. */
  metrics(): Promise<Readonly<Record<string, number>>>;
  close(): Promise<void>;
}

/** Starts a server with 40 connections, an API and a worker. */
export async function setSeenScene(): Promise<SeenScene> {
  const server = await startOwnServer({ settings: { max_connections: '40' } });
  const pooler = await startProxy(server.url);
  const database = openDatabase({ url: server.url, poolSize: 2 });
  const locationId = await createLocation(database);
  const { key } = await createKey(database, { locationId, perMinute: 1_000_000 });
  const kitchen = {
    productId: await createProduct(database, { locationId, stock: { quantity: 1_000_000 } }),
    paymentMethodId: await createPaymentMethod(database, { locationId }),
  };
  await database.close();
  const env = {
    DATABASE_URL: pooler.url,
    DATABASE_DIRECT_URL: server.url,
    WEBHOOK_TARGETS: 'any',
    ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    API_CONNECTIONS: '8',
    WORKER_CONNECTIONS: '12',
  };
  const workerPort = await choosePort(server.instance.home, null);
  const [api, worker] = await Promise.all([
    startProcess({ entry: 'api', env }),
    startProcess({ entry: 'worker', env: { ...env, WORKER_PORT: String(workerPort) } }),
  ]);
  const url = api.url ?? '';
  const readiness = async (base: string) => {
    const response = await fetch(`${base}/readyz`);
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };
  return {
    server,
    pooler,
    worker,
    env,
    order: () =>
      callRest(url, 'POST /v2/orders', {
        key,
        body: orderBody(kitchen),
        headers: { 'idempotency-key': randomUUID() },
      }),
    read: () => callRest(url, 'GET /v2/products?limit=1', { key }),
    readyz: () => readiness(url),
    workerReadyz: () => readiness(`http://127.0.0.1:${workerPort}`),
    async doctor() {
      const { checks } = await diagnose(env, { thresholds: { invariantSeconds: 1 } });
      return Object.fromEntries(checks.map((check) => [check.name, check]));
    },
    async metrics() {
      const exposed = metricsIn(await (await fetch(`${url}/metrics`)).text());
      return Object.fromEntries(
        exposed.flatMap(({ samples }) =>
          samples.map(({ name, labels, value }) => [[name, ...Object.values(labels)].join(' '), value]),
        ),
      );
    },
    async close() {
      pooler.mend();
      await Promise.all([api.stop(), worker.stop()]);
      await pooler.close();
      await server.remove();
    },
  };
}
