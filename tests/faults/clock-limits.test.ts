import { setTimeout as sleep } from 'node:timers/promises';
import { openDatabase } from '@comanda/db';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type Answer, callRest, startTestApi, type TestApi } from '../support/api.ts';
import { createTestDatabase } from '../support/database.ts';
import { createKey, createLocation, createPaymentMethod, createProduct } from '../support/factories.ts';
import { startProcess } from '../support/processes.ts';
import { reportFault } from '../support/trials.ts';
import { waitFor } from '../support/wait.ts';
import { putClock } from './clock/database-clock.ts';
import { movedClock } from './clock/moved-process.ts';

/** A database whose clock can be set, with a location; API servers are started on it. */
async function open() {
  const own = await createTestDatabase();
  const clock = await putClock(own.url);
  const database = openDatabase({ url: own.url });
  const locationId = await createLocation(database);
  const apis: TestApi[] = [];
  return {
    clock,
    database,
    locationId,
    key: (limits: { perMinute?: number; monthly?: number; batchJobsPerHour?: number }) =>
      createKey(database, { locationId, ...limits }),
    /** One in this process, or a process whose own clock is wrong. */
    async start(nodeClockSeconds = 0): Promise<string> {
      if (nodeClockSeconds === 0) {
        const api = await startTestApi({ databaseUrl: own.url });
        apis.push(api);
        return api.url;
      }
      const env = { DATABASE_URL: own.url, ...movedClock(nodeClockSeconds) };
      return (await startProcess({ entry: 'api', env })).url ?? '';
    },
    async close() {
      for (const api of apis) await api.close();
      await database.close();
      await own.drop();
    },
  };
}

// Processes are started here, on machines that are busy.
vi.setConfig({ testTimeout: 180_000 });

let world: Awaited<ReturnType<typeof open>>;
let url: string;
beforeAll(async () => {
  world = await open();
  url = await world.start();
});
afterAll(() => world.close());

const ask = (url: string, key: string) => callRest(url, 'GET /v2/locations/current', { key });

/** Calls one after the other until one is refused; how many were admitted. At most `most`. */
async function useUp(url: string, key: string, most: number): Promise<number> {
  for (let admitted = 0; admitted < most; admitted += 1) {
    const { status } = await ask(url, key);
    if (status === 429) return admitted;
    expect(status).toBe(200);
  }
  return most;
}

/** Waits until the process has heard of the clock's move: a refusal is kept for a second, tokens for a minute. */
const admittedAgain = (url: string, key: string) =>
  waitFor('the new window', async () => (await ask(url, key)).status === 200, { intervalMs: 200 });

const minutesOf = (keyId: string) =>
  world.database.pool
    .query<{ start: Date; used: number }>(
      `select window_start as start, used from internal.limit_counters where api_key_id = $1 and "window" = 'minute' order by 1`,
      [keyId],
    )
    .then(({ rows }) => rows.map(({ start, used }) => [start.toISOString(), used]));

describe('the clock of the database moves by an hour', () => {
  test('forward: the minute rolls over once, with exactly its limit', async () => {
    await world.clock.set('2026-05-10T12:00:05Z');
    const { id, key } = await world.key({ perMinute: 12 });
    expect(await useUp(url, key, 50)).toBe(12);
    await world.clock.set('2026-05-10T13:00:05Z');
    await admittedAgain(url, key);
    expect(await useUp(url, key, 50)).toBe(11);
    expect(await minutesOf(id)).toEqual([
      ['2026-05-10T12:00:00.000Z', 12],
      ['2026-05-10T13:00:00.000Z', 12],
    ]);
  });

  test('back: a minute that was used up stays used up, and the next one is whole', async () => {
    await world.clock.set('2026-05-10T12:00:05Z');
    const { key } = await world.key({ perMinute: 12 });
    expect(await useUp(url, key, 50)).toBe(12);
    await world.clock.set('2026-05-10T13:00:05Z');
    await admittedAgain(url, key);
    await world.clock.set('2026-05-10T12:00:20Z');
    // The lease for the hour ahead is not given out in the earlier hour once the process knows the time.
    await ask(url, (await world.key({})).key);
    await waitFor('the refusal', async () => (await ask(url, key)).status === 429);
    expect(await useUp(url, key, 50)).toBe(0);
    await world.clock.set('2026-05-10T12:01:05Z');
    await admittedAgain(url, key);
    expect(await useUp(url, key, 50)).toBe(11);
  });

  test('back: a refusal of the hour ahead does not last an hour (bug: it did once another key had set the clock)', async () => {
    await world.clock.set('2026-05-10T13:00:05Z');
    const { key } = await world.key({ perMinute: 3 });
    const other = await world.key({});
    expect(await useUp(url, key, 50)).toBe(3);
    await world.clock.set('2026-05-10T12:00:05Z');
    expect((await ask(url, other.key)).status).toBe(200);
    await admittedAgain(url, key);
    expect(await useUp(url, key, 50)).toBe(2);
  });

  test('two processes together never admit more than each minute has', async () => {
    const urls = [url, await world.start()];
    await world.clock.set('2026-05-10T12:00:05Z');
    const { id, key } = await world.key({ perMinute: 30 });
    const storm = async () => {
      const answers = await Promise.all(
        Array.from({ length: 80 }, (_, turn) => ask(urls[turn % 2] ?? '', key)),
      );
      return answers.filter(({ status }) => status === 200).length;
    };
    let most = 0;
    let rounds = 0;
    for (const time of ['13:00:05', '12:00:15', '12:30:05', '13:30:05']) {
      most += await storm();
      await world.clock.set(`2026-05-10T${time}Z`);
      rounds += 1;
      // A refusal is kept for a second.
      await sleep(1_100);
    }
    const used = (await minutesOf(id)).map(([, count]) => Number(count));
    expect(Math.max(...used)).toBeLessThanOrEqual(30);
    expect(most).toBeLessThanOrEqual(30 * used.length);
    expect(used.length).toBeGreaterThan(0);
    reportFault('clock moved under load', { trials: rounds, real: used.length, admitted: most });
  });
});

test('at the end of a month the month rolls over once, in UTC', async () => {
  await world.clock.set('2026-02-28T23:59:02Z');
  const { id, key } = await world.key({ monthly: 5 });
  expect(await useUp(url, key, 50)).toBe(5);
  const refused = await ask(url, key);
  expect(refused.status).toBe(429);
  expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(60);
  expect(refused.headers.get('x-ratelimit-reset')).toBe(String(Date.parse('2026-03-01T00:00:00Z') / 1_000));
  await world.clock.set('2026-02-28T23:59:58Z');
  await admittedAgain(url, key);
  expect((await world.clock.now()).toISOString()).toMatch(/^2026-03-01T00:00/);
  expect(await useUp(url, key, 50)).toBe(4);
  const { rows } = await world.database.pool.query(
    `select window_start, used from internal.limit_counters where api_key_id = $1 and "window" = 'month' order by 1`,
    [id],
  );
  expect(rows).toEqual([
    { window_start: new Date('2026-02-01T00:00:00Z'), used: 5 },
    { window_start: new Date('2026-03-01T00:00:00Z'), used: 5 },
  ]);
});

test('the hour of batch jobs follows the clock of the database, too', async () => {
  await world.clock.set('2026-05-10T12:10:00Z');
  const { key } = await world.key({ batchJobsPerHour: 2 });
  const productId = await createProduct(world.database, { locationId: world.locationId });
  const body = { items: [{ product_id: productId, quantity: 1 }] };
  const batch = () => callRest(url, 'POST /v2/stock/sync', { key, body });
  const statuses = async () => [await batch(), await batch(), await batch()].map(({ status }) => status);
  expect(await statuses()).toEqual([200, 200, 429]);
  await world.clock.move(3_600);
  expect(await statuses()).toEqual([200, 200, 429]);
  await world.clock.move(-3_600);
  expect(await statuses()).toEqual([429, 429, 429]);
});

describe.each([
  ['ahead of', 3_600],
  ['behind', -3_600],
])('the clock of the API is an hour %s the database', (_, seconds) => {
  test('limits, orders and the life of a rotated secret follow the database', async () => {
    const skewed = await world.start(seconds);
    await world.clock.set('2026-05-10T12:00:05Z');
    const { id, key } = await world.key({ perMinute: 12 });
    const first = await ask(skewed, key);
    expect(first.headers.get('x-ratelimit-reset')).toBe(String(Date.parse('2026-05-10T12:01:00Z') / 1_000));
    expect(await useUp(skewed, key, 50)).toBe(11);
    expect(await minutesOf(id)).toEqual([['2026-05-10T12:00:00.000Z', 12]]);

    const free = (await world.key({})).key;
    const productId = await createProduct(world.database, { locationId: world.locationId });
    const methodId = await createPaymentMethod(world.database, { locationId: world.locationId });
    const made = await callRest(skewed, 'POST /v2/orders', {
      key: free,
      headers: { 'idempotency-key': `one-${seconds}` },
      body: {
        items: [{ product_id: productId, quantity: 1 }],
        payment_method_id: methodId,
        external_id: `PO-${seconds}`,
        is_take_away: false,
        identifier: '',
      },
    });
    expect(made.status).toBe(201);
    expect(createdAt(made)).toMatch(/^2026-05-10T12:00/);

    const endpoint = await callRest<{ data: { id: string } }>(skewed, 'POST /v2/webhook-endpoints', {
      key: free,
      body: { url: 'https://example.com/hook', events: ['order.created'] },
    });
    expect(endpoint.status).toBe(201);
    const { id: endpointId } = endpoint.body.data;
    const rotated = await callRest(skewed, `POST /v2/webhook-endpoints/${endpointId}/rotate-secret`, {
      key: free,
    });
    expect(rotated.status).toBe(200);
    const { rows } = await world.database.pool.query<{ expires: string }>(
      `select expires_at::text as expires from internal.webhook_secrets where endpoint_id = $1 and expires_at is not null`,
      [endpointId],
    );
    expect(rows).toHaveLength(1);
    expect(new Date(rows[0]?.expires ?? 0).toISOString()).toMatch(/^2026-05-11T12:00/);

    const sent = await callRest(skewed, `POST /v2/webhook-endpoints/${endpointId}/test`, { key: free });
    expect(sent.status).toBe(202);
    const changes = await world.database.pool.query<{ at: Date }>(
      `select captured_at as at from internal.captured_changes where operation = 'test' and resource_ids = array[$1::uuid]`,
      [endpointId],
    );
    expect(changes.rows[0]?.at.toISOString()).toMatch(/^2026-05-10T12:00/);
  });
});

const createdAt = ({ body }: Answer): string => (body as { data: { created_at: string } }).data.created_at;
