import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { setLocationStatus } from '../../packages/api/src/resources/locations/status.store.ts';
import { sweep } from '../../packages/worker/src/sweeper.ts';
import { startTestApi } from '../support/api.ts';
import { useConsumer } from '../support/consumer.ts';
import { startTestWorker } from '../support/run-worker.ts';
import { use, useClosed } from '../support/use.ts';
import { waitFor } from '../support/wait.ts';

const encryptionKey = randomBytes(32).toString('base64');
const consumer = useConsumer();
const api = useClosed(() => startTestApi({ encryptionKey }));
use(
  () => startTestWorker(api.databaseUrl, encryptionKey, { webhookRetryDelaysSeconds: [1, 1, 1, 1] }),
  (worker) => worker.stop(),
);

const product = (name: string) =>
  api.rest('POST /v2/products', { body: { name, description: '', price: 1 } });
const count = async (text: string) => {
  const { rows } = await api.app.database.pool.query<{ n: number }>(`select count(*)::int as n from ${text}`);
  return rows[0]?.n;
};
const set = (status: 'active' | 'read_only' | 'disabled') =>
  setLocationStatus(api.app.database, api.locationId, status);
const answerWith = (status: number) =>
  waitFor(`${status}`, async () => {
    const answer = await product('Refused');
    return answer.status === status && answer;
  });

it('of a disabled location keys are refused, webhooks and jobs wait, and nothing is lost when it is enabled', async () => {
  await api.rest('POST /v2/webhook-endpoints', { body: { url: consumer.url, events: ['product.created'] } });
  await product('First');
  await waitFor('the first webhook', () => consumer.received.length === 1);

  // Published, and not sent yet: the location is disabled in the transaction that makes the change.
  await api.app.database.transaction(undefined, async (tx) => {
    await tx.run(
      {
        name: '',
        text: `insert into products (location_id, sku, name, price) values ($1, 'second', 'Second', 1)`,
      },
      [api.locationId],
    );
    await tx.run({ name: '', text: `update locations set status = 'disabled' where id = $1` }, [
      api.locationId,
    ]);
    await tx.run(
      {
        name: '',
        text: `insert into sync_jobs (location_id, id, items, total_items)
          values ($1, uuid_v7(), '[{"external_id":"T","name":"Tea","price":1,"sku":"T"}]', 1)`,
      },
      [api.locationId],
    );
  });
  // Read until then: writes before a process has learned of it are published.
  const refused = await waitFor('403', async () => {
    const answer = await api.rest('GET /v2/products');
    return answer.status === 403 && answer;
  });
  expect(refused.headers.get('x-error-reason')).toBe('location_disabled');
  expect((await product('Refused')).status).toBe(403);
  await waitFor('its delivery', async () => (await count('webhook_deliveries')) === 2);
  await waitFor('it to be late', () =>
    count(`webhook_deliveries where next_attempt_at < now() - interval '3 seconds'`),
  );
  expect(await sweep(api.app.database, undefined)).toMatchObject({ endpoints: 0, syncJobs: 0 });
  expect(consumer.received.length).toBe(1);
  expect(await count(`sync_jobs where status = 'queued'`)).toBe(1);

  await set('active');
  await waitFor('the job', async () => (await count(`sync_jobs where status = 'completed'`)) === 1);
  await waitFor('the second webhook, and that of what the job made', () => consumer.received.length >= 3);
  expect(consumer.received.map(({ body }) => (body.data as { name: string }).name).sort()).toEqual([
    'First',
    'Second',
    'Tea',
  ]);
}, 60_000);

it('a location that is read only answers reads and the feed, and refuses writes for a while', async () => {
  await set('read_only');
  const refused = await answerWith(503);
  expect(refused.headers.get('x-error-reason')).toBe('location_read_only');
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  expect((await api.rest('GET /v2/products')).status).toBe(200);
  expect((await api.rest('GET /v2/events')).status).toBe(200);
  await set('active');
  await waitFor('writes', async () => (await product('Third')).status < 300);
});

it('a stream of events ends when its location is disabled', async () => {
  const stream = await fetch(`${api.url}/v2/events/stream`, {
    headers: { authorization: `Bearer ${api.key.key}` },
  });
  expect(stream.status).toBe(200);
  await set('disabled');
  expect(await stream.text()).toContain('The location of the key is disabled.');
  await set('active');
}, 60_000);
