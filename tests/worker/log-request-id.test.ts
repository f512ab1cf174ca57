import { afterAll, beforeAll, expect, it } from 'vitest';
import { useApi } from '../support/api.ts';
import { useConsumer } from '../support/consumer.ts';
import { createProduct } from '../support/factories.ts';
import { startProcess, type TestProcess } from '../support/processes.ts';
import { waitFor } from '../support/wait.ts';

// One id, from the answer of the API to what a worker in another process writes about the consequences.

type Line = Record<string, unknown>;

const encryptionKey = 'the-key-that-api-and-worker-share-here';
const api = useApi(() => ({ encryptionKey }));
let worker: TestProcess;
const consumer = useConsumer((received, response) => {
  response.statusCode = received.path === '/refuses' ? 500 : 200;
  response.end();
});

beforeAll(async () => {
  worker = await startProcess({
    entry: 'worker',
    env: {
      DATABASE_URL: api.databaseUrl,
      ENCRYPTION_KEY: encryptionKey,
      WEBHOOK_TARGETS: 'any',
      WEBHOOK_RETRY_DELAYS: '0,0,0,0',
      LOG_LEVEL: 'info',
    },
  });
}, 60_000);

afterAll(async () => {
  await worker?.stop();
});

const lines = (message: string, requestId: string): Line[] =>
  worker
    .output()
    .split('\n')
    .filter((text) => text.startsWith('{'))
    .map((text) => JSON.parse(text) as Line)
    .filter((line) => line.msg === message && line.requestId === requestId);

it('an attempt is logged under the id of the request that made the change', async () => {
  const { origin } = new URL(consumer.url);
  const endpointId = await createEndpoint(`${origin}/takes?token=not-for-the-log`, ['product.updated']);
  const refusingId = await createEndpoint(`${origin}/refuses`, ['product.updated']);
  const id = await createProduct(api.app.database, { locationId: api.locationId });
  const answer = await api.rest(`PATCH /v2/products/${id}`, {
    body: { price: 13 },
    headers: { 'x-request-id': 'erp-run-17' },
  });
  expect(answer.status).toBe(200);
  expect(answer.headers.get('x-request-id')).toBe('erp-run-17');

  const attempts = await waitFor('six attempts in the log', () => {
    const found = lines('delivery attempt', 'erp-run-17');
    return found.length >= 6 && found;
  });
  const [delivered] = attempts.filter((line) => line.endpointId === endpointId);
  expect(delivered).toMatchObject({
    level: 30,
    locationId: api.locationId,
    eventType: 'product.updated',
    attempt: 1,
    outcome: 'delivered',
    responseCode: 200,
  });
  const [sent] = consumer.received.filter(({ path }) => path.startsWith('/takes'));
  expect(delivered?.eventId).toBe(sent?.body.id);
  const refused = attempts.filter((line) => line.endpointId === refusingId);
  expect(refused.map(({ level, attempt, outcome }) => [level, attempt, outcome])).toEqual([
    [30, 1, 'failed'],
    [30, 2, 'failed'],
    [30, 3, 'failed'],
    [30, 4, 'failed'],
    [40, 5, 'dead'],
  ]);
  expect(refused[0]?.reason).toBe('HTTP 500');
  expect(worker.output()).not.toContain('not-for-the-log');
}, 60_000);

it('a sync job is logged under the id of the request that sent it', async () => {
  const answer = await api.rest<{ data: { job_id: string } }>('POST /v2/sync/products', {
    body: { items: [{ external_id: 'e-1', name: 'Flat White', price: 3 }] },
    headers: { 'x-request-id': 'erp-sync-18', 'idempotency-key': 'sync-18' },
  });
  expect(answer.status).toBe(202);
  const [ended] = await waitFor('the end of the job in the log', () => {
    const found = lines('sync job ended', 'erp-sync-18');
    return found.length > 0 && found;
  });
  expect(ended).toMatchObject({
    status: 'completed',
    processed: 1,
    failed: 0,
    jobId: answer.body.data.job_id,
  });
  expect(lines('sync job begins', 'erp-sync-18')).toHaveLength(1);
}, 60_000);

async function createEndpoint(url: string, events: string[]): Promise<string> {
  const answer = await api.rest<{ data: { id: string } }>('POST /v2/webhook-endpoints', {
    body: { url, events },
  });
  expect(answer.status, answer.text).toBe(201);
  return answer.body.data.id;
}
