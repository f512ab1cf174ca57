import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import type { Received } from '../support/consumer.ts';
import { createProduct } from '../support/factories.ts';
import { stepWorker, useSteppedWorker } from '../support/stepped-worker.ts';
import { waitFor } from '../support/wait.ts';
import { insertOrder, useSharedKit } from './kit.ts';

const kit = useSharedKit();
const worker = useSteppedWorker(kit);

const verify = (secret: string, { text, headers }: Received) =>
  new Webhook(secret).verify(text, headers as Record<string, string>);

test('an event arrives signed, with its headers, as the bytes that are stored', async () => {
  const erp = await kit.consumer();
  const endpoint = await kit.createEndpoint({ url: erp.url, events: ['order.created'] });
  const orderId = await insertOrder(kit);
  await worker.turn();
  expect(await kit.statuses()).toEqual(['delivered']);
  const [event] = await kit.events();
  const [delivery, ...others] = erp.received;
  expect(others).toEqual([]);
  expect(delivery?.text).toBe(event?.text);
  expect(delivery?.headers).toMatchObject({
    'content-type': 'application/json',
    'user-agent': expect.stringMatching(/^Comanda-Webhooks\/\d+\.\d+\.\d+$/),
    'x-comanda-event-id': event?.id,
    'x-comanda-event-type': 'order.created',
    'x-comanda-attempt': '1',
    'webhook-id': event?.id,
  });
  expect(delivery && verify(endpoint.secret, delivery)).toMatchObject({
    type: 'order.created',
    data: { id: orderId },
  });
  expect(await kit.attempts(endpoint.id)).toEqual([
    { attempt: 1, status: 'delivered', response_code: 200, error: null, response_body: 'ok' },
  ]);
});

test('an endpoint of the first family gets payloads of its version, and others their own', async () => {
  const [old, young] = [await kit.consumer(), await kit.consumer()];
  await kit.createEndpoint({ url: old.url, events: ['product.created'], apiVersion: 'v1' });
  await kit.createEndpoint({ url: young.url, events: ['product.created'] });
  await createProduct(kit.database, { locationId: kit.locationId });
  await worker.turn();
  expect([old.received.length, young.received.length]).toEqual([1, 1]);
  expect(old.received[0]?.body.api_version).toBe('v1');
  expect({ ...old.received[0]?.body, api_version: 'v2' }).toEqual(young.received[0]?.body);
});

test('five attempts with the same bytes and id, then dead and never again', async () => {
  const erp = await kit.consumer((_, response) => response.writeHead(500).end('\0 no'));
  const endpoint = await kit.createEndpoint({ url: erp.url, events: ['product.created'] });
  await createProduct(kit.database, { locationId: kit.locationId });
  for (let attempts = 1; attempts <= 5; attempts += 1) {
    await worker.turn();
    expect(erp.received).toHaveLength(attempts);
    await worker.makeDue();
  }
  expect(await worker.turn()).toBe(0);
  expect(await kit.statuses()).toEqual(['dead']);
  const [delivery] = await kit.sql<{ next_attempt_at: Date | null; leased_until: Date | null }>`
    select next_attempt_at, leased_until from webhook_deliveries`;
  expect(delivery).toEqual({ next_attempt_at: null, leased_until: null });
  expect(erp.received.map(({ headers }) => headers['x-comanda-attempt'])).toEqual(['1', '2', '3', '4', '5']);
  expect(new Set(erp.received.map(({ text }) => text)).size).toBe(1);
  expect(new Set(erp.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
  for (const received of erp.received) verify(endpoint.secret, received);
  expect(
    (await kit.attempts(endpoint.id)).map(({ status, response_code }) => [status, response_code]),
  ).toEqual([
    ['failed', 500],
    ['failed', 500],
    ['failed', 500],
    ['failed', 500],
    ['dead', 500],
  ]);
  // A later event overtakes the dead one.
  await createProduct(kit.database, { locationId: kit.locationId });
  await worker.turn();
  expect(erp.received).toHaveLength(6);
  expect(erp.received[5]?.headers['webhook-id']).not.toBe(erp.received[0]?.headers['webhook-id']);
});

test('delays count from the end of an attempt, on the clock of the database', async () => {
  const erp = await kit.consumer((_, response) => response.writeHead(503).end());
  const endpoint = await kit.createEndpoint({ url: erp.url, events: ['product.created'] });
  await createProduct(kit.database, { locationId: kit.locationId });
  for (const [index, delay] of [60, 300, 900, 3600].entries()) {
    await worker.turn();
    const rows = await kit.sql<{ wait: number }>`
      select round(extract(epoch from d.next_attempt_at - a.attempted_at - a.duration_ms * interval '1 ms')::numeric, 1)::float8 as wait
      from webhook_deliveries d join webhook_attempts a on a.delivery_id = d.id and a.attempt = d.attempts
      join graphile_worker.jobs j on j.run_at = d.next_attempt_at
      where d.attempts = ${index + 1}`;
    expect(rows).toEqual([{ wait: delay }]);
    await worker.makeDue();
  }
  await worker.turn();
  expect(await kit.statuses()).toEqual(['dead']);
  expect(await kit.attempts(endpoint.id)).toHaveLength(5);
});

test.each([200, 201, 202, 204, 299])('status %i delivers', async (status) => {
  const erp = await kit.consumer((_, response) => response.writeHead(status).end());
  await kit.createEndpoint({ url: erp.url, events: ['product.created'] });
  await createProduct(kit.database, { locationId: kit.locationId });
  await worker.turn();
  expect(await kit.statuses()).toEqual(['delivered']);
  expect(erp.received).toHaveLength(1);
});

test('an endpoint that hangs does not hold up another that was queued behind it', async () => {
  const hanging = await kit.consumer(() => {});
  const fast = await kit.consumer();
  await kit.createEndpoint({ url: hanging.url, events: ['product.created'] });
  const fastEndpoint = await kit.createEndpoint({ url: fast.url, events: ['product.updated'] });
  const ids = await Promise.all(
    Array.from({ length: 60 }, () => createProduct(kit.database, { locationId: kit.locationId })),
  );
  await worker.begin();
  await hanging.arrived(20);
  await kit.sql('update products set description = $1 where id = any ($2)', ['new', ids]);
  await worker.begin();
  await fast.arrived(60);
  await waitFor('their records', async () => (await kit.attempts(fastEndpoint.id)).length === 60);
  // Not one of the hanging ones has come back meanwhile.
  expect(hanging.received).toHaveLength(20);
});

test('two workers share the work and send nothing twice', async () => {
  const erp = await kit.consumer();
  await kit.createEndpoint({ url: erp.url, events: ['product.created'] });
  await kit.createEndpoint({ url: erp.url, events: ['product.created'] });
  await kit.sql`
    insert into products (location_id, sku, name, price) select ${kit.locationId}, 's' || n, 'p', 1 from generate_series(1, 400) n`;
  const other = await stepWorker(kit);
  await Promise.all([worker.turn(), other.turn()]);
  await worker.turn();
  expect(await kit.count(`webhook_deliveries where status = 'delivered'`)).toBe(800);
  expect(erp.received).toHaveLength(800);
  const [events] = await kit.sql<{ count: number; most: number }>`
    select count(*)::int, max(number)::int as most from events`;
  // Numbered without a gap.
  expect(events).toEqual({ count: 400, most: 400 });
});
