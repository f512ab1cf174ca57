import type { ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { createLocation } from '../support/factories.ts';
import { useSteppedWorker } from '../support/stepped-worker.ts';
import { waitFor } from '../support/wait.ts';
import { useSharedKit } from './kit.ts';

const kit = useSharedKit();
const timeoutMs = 10_000;
const worker = useSteppedWorker(kit, { webhookTimeoutMs: timeoutMs });

const makeProducts = (locationId: string, count: number) =>
  kit.sql`insert into products (location_id, sku, name, price)
    select ${locationId}, 's-' || uuid_v7(), 'p', 1 from generate_series(1, ${count}::int)`;

const attempts = (where: string) =>
  kit.sql<{ path: string; status: string; count: number }>(
    `select substring(e.url from '[^/]*$') as path, a.status, count(*)::int as count
     from webhook_attempts a join webhook_endpoints e on e.id = a.endpoint_id where ${where} group by 1, 2`,
  );

test('thirty hanging endpoints at one host take nothing from a healthy one there, and only what was sent counts', async () => {
  const host = await kit.consumer(({ path }, response) => {
    if (path === '/well') response.end();
  });
  const at = (path: string) => new URL(path, host.url).href;
  // Of many locations: a limit of one of them limits none of the others.
  for (let hanging = 1; hanging <= 30; hanging += 1) {
    const locationId = hanging % 3 === 0 ? await createLocation(kit.database) : kit.locationId;
    await kit.createEndpoint({ url: at(`/hang${hanging}`), events: ['product.created'], locationId });
    if (locationId !== kit.locationId) await makeProducts(locationId, 30);
  }
  await makeProducts(kit.locationId, 30);
  await worker.begin();
  await host.arrived(200);
  const locationId = await createLocation(kit.database);
  await kit.createEndpoint({ url: at('/well'), events: ['product.created'], locationId });
  await makeProducts(locationId, 25);
  await worker.begin();
  await waitFor('the healthy one to have heard everything', async () => {
    const [well] = await attempts(`e.url like '%/well'`);
    return well?.count === 25;
  });
  // Not one of the hanging ones was done by then, and each has begun.
  expect(await attempts(`e.url not like '%/well'`)).toEqual([]);
  const paths = host.received.map(({ path }) => path);
  expect(paths.filter((path) => path === '/well')).toHaveLength(25);
  expect(new Set(paths).size).toBe(31);
  worker.clock.advance(timeoutMs);
  await waitFor('attempts to time out', async () => (await attempts(`a.status = 'failed'`)).length === 30);
  const sent = (path: string) => host.received.filter((one) => one.path === `/${path}`).length;
  for (const { path, count } of await attempts('true'))
    expect(sent(path), path).toBeGreaterThanOrEqual(count);
});

test('an endpoint that lets five attempts time out has one at a time, until one succeeds', async () => {
  let open = 0;
  let most = 0;
  let answers = false;
  const hanging = new Set<ServerResponse>();
  const host = await kit.consumer((_, response) => {
    open += 1;
    most = Math.max(most, open);
    response.on('close', () => {
      open -= 1;
      hanging.delete(response);
    });
    hanging.add(response);
    if (answers) setTimeout(() => response.end(), 20);
  });
  await kit.createEndpoint({ url: host.url, events: ['product.created'] });
  await makeProducts(kit.locationId, 60);
  await worker.begin();
  await host.arrived(20);
  for (let more = 1; more <= 4; more += 1) {
    worker.clock.advance(timeoutMs);
    await host.arrived(20 + more);
    // The connections of those before it may still be closing.
    await waitFor('one alone', () => open === 1);
    most = 1;
  }
  // No other comes while it hangs.
  await worker.begin();
  expect([host.received.length, most]).toEqual([24, 1]);
  answers = true;
  for (const response of hanging) response.end();
  await worker.turn();
  expect(await kit.count(`webhook_deliveries where status = 'pending'`)).toBe(0);
  expect(most).toBeGreaterThan(5);
});
