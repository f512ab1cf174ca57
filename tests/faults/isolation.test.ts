import { afterEach, expect, test } from 'vitest';
import { widthUnder } from '../../packages/worker/src/deliveries/limits.ts';
import { type RecordingConsumer, startConsumer } from '../support/consumer.ts';
import { createLocation } from '../support/factories.ts';
import { reportFault, thorough } from '../support/trials.ts';
import { waitFor } from '../support/wait.ts';
import { useWorkerKit } from '../worker/kit.ts';
import { residentMiB } from './consumers/memory.ts';

const kit = useWorkerKit({ lifetime: 'test' });
const consumers: RecordingConsumer[] = [];
afterEach(async () => {
  await Promise.all(consumers.splice(0).map((consumer) => consumer.close()));
});

/** Makes so many products of a location in one statement, each of them an event. */
const make = (locationId: string, count: number) =>
  kit.sql`
    insert into products (location_id, sku, name, price) select ${locationId}, 's-' || uuid_v7(), 'p', 1 from generate_series(1, ${count}::int)`;

const queued = (count: number) =>
  waitFor(
    `${count} deliveries to be queued`,
    async () => {
      const [row] = await kit.sql<{ count: number }>('select count(*)::int as count from webhook_deliveries');
      return (row?.count ?? 0) >= count;
    },
    { timeoutMs: 60_000 },
  );

/** 300 deliveries, due at once, to an endpoint of its own that answers; how long they waited, in milliseconds. */
async function deliverFast() {
  const fast = await startConsumer();
  consumers.push(fast);
  const locationId = await createLocation(kit.database);
  const { id } = await kit.createEndpoint({ url: fast.url, events: ['product.created'], locationId });
  await make(locationId, 300);
  await waitFor(
    'the records of the fast ones',
    async () => {
      const [row] = await kit.sql<{ count: number }>`
        select count(*)::int as count from webhook_attempts where endpoint_id = ${id}`;
      return row?.count === 300;
    },
    { timeoutMs: 60_000 },
  );
  expect(new Set(fast.received.map(({ headers }) => headers['webhook-id'])).size).toBe(300);
  // From the moment it was due to the moment it was sent, by one clock.
  const [waited] = await kit.sql<{ p50: number; p99: number }>`
    select percentile_cont(0.5) within group (order by w)::int as p50,
      percentile_cont(0.99) within group (order by w)::int as p99
    from (select extract(epoch from a.attempted_at - d.created_at)::float8 * 1000 as w
          from webhook_attempts a join webhook_deliveries d on d.id = a.delivery_id where a.endpoint_id = ${id}) x`;
  if (waited === undefined) throw new Error('nothing waited');
  return { endpointId: id, ...waited };
}

const endpoints = thorough ? 20 : 1;

test(`200 deliveries to each of ${endpoints} hanging endpoints do not hold up 300 to a fast one`, async () => {
  const worker = await kit.startProcess({ WEBHOOK_TIMEOUT_MS: '30000' });
  const alone = await deliverFast();
  const hanging = await startConsumer(() => {});
  consumers.push(hanging);
  for (let index = 0; index < endpoints; index += 1) {
    const locationId = index === 0 ? kit.locationId : await createLocation(kit.database);
    await kit.createEndpoint({ url: hanging.url, events: ['product.created'], locationId });
    await make(locationId, 200);
  }
  await queued(300 + 200 * endpoints);
  await waitFor(
    'the hanging ones to be at their width',
    () => hanging.received.length >= 20 * Math.min(endpoints, 12),
    { timeoutMs: 60_000 },
  );
  const inFlight = hanging.received.length;
  const beside = await deliverFast();
  const [undone] = await kit.sql<{ count: number }>`
    select count(*)::int as count from webhook_deliveries where endpoint_id <> ${beside.endpointId} and status = 'pending'`;
  // Not one of the hanging ones was done meanwhile: the trial was a real one.
  expect(undone?.count).toBeGreaterThanOrEqual(200 * endpoints - inFlight);
  // Two seconds is the promise; on a machine that is busy with other things, what the same work takes there alone.
  expect(beside.p99).toBeLessThan(Math.max(2_000, 3 * alone.p99));
  reportFault('fast endpoint with hanging ones', {
    trials: 300,
    real: 300,
    hanging: inFlight,
    p50Ms: beside.p50,
    p99Ms: beside.p99,
    aloneP99Ms: alone.p99,
    workerMiB: residentMiB(worker.pid),
  });
  await worker.stop('SIGKILL');
}, 180_000);

test('the share of an endpoint shrinks as the process fills, and never to nothing', () => {
  expect([0, 499, 500, 750, 1_000, 100_000].map((inFlight) => widthUnder({ inFlight }))).toEqual([
    20, 20, 20, 11, 2, 2,
  ]);
  // However many endpoints hang: a thousand, and what each of them gets at least.
  let inFlight = 0;
  const held = Array.from({ length: 300 }, () => 0);
  for (let round = 0; round < 50; round += 1) {
    for (const [endpoint, own] of held.entries()) {
      const more = Math.max(0, widthUnder({ inFlight }) - own);
      held[endpoint] = own + more;
      inFlight += more;
    }
  }
  expect(inFlight).toBeLessThanOrEqual(1_000 + 2 * held.length);
  expect(Math.min(...held)).toBeGreaterThanOrEqual(2);
});
