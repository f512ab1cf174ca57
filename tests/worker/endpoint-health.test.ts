import { newId } from '@comanda/db';
import { beforeEach, expect, test } from 'vitest';
import {
  type WebhookDelivery,
  WebhookDeliveryPage,
  WebhookEndpoint,
  WebhookEndpointPage,
} from '../../packages/api/src/resources/webhook-endpoints/schema.ts';
import { createHealth } from '../../packages/worker/src/deliveries/health.ts';
import { dataOf } from '../support/answers.ts';
import { useApi } from '../support/api.ts';
import { useConsumer } from '../support/consumer.ts';
import { createProduct } from '../support/factories.ts';
import { recordLog } from '../support/recorded-log.ts';
import { createSteppedWorker } from '../support/stepped-worker.ts';
import { parseStrict } from '../support/strict.ts';
import { use } from '../support/use.ts';
import { waitFor } from '../support/wait.ts';

const encryptionKey = 'the-key-that-api-and-worker-share-here';
const api = useApi(() => ({ encryptionKey }));
const consumer = useConsumer((received, response) => {
  response.statusCode = received.path === '/refuses' ? 500 : 200;
  response.end(received.path === '/refuses' ? '<b>no</b>\0\u0007'.padEnd(2_000, 'x') : '');
});

beforeEach(() => api.sql('delete from webhook_endpoints'));

const worker = use(
  () => createSteppedWorker(api.databaseUrl, encryptionKey),
  (stepped) => stepped.stop(),
);

/** Makes all attempts of what there is to deliver. */
async function deliverAll(): Promise<void> {
  for (let attempt = 1; attempt <= 5; attempt += 1) {
    await worker.turn();
    await worker.makeDue();
  }
}

async function createEndpoint(path: string): Promise<string> {
  const url = new URL(path, consumer.url).href;
  const answer = await api.rest<{ data: { id: string; dead_count: number } }>('POST /v2/webhook-endpoints', {
    body: { url, events: ['product.created'] },
  });
  expect(answer.body.data.dead_count).toBe(0);
  return answer.body.data.id;
}

const read = async (id: string) =>
  dataOf(await api.rest(`GET /v2/webhook-endpoints/${id}`), 200, WebhookEndpoint);
const log = async (id: string): Promise<WebhookDelivery[]> =>
  parseStrict(WebhookDeliveryPage, (await api.rest(`GET /v2/webhook-endpoints/${id}/deliveries`)).body).data;
const scraped = async (name: string) =>
  new RegExp(`^${name} (\\d+)$`, 'm').exec(await (await fetch(`${api.url}/metrics`)).text())?.[1];

test('an endpoint shows when it last took an event, and since when none arrives, in both families and in lists', async () => {
  const [well, failing] = [await createEndpoint('/takes'), await createEndpoint('/refuses')];
  const before = Date.now();
  await createProduct(api.app.database, { locationId: api.locationId });
  await deliverAll();
  expect([(await log(well)).length, (await log(failing)).length]).toEqual([1, 5]);
  const good = await read(well);
  expect(Date.parse(good.last_delivered_at ?? '')).toBeGreaterThanOrEqual(before - 1_000);
  expect(good).toMatchObject({ dead_count: 0 });
  expect(good).not.toHaveProperty('failing_since');
  const bad = await read(failing);
  expect(Date.parse(bad.failing_since ?? '')).toBeGreaterThanOrEqual(before - 1_000);
  expect(bad).toMatchObject({ dead_count: 1, status: 'active' });
  expect(bad).not.toHaveProperty('last_delivered_at');
  for (const path of ['/v1/webhooks', '/v2/webhook-endpoints']) {
    const { data } = parseStrict(WebhookEndpointPage, (await api.rest(`GET ${path}`)).body);
    expect(data.find(({ id }) => id === failing)).toEqual(bad);
  }
  // Metrics are read of the database every few seconds.
  const gauged = (value: string) =>
    waitFor('the gauge', async () => (await scraped('comanda_webhook_endpoints_failing')) === value);
  await gauged('1');
  await api.rest(`PATCH /v2/webhook-endpoints/${failing}`, { body: { status: 'disabled' } });
  await gauged('0');
});

test('the log shows the beginning of what the consumer said, and marks what is a replay or a test', async () => {
  const id = await createEndpoint('/refuses');
  await createProduct(api.app.database, { locationId: api.locationId });
  await deliverAll();
  await api.rest(`POST /v2/webhook-endpoints/${id}/replay`, { body: { since: '2020-01-01T00:00:00Z' } });
  await deliverAll();
  await api.rest(`POST /v2/webhook-endpoints/${id}/test`);
  await deliverAll();
  const entries = await log(id);
  for (const { response_body = '' } of entries) {
    expect(response_body.startsWith('<b>no</b>\ufffd\u0007xxx')).toBe(true);
    expect(Buffer.byteLength(response_body)).toBeLessThanOrEqual(1_024 + 2);
  }
  const marks = entries.map(({ replayed = false, simulated = false }) => ({ replayed, simulated }));
  expect(marks.filter(({ replayed, simulated }) => replayed && !simulated)).toHaveLength(5);
  expect(marks.filter(({ replayed, simulated }) => !replayed && simulated)).toHaveLength(5);
  expect(marks.filter(({ replayed, simulated }) => !replayed && !simulated)).toHaveLength(5);
});

/** Two processes that write how endpoints do, and what they log. */
function twoProcesses() {
  const { log: logger, lines } = recordLog();
  const { database } = api.app;
  return { lines, one: createHealth(database, logger), other: createHealth(database, logger) };
}

test('a line is logged where an endpoint begins to fail and where it is well again, none between, by one of two processes', async () => {
  const endpoint = { locationId: api.locationId, endpointId: await createEndpoint('/takes') };
  const { lines, one, other } = twoProcesses();
  const both = async (ok: boolean, attempts = 3) => {
    for (let n = 0; n < attempts; n += 1) for (const process of [one, other]) process.note(endpoint, ok);
    await Promise.all([one.write(), other.write()]);
  };
  await both(true);
  expect(lines).toEqual([]);
  await both(false);
  const since = (await read(endpoint.endpointId)).failing_since;
  expect(since).toBeDefined();
  await both(false);
  expect((await read(endpoint.endpointId)).failing_since).toBe(since);
  await both(true);
  await both(true);
  expect(lines.map(({ msg }) => msg)).toEqual([
    'a webhook endpoint began to fail',
    'a webhook endpoint is well again',
  ]);
  expect(new Set(lines.map(({ endpointId }) => endpointId))).toEqual(new Set([endpoint.endpointId]));
});

test('an endpoint of which some attempts arrive does well', async () => {
  const endpoint = { locationId: api.locationId, endpointId: await createEndpoint('/takes') };
  const { lines, one } = twoProcesses();
  for (const ok of [true, false, true, false]) one.note(endpoint, ok);
  await one.write();
  expect(await read(endpoint.endpointId)).not.toHaveProperty('failing_since');
  expect(lines).toEqual([]);
});

test('a thousand deliveries write one row, and none where nothing was tried', async () => {
  const endpoint = { locationId: api.locationId, endpointId: await createEndpoint('/takes') };
  const { one } = twoProcesses();
  const written = async () =>
    (
      await api.sql<{ xmin: string }>`
      select xmin::text from internal.endpoint_health where endpoint_id = ${endpoint.endpointId}`
    ).map(({ xmin }) => xmin);
  for (let n = 0; n < 1_000; n += 1) one.note(endpoint, true);
  expect(await written()).toEqual([]);
  await one.write();
  const first = await written();
  expect(first).toHaveLength(1);
  await one.write();
  expect(await written()).toEqual(first);
});

test('notes on a deleted endpoint are skipped', async () => {
  const { lines, one } = twoProcesses();
  one.note({ locationId: api.locationId, endpointId: newId() }, false);
  await one.write();
  expect(lines).toEqual([]);
});
