import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { statement } from '@comanda/db';
import { startTestApi, type TestApi } from '../../support/api.ts';
import { createCategory, createKey } from '../../support/factories.ts';
import { prismaOf } from '../../support/prisma.ts';
import { startProcess, type TestProcess } from '../../support/processes.ts';
import { dataIn } from '../../support/restaurant.ts';
import { waitFor } from '../../support/wait.ts';
import { type Consumer, startConsumer } from '../support/consumer.ts';
import { type Batch, existing, type Gate, shutGate } from './batches.ts';

/** A job as REST shows it. */
export interface ShownJob {
  status: 'queued' | 'processing' | 'completed' | 'failed';
  total_items: number;
  processed_items: number;
  success_items: number;
  failed_items: number;
  errors: { index: number; code: string }[];
}

/** A database of its own with a server on it, a consumer, and worker processes that come and go. */
export interface Shop {
  api: TestApi;
  consumer: Consumer;
  /** `elsewhere`: as if on another machine, where no process sees that it is gone. */
  startWorker(elsewhere?: boolean): Promise<TestProcess>;
  /** Starts the job of a batch; returns its id. */
  start(batch: Batch): Promise<string>;
  job(id: string): Promise<ShownJob>;
  close(): Promise<void>;
}

/** Opens one in which the products that the batches expect are there already. */
export async function openShop(batches: readonly Batch[]): Promise<Shop> {
  const encryptionKey = randomBytes(32).toString('base64');
  const api = await startTestApi({ encryptionKey });
  const { locationId, app } = api;
  const consumer = await startConsumer();
  const { key } = await createKey(app.database, { locationId, maxItemsPerBatch: 5_000 });
  await createCategory(app.database, { locationId, externalId: 'known' });
  await prismaOf(app.database).product.createMany({
    data: batches.flatMap(existing).map((product) => ({ ...product, locationId })),
  });
  const shop: Shop = {
    api,
    consumer,
    async startWorker(elsewhere = false) {
      const env = { DATABASE_URL: api.databaseUrl, ENCRYPTION_KEY: encryptionKey, WEBHOOK_TARGETS: 'any' };
      const worker = await startProcess({ entry: 'worker', env, readyTimeoutMs: 180_000 });
      if (elsewhere)
        await app.database.pool.query(
          `update internal.process_heartbeats set pid_space = 'elsewhere' where pid = $1`,
          [worker.pid],
        );
      return worker;
    },
    async start({ name, mode, items }) {
      const answer = await api.rest('POST /v2/sync/products', {
        key,
        body: { mode, items },
        headers: { 'idempotency-key': name },
      });
      return dataIn<{ job_id: string }>(answer, 202).job_id;
    },
    job: async (id) => dataIn<ShownJob>(await api.rest(`GET /v2/sync/jobs/${id}`)),
    async close() {
      await api.close();
      await consumer.close();
    },
  };
  const events = ['product.created', 'product.updated', 'catalog.updated', 'sync.completed', 'sync.failed'];
  const answer = await api.rest('POST /v2/webhook-endpoints', {
    body: { url: consumer.hookUrl('shop'), events },
  });
  consumer.useSecret('shop', dataIn<{ secret: string }>(answer, 201).secret);
  return shop;
}

/** The states that a kill met: the position of each job once the worker was dead. */
export interface Kill {
  jobs: ShownJob[];
  /** Jobs that were under way, with a part of their items applied. */
  hit: number;
}

/**
 * Lets a worker run until the first job that is not over waits in the middle of the chunk whose gate is shut, then kills
 * it: there, or a moment after the gate has opened. `worker` is one that runs and has not begun yet. Answers what the
 * kill met, and with `elsewhere` the worker that was there already and has to notice the silence.
 */
export async function killInTheMiddle(
  shop: Shop,
  jobs: readonly { id: string; gates: readonly Gate[] }[],
  options: { worker: TestProcess | undefined; elsewhere: boolean; afterGateMs: number | undefined },
): Promise<{ kill: Kill; next: TestProcess | undefined }> {
  const { elsewhere, afterGateMs } = options;
  const { api } = shop;
  const open = await shutGate(
    api.databaseUrl,
    api.locationId,
    jobs.flatMap(({ gates }) => gates),
  );
  const worker = options.worker ?? (await shop.startWorker(elsewhere));
  await waitFor('the job under way to be stopped at its gate', () => standsAtGate(shop, jobs), {
    timeoutMs: 240_000,
  });
  const other = elsewhere ? await shop.startWorker(elsewhere) : undefined;
  if (afterGateMs !== undefined) {
    await open();
    await sleep(afterGateMs);
  }
  const { signal } = await worker.stop('SIGKILL');
  if (signal !== 'SIGKILL') throw new Error(`the worker ended by itself:\n${worker.output()}`);
  // Its jobs in progress still wait for the gate; its server process learns of the death only after that.
  const standing = await Promise.all(jobs.map(({ id }) => shop.job(id)));
  await open();
  const hit = standing.filter(
    ({ status, processed_items, total_items }) =>
      status === 'processing' && processed_items > 0 && processed_items < total_items,
  ).length;
  return { kill: { jobs: standing, hit }, next: other };
}

// A location's jobs run one after the other, so the first unfinished one waits at its gate, and the others wait behind it.
async function standsAtGate(
  shop: Shop,
  jobs: readonly { id: string; gates: readonly Gate[] }[],
): Promise<boolean> {
  const shown = await Promise.all(jobs.map(({ id }) => shop.job(id)));
  const first = shown.findIndex(({ status }) => !['completed', 'failed'].includes(status));
  if (first === -1) return true;
  const [row] = await shop.api.app.database.run(waiting, []);
  const { status, processed_items } = shown[first] ?? {};
  const gates = jobs[first]?.gates ?? [];
  const atGate = gates.some(({ chunkStart }) => chunkStart === processed_items);
  return row !== undefined && row.count > 0 && status === 'processing' && atGate;
}

const waiting = statement<{ count: number }>(
  'test_takeover_waiting',
  `select count(*)::int as count from pg_stat_activity
   where datname = current_database() and wait_event_type = 'Lock' and application_name = 'comanda-worker'`,
);
