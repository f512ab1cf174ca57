import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createKey, createLocation, createProduct } from '../support/factories.ts';
import { startWatchedApi, type WatchedApi } from '../support/watched-api.ts';

let api: WatchedApi;
beforeAll(async () => {
  api = await startWatchedApi();
}, 60_000);
afterAll(() => api.close());

it('the first conflict and the first look at stock of a process do not stop the others (bug: 270 to 460 ms)', async () => {
  const locationId = await createLocation(api.app.database);
  const { key } = await createKey(api.app.database, { locationId });
  const sku = randomUUID();
  const id = await createProduct(api.app.database, { locationId, sku });
  const send = (path: string, body?: object) =>
    fetch(`${api.url}${path}`, {
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
    });
  // Code that every request runs is read and compiled by the first of them.
  for (let count = 0; count < 20; count += 1) await send(`/v2/products/${id}`);
  const product = (taken: string) => ({ name: 'p', description: '', price: 1, sku: taken });
  expect((await send('/v2/products', product(randomUUID()))).status).toBe(201);
  await sleep(500);
  const since = Date.now();
  expect((await send('/v2/products', product(sku))).status).toBe(409);
  expect((await send(`/v1/products/${id}/stock`)).status).toBe(404);
  await sleep(100);
  expect(api.longestStopMs(since)).toBeLessThan(50);
});
