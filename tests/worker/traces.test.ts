import { beforeAll, expect, it } from 'vitest';
import { useApi } from '../support/api.ts';
import { useConsumer } from '../support/consumer.ts';
import { createProduct } from '../support/factories.ts';
import { recordLog } from '../support/recorded-log.ts';
import { createSteppedWorker } from '../support/stepped-worker.ts';
import { use } from '../support/use.ts';

// From a call's `traceparent` to the webhooks of its changes; no traces are recorded here.

const encryptionKey = 'the-key-that-api-and-worker-share-here';
const api = useApi(() => ({ encryptionKey }));
const consumer = useConsumer();
const { log, lines } = recordLog();
const worker = use(
  () => createSteppedWorker(api.databaseUrl, encryptionKey, { log }),
  (stepped) => stepped.stop(),
);
let productId: string;

beforeAll(async () => {
  productId = await createProduct(api.app.database, { locationId: api.locationId });
  const body = { url: consumer.url, events: ['product.created', 'product.updated'] };
  expect((await api.rest('POST /v2/webhook-endpoints', { body })).status).toBe(201);
});

const trace = '4bf92f3577b34da6a3ce929d0e0e4736';
const place = `00-${trace}-00f067aa0ba902b7-01`;
let price = 10;

/** Changes the price with the header, and gives what its webhook and its event carry. */
async function changed(traceparent: string, requestId: string): Promise<unknown[]> {
  price += 1;
  const headers = { traceparent, 'x-request-id': requestId };
  const answer = await api.rest(`PATCH /v2/products/${productId}`, { body: { price }, headers });
  expect(answer.status).toBe(200);
  return traceparentsOf(requestId);
}

async function traceparentsOf(requestId: string): Promise<unknown[]> {
  await worker.turn();
  const [event] = await api.sql<{ id: string; traceparent: string | null }>`
    select id, traceparent from events where request_id = ${requestId}`;
  const sent = consumer.received.find(({ headers }) => headers['webhook-id'] === event?.id);
  if (event === undefined || sent === undefined) throw new Error(`nothing was sent of ${requestId}`);
  return [event.traceparent, sent.headers.traceparent];
}

it('the traceparent of a call goes with its changes to the webhook', async () => {
  expect(await changed(place, 'call-1')).toEqual([place, place]);
  const line = lines.find(({ msg, requestId }) => msg === 'delivery attempt' && requestId === 'call-1');
  expect(line).toMatchObject({ traceId: trace });
});

it('of a later version it is what the first one knows', async () => {
  expect(await changed(`cc-${trace}-00f067aa0ba902b7-03-more`, 'call-2')).toEqual([place, place]);
});

it.each([
  ['none', ''],
  ['without a trace', `00-${'0'.repeat(32)}-00f067aa0ba902b7-01`],
  ['without a span', `00-${trace}-${'0'.repeat(16)}-01`],
  ['of the version that cannot be', `ff-${trace}-00f067aa0ba902b7-01`],
  ['with more than its version has', `${place}-more`],
  ['in capitals', place.toUpperCase()],
  ['with what SQL would take for something else', `${place}' ; --`],
])('one that is %s is ignored, and the call is served', async (name, traceparent) => {
  expect(await changed(traceparent, `call-${name.replaceAll(' ', '-')}`)).toEqual([null, undefined]);
});

it('a call by tRPC carries it, too', async () => {
  const response = await fetch(`${api.url}/trpc/products.update`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${api.key.key}`,
      'content-type': 'application/json',
      traceparent: place,
      'x-request-id': 'call-trpc',
    },
    body: JSON.stringify({ id: productId, price: 99 }),
  });
  expect(response.status).toBe(200);
  expect(await traceparentsOf('call-trpc')).toEqual([place, place]);
});

it('what a sync job writes later carries that of the call that sent the job', async () => {
  const answer = await api.rest('POST /v2/sync/products', {
    body: { items: [{ external_id: 'traced', name: 'Traced', price: 3 }] },
    headers: { 'x-request-id': 'call-job', 'idempotency-key': 'traced', traceparent: place },
  });
  expect(answer.status).toBe(202);
  expect(await traceparentsOf('call-job')).toEqual([place, place]);
});

it('the id of the request stays what it was, in the audit, too', async () => {
  const rows = await api.sql`select (select count(*)::int from events where request_id like '% %') as events,
    (select count(*)::int from audit_entries where request_id like '% %') as entries,
    (select count(*)::int from sync_jobs where request_id like '% %') as jobs`;
  expect(rows).toEqual([{ events: 0, entries: 0, jobs: 0 }]);
});
