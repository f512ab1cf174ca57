import { afterAll, beforeAll, expect, test } from 'vitest';
import { Count } from '../../packages/api/src/capacity/counts.ts';
import { type RunningServer, startServer } from '../../packages/api/src/http/server.ts';
import { type Answer, callRest, useApi } from '../support/api.ts';
import { createKey, createLocation, createProduct } from '../support/factories.ts';
import { reportFault, trials } from '../support/trials.ts';

// Lower than in service, so that the storm fits with its server on a small machine.
const most = { location: 8, all: 24 };
const waves = trials(3, 20);
const atOnce = most.location * 15;

const api = useApi();
let server: RunningServer;
beforeAll(async () => {
  server = await startServer(
    { ...api.app, capacity: { ...api.app.capacity, calls: new Count(most) } },
    { host: '127.0.0.1', port: 0 },
  );
});
afterAll(async () => {
  await server.drain(1_000);
});

test('of many times the calls that fit at once, all accepted ones are served, the others learn when to retry, and another location does not notice', async () => {
  const noisy = await shop();
  const quiet = await shop();
  let served = 0;
  let refused = 0;
  let calm = 0;
  let stormy = 0;
  for (let wave = 0; wave < waves; wave++) {
    let busy = true;
    const storm = Promise.all(
      Array.from({ length: atOnce }, () => callRest(server.url, 'GET /v2/products', { key: noisy })),
    ).finally(() => {
      busy = false;
    });
    while (busy) {
      const answer = await callRest(server.url, 'GET /v2/products', { key: quiet });
      expect(answer.status, answer.text).toBe(200);
      calm += 1;
    }
    const before = refused;
    for (const answer of await storm) {
      if (answer.status === 200) served += 1;
      else refused += requireRefused(answer);
    }
    if (refused > before) stormy += 1;
    // When the storm has ended the noisy one is served as before: nothing was left counted.
    expect((await callRest(server.url, 'GET /v2/products', { key: noisy })).status).toBe(200);
  }
  reportFault('several times what one process can do', {
    trials: waves,
    real: stormy,
    sent: waves * atOnce,
    served,
    refused,
    'another location served meanwhile': calm,
  });
  expect(served).toBeGreaterThanOrEqual(waves * most.location);
  expect(stormy).toBeGreaterThanOrEqual(waves / 2);
  expect(calm).toBeGreaterThanOrEqual(waves);
}, 300_000);

test('an exhausted limit costs no other caller: refusals need no slot and no database', async () => {
  const { database } = api.app;
  const locationId = await createLocation(database);
  const { key } = await createKey(database, { locationId, perMinute: 5 });
  const quiet = await shop();
  const storm = Promise.all(
    Array.from({ length: trials(200, 2_000) }, () => callRest(server.url, 'GET /v2/products', { key })),
  );
  const answer = await callRest(server.url, 'GET /v2/products', { key: quiet });
  expect(answer.status).toBe(200);
  const statuses = new Set((await storm).map(({ status }) => status));
  expect([...statuses].sort()).toEqual([200, 429]);
});

async function shop(): Promise<string> {
  const { database } = api.app;
  const locationId = await createLocation(database);
  for (let count = 0; count < 20; count++) await createProduct(database, { locationId, sku: `sku-${count}` });
  return (await createKey(database, { locationId, perMinute: 1_000_000 })).key;
}

function requireRefused({ status, headers, text }: Answer): number {
  expect(status, text).toBe(503);
  expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
  return 1;
}
