import { createServer, type Server } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createProduct } from '../support/factories.ts';
import { createLargeOrders, largeOrderBytes } from '../support/large-orders.ts';
import type { TestProcess } from '../support/processes.ts';
import { reportFault } from '../support/trials.ts';
import { waitFor } from '../support/wait.ts';
import { useWorkerKit } from '../worker/kit.ts';
import { residentMiB } from './consumers/memory.ts';

const endpoints = 40;
const orders = 110;
const mostMiB = 100;

const kit = useWorkerKit();
let worker: TestProcess;
let good: Awaited<ReturnType<typeof kit.consumer>>;
const hanging: Server[] = [];

beforeAll(async () => {
  good = await kit.consumer();
  await kit.createEndpoint({ url: good.url, events: ['product.created'] });
  worker = await kit.startProcess({ WEBHOOK_TIMEOUT_MS: '5000' });
  // The work that every process does once: connections, compiled code, the first hundreds of deliveries, large ones among them.
  for (let round = 1; round <= 3; round += 1) {
    await kit.sql`
      insert into products (location_id, sku, name, price) select ${kit.locationId}, 'warm-' || uuid_v7(), 'p', 1 from generate_series(1, 300)`;
    await waitFor('the deliveries before', () => good.received.length === 300 * round, { timeoutMs: 60_000 });
  }
  const { id } = await kit.createEndpoint({ url: good.url, events: ['order.created'] });
  await createLargeOrders(kit.database, { locationId: kit.locationId, count: 20 });
  // They are of a product of their own, whose event comes as well.
  await waitFor('the large ones', () => good.received.length === 921, { timeoutMs: 60_000 });
  await kit.sql`delete from webhook_endpoints where id = ${id}`;
}, 120_000);
afterAll(async () => {
  await worker?.stop();
  for (const server of hanging) server.close();
});

/** Takes connections, and half of them what is sent; answers nothing. */
async function startHanging(reads: boolean): Promise<string> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    if (reads) socket.resume();
    else socket.pause();
  });
  hanging.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return `http://127.0.0.1:${address.port}/hook`;
}

test(`${endpoints} endpoints that hang and events of ${Math.round(largeOrderBytes / 1_000)} kB do not fill a worker, nor hold up an endpoint with small events`, async () => {
  const before = residentMiB(worker.pid);
  for (let n = 0; n < endpoints; n += 1)
    await kit.createEndpoint({ url: await startHanging(n % 2 === 0), events: ['order.created'] });
  let most = before;
  const watching = setInterval(() => {
    most = Math.max(most, residentMiB(worker.pid));
  }, 20);
  try {
    await createLargeOrders(kit.database, { locationId: kit.locationId, count: orders });
    await waitFor(
      'each endpoint to be sent to',
      async () => {
        const [row] = await kit.sql<{ count: number }>`
          select count(distinct endpoint_id)::int as count from webhook_deliveries where leased_by is not null`;
        return row?.count === endpoints;
      },
      { timeoutMs: 60_000 },
    );
    const known = good.received.length;
    for (let n = 0; n < 50; n += 1) await createProduct(kit.database, { locationId: kit.locationId });
    await waitFor('what is sent to the good one', () => good.received.length === known + 50, {
      timeoutMs: 20_000,
    });
    // Their attempts time out, and the next ones begin.
    await waitFor(
      'second attempts',
      async () =>
        (await kit.sql('select from webhook_attempts where attempt = 1 limit 100')).length > endpoints,
      { timeoutMs: 60_000, intervalMs: 500 },
    );
  } finally {
    clearInterval(watching);
  }
  await kit.sql(`delete from webhook_endpoints where events = '{order.created}'`);
  for (const server of hanging) server.close();
  let after = most;
  await waitFor(
    'the memory to come back',
    () => {
      after = residentMiB(worker.pid);
      return after - before <= mostMiB / 2;
    },
    { timeoutMs: 90_000, intervalMs: 500 },
  ).catch(() => undefined);
  reportFault('endpoints that hang', {
    trials: endpoints,
    real: endpoints,
    mibBefore: before,
    mibMost: most,
    mibAfter: after,
  });
  expect(most - before).toBeLessThanOrEqual(mostMiB);
  expect(after - before).toBeLessThanOrEqual(mostMiB / 2);
}, 300_000);
