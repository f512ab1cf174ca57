import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createApp, startServer } from '@comanda/api';
import { exampleIds } from '@comanda/api/services';
import { startWorker } from '@comanda/worker';
import { seedDemo } from '../../prisma/seed.ts';
import { callRest } from './api.ts';
import { createTestDatabase } from './database.ts';
import { roleUrl } from './roles.ts';
import { useClosed } from './use.ts';

/** A real server over the demo data, as `npm start` has it, with a worker. */
export interface Demo {
  url: string;
  /** Of the demo location; it may do everything. */
  key: string;
  databaseUrl: string;
  /**
   * Rows of the examples that the demo data does not have under their ids: an endpoint, a sync job and planned prices that
   * were made for them, and a settlement, which PostgreSQL makes.
   */
  made: { endpoint: string; job: string; settlement: string; priceChange: string };
  close(): Promise<void>;
}

/** One for the tests of a file, or of the `describe` that it is called in. */
export const useDemo = (): Demo => useClosed(startDemo);

/** Starts one that the caller closes. */
export async function startDemo(): Promise<Demo> {
  const dataDir = mkdtempSync(join(tmpdir(), 'comanda-demo-'));
  const database = await createTestDatabase();
  const { key = '' } = await seedDemo({ databaseUrl: roleUrl(database.url, 'owner'), dataDir });
  rmSync(dataDir, { recursive: true });
  const shared = {
    databaseUrl: database.url,
    encryptionKey: randomBytes(32).toString('base64'),
    webhookTargets: 'any' as const,
    webhookAllowCidrs: [] as string[],
    logLevel: 'silent' as const,
  };
  const app = await createApp({ ...shared, idempotencyTtlHours: 168 });
  await app.database.pool.query(
    `insert into certifications (location_id, id, status, verdict, does, completed_at)
     select id, $1, 'passed', '8 of 8 checks passed.', $2, now() from locations`,
    [
      exampleIds.certification,
      { receives_webhooks: true, reads_catalog: true, reads_lists: true, places_orders: true },
    ],
  );
  const server = await startServer(app, { host: '127.0.0.1', port: 0 });
  const worker = await startWorker({
    ...shared,
    webhookTimeoutMs: 10_000,
    webhookRetryDelaysSeconds: [60, 60, 60, 60],
  });
  return {
    url: server.url,
    key,
    databaseUrl: database.url,
    made: await makeRest(server.url, key),
    async close() {
      await worker.stop();
      await server.drain(1_000);
      await app.close();
      await database.drop();
    },
  };
}

/** A text of the documents for this demo: with the ids of the endpoint and of the job that are there, and an address here. */
export const forDemo = (text: string, { made }: Pick<Demo, 'made'>): string =>
  text
    .replaceAll(exampleIds.endpoint, made.endpoint)
    .replaceAll(exampleIds.job, made.job)
    .replaceAll(exampleIds.priceChange, made.priceChange)
    .replaceAll(exampleIds.settlement, made.settlement)
    .replaceAll('https://erp.example.com/hooks/comanda', nobody);

/** Where nothing listens. */
const nobody = 'http://127.0.0.1:9/hook';

async function makeRest(url: string, key: string): Promise<Demo['made']> {
  const made = async (route: string, body: object) => {
    const headers = { 'idempotency-key': 'made-beforehand' };
    const answer = await callRest<{ data: Record<string, string> }>(url, route, { key, body, headers });
    if (answer.status >= 300) throw new Error(`${route} answered ${answer.text}`);
    return answer.body.data;
  };
  const endpoint = await made('POST /v2/webhook-endpoints', { url: nobody, events: ['order.created'] });
  const items = [{ external_id: 'DR-02', name: 'Espresso', price: 120 }];
  const job = await made('POST /v2/sync/products', { items });
  const { body } = await callRest<{ data: { id: string }[] }>(url, 'GET /v2/settlements?limit=1', { key });
  const prices = [{ external_id: 'DR-02', price: 180 }];
  const planned = await made('POST /v2/price-changes', { effective_at: '2030-01-01T00:00:00-03:00', prices });
  return {
    endpoint: endpoint.id ?? '',
    job: job.job_id ?? '',
    settlement: body.data[0]?.id ?? '',
    priceChange: planned.id ?? '',
  };
}
