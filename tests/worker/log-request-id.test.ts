import { expect, it } from 'vitest';
import { useApi } from '../support/api.ts';
import { useConsumer } from '../support/consumer.ts';
import { createProduct } from '../support/factories.ts';
import { recordLog } from '../support/recorded-log.ts';
import { createSteppedWorker } from '../support/stepped-worker.ts';
import { use } from '../support/use.ts';

// One id, from the answer of the API to what a worker writes about the consequences.

const encryptionKey = 'the-key-that-api-and-worker-share-here';
const api = useApi(() => ({ encryptionKey }));
const { log, lines: written } = recordLog();
const worker = use(
  () => createSteppedWorker(api.databaseUrl, encryptionKey, { log }),
  (stepped) => stepped.stop(),
);
const consumer = useConsumer((received, response) => {
  response.statusCode = received.path === '/refuses' ? 500 : 200;
  response.end();
});

const lines = (message: string, requestId: string) =>
  written.filter((line) => line.msg === message && line.requestId === requestId);

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

  for (let attempt = 1; attempt <= 5; attempt += 1) {
    await worker.turn();
    await worker.makeDue();
  }
  const attempts = lines('delivery attempt', 'erp-run-17');
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
  expect(JSON.stringify(written)).not.toContain('not-for-the-log');
});

it('a sync job is logged under the id of the request that sent it', async () => {
  const answer = await api.rest<{ data: { job_id: string } }>('POST /v2/sync/products', {
    body: { items: [{ external_id: 'e-1', name: 'Flat White', price: 3 }] },
    headers: { 'x-request-id': 'erp-sync-18', 'idempotency-key': 'sync-18' },
  });
  expect(answer.status).toBe(202);
  await worker.turn();
  const [ended] = lines('sync job ended', 'erp-sync-18');
  expect(ended).toMatchObject({
    status: 'completed',
    processed: 1,
    failed: 0,
    jobId: answer.body.data.job_id,
  });
  expect(lines('sync job begins', 'erp-sync-18')).toHaveLength(1);
});

async function createEndpoint(url: string, events: string[]): Promise<string> {
  const answer = await api.rest<{ data: { id: string } }>('POST /v2/webhook-endpoints', {
    body: { url, events },
  });
  expect(answer.status, answer.text).toBe(201);
  return answer.body.data.id;
}
