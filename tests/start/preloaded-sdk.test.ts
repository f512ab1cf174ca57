import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { useConsumer } from '../support/consumer.ts';
import { useDatabase, useTestDatabase } from '../support/database.ts';
import { createKey, createLocation, createProduct } from '../support/factories.ts';
import { startProcess, type TestProcess } from '../support/processes.ts';
import { waitFor } from '../support/wait.ts';
import { recordingInto, spansOf } from './spans.ts';

// An API and a worker whose operator preloads an SDK of OpenTelemetry, as docs/operations/monitoring.md shows.

const file = join(tmpdir(), `comanda-spans-${process.pid}.jsonl`);
const own = useTestDatabase();
const database = useDatabase(own);
const consumer = useConsumer();
let processes: TestProcess[] = [];
let productId: string;
let key: string;

beforeAll(async () => {
  const locationId = await createLocation(database);
  ({ key } = await createKey(database, { locationId }));
  productId = await createProduct(database, { locationId });
  const env = { DATABASE_URL: own.url, WEBHOOK_TARGETS: 'any', ...recordingInto(file) };
  processes = await Promise.all([
    startProcess({ entry: 'api', env }),
    startProcess({ entry: 'worker', env }),
  ]);
  await call('POST', '/v2/webhook-endpoints', { url: consumer.url, events: ['product.updated'] });
}, 60_000);
afterAll(async () => {
  await Promise.all(processes.map((one) => one.stop()));
  rmSync(file, { force: true });
}, 60_000);

async function call(method: string, path: string, body: unknown, traceparent?: string): Promise<number> {
  const { status } = await fetch(`${processes[0]?.url}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      ...(traceparent !== undefined && { traceparent }),
    },
    body: JSON.stringify(body),
  });
  return status;
}

const traceOf = (n: number) => `4bf92f3577b34da6a3ce929d0e0e473${n}`;
const caller = '00f067aa0ba902b7';
const parentOf = (n: number) => `00-${traceOf(n)}-${caller}-01`;

it('one trace leads from the caller through the call and the attempt to the consumer', async () => {
  expect(await call('PATCH', `/v2/products/${productId}`, { price: 7 }, parentOf(1))).toBe(200);
  const spans = await waitFor('both spans', () => {
    const found = spansOf(file, traceOf(1));
    return found.length >= 2 && found;
  });
  const [served, sent] = ['PATCH /v2/products/{id}', 'webhook'].map((name) =>
    spans.find((span) => span.name === name),
  );
  expect(served).toMatchObject({
    parent: caller,
    attributes: {
      'http.request.method': 'PATCH',
      'http.route': '/v2/products/{id}',
      'http.response.status_code': 200,
    },
  });
  expect(sent).toMatchObject({
    parent: served?.spanId,
    attributes: {
      'comanda.event.type': 'product.updated',
      'comanda.attempt': 1,
      'http.response.status_code': 200,
    },
  });
  const arrived = consumer.received.find(({ headers }) => headers.traceparent?.includes(traceOf(1)));
  expect(arrived?.headers.traceparent).toBe(`00-${traceOf(1)}-${sent?.spanId}-01`);
  expect(JSON.stringify(spans)).not.toContain(key);
});

it('a call without a trace begins one, and its webhook goes on with it', async () => {
  const before = consumer.received.length;
  expect(await call('PATCH', `/v2/products/${productId}`, { price: 8 })).toBe(200);
  await waitFor('its webhook', () => consumer.received.length > before);
  expect(consumer.received.at(-1)?.headers.traceparent).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/);
});

it('a call by tRPC, and one that is refused, have their spans', async () => {
  expect(await call('POST', '/trpc/products.update', { id: productId, price: 9 }, parentOf(2))).toBe(200);
  expect(await call('PATCH', '/v2/products/none', { price: 9 }, parentOf(3))).toBe(404);
  const [byTrpc] = await waitFor('the span of tRPC', () => {
    const found = spansOf(file, traceOf(2)).filter(({ name }) => name === 'products.update');
    return found.length > 0 && found;
  });
  expect(byTrpc).toMatchObject({ parent: caller, attributes: { 'rpc.system': 'trpc' } });
  const [refused] = await waitFor('the span of the refusal', () => {
    const found = spansOf(file, traceOf(3));
    return found.length > 0 && found;
  });
  // Of what the caller did wrong the server makes no error.
  expect(refused).toMatchObject({ attributes: { 'http.response.status_code': 404 }, status: { code: 0 } });
});
