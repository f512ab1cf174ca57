import { randomBytes, randomUUID } from 'node:crypto';
import type { RunningWorker } from '@comanda/worker';
import { afterEach, expect, test, vi } from 'vitest';
import { useApi } from '../support/api.ts';
import { createKey, createLocation } from '../support/factories.ts';
import { startTestWorker } from '../support/run-worker.ts';
import { waitFor } from '../support/wait.ts';

// A location that sends many jobs waits for itself. The test compares the order in which jobs began, never a time.

vi.setConfig({ testTimeout: 240_000 });

const encryptionKey = randomBytes(32).toString('base64');
const api = useApi(() => ({ encryptionKey }));
const workers: RunningWorker[] = [];
afterEach(async () => {
  await Promise.all(workers.splice(0).map((worker) => worker.stop()));
});

/** Starts a worker that runs so many jobs at once. */
async function work(slots: number): Promise<void> {
  // Of 24 the queue of imports has 6: two that listen and look, and four that work.
  const workerConnections = (slots + 2) * 4;
  workers.push(await startTestWorker(api.databaseUrl, encryptionKey, { workerConnections }));
}

interface Shop {
  locationId: string;
  /** Has a key of its own begin a job of some items; the moment at which that was answered. */
  send(items?: number, key?: number): Promise<Date>;
}

async function openShop(keys = 1): Promise<Shop> {
  const { database } = api.app;
  const locationId = await createLocation(database);
  const issued = await Promise.all(
    Array.from({ length: keys }, () => createKey(database, { locationId, batchJobsPerHour: 10_000 })),
  );
  return {
    locationId,
    async send(items = 1, key = 0) {
      const answer = await api.rest('POST /v2/sync/products', {
        key: issued[key % keys]?.key ?? '',
        body: {
          items: Array.from({ length: items }, (_, n) => ({ external_id: `p${n}`, name: 'P', price: 1 })),
        },
        headers: { 'idempotency-key': randomUUID() },
      });
      expect(answer.status, answer.text).toBe(202);
      const { rows } = await database.pool.query<{ at: Date }>('select clock_timestamp() as at');
      return rows[0]?.at ?? new Date(Number.NaN);
    },
  };
}

interface Began {
  location_id: string;
  started_at: Date;
}

/** The jobs that have begun, in the order in which they did. */
async function begun(...shops: Shop[]): Promise<Began[]> {
  const rows = await api.sql<Began>`
    select location_id, started_at from sync_jobs where started_at is not null and location_id = any (${shops.map(({ locationId }) => locationId)}::uuid[])
    order by started_at`;
  return rows;
}

async function over(...shops: Shop[]): Promise<void> {
  const { pool } = api.app.database;
  const ids = shops.map(({ locationId }) => locationId);
  const open = `select from sync_jobs where location_id = any ($1::uuid[]) and status <> 'completed' limit 1`;
  await waitFor('the jobs', async () => (await pool.query(open, [ids])).rows.length === 0, {
    timeoutMs: 200_000,
    intervalMs: 100,
  });
}

/** How many jobs of others began between the answer to the newcomer and the beginning of its job. */
async function begunBefore(newcomer: Shop, answered: Date, ...others: Shop[]): Promise<number> {
  await over(newcomer);
  const [own] = await begun(newcomer);
  const between = ({ started_at }: Began) =>
    started_at > answered && own !== undefined && started_at < own.started_at;
  return (await begun(...others)).filter(between).length;
}

const sendAll = async (shop: Shop, jobs: number, items?: number) => {
  for (let job = 0; job < jobs; job += 1) await shop.send(items, job);
};

// A job takes longer than a worker takes to hear of another one.
test.each([
  { jobs: 80, keys: 1, items: 50 },
  { jobs: 80, keys: 10, items: 50 },
  { jobs: 28, keys: 1, items: 500 },
])(
  '$jobs jobs of $keys keys of one location delay the job of another by those that run',
  async ({ jobs, keys, items }) => {
    const [busy, neighbour] = [await openShop(keys), await openShop()];
    await sendAll(busy, jobs, items);
    await work(4);
    await waitFor('some to have begun', async () => (await begun(busy)).length > 2);
    const answered = await neighbour.send();
    expect(await begunBefore(neighbour, answered, busy)).toBeLessThanOrEqual(4);
    expect((await begun(busy)).length).toBeLessThan(jobs);
  },
);

test.each([{ slots: 1 }, { slots: 2 }])(
  'with more busy locations than the $slots places of a worker they take turns, and a newcomer goes before them',
  async ({ slots }) => {
    const busy = await Promise.all(Array.from({ length: 6 }, () => openShop()));
    const newcomer = await openShop();
    // One after the other: who came first is not served first for that.
    for (const shop of busy) await sendAll(shop, 20);
    await work(slots);
    await waitFor('some to have begun', async () => (await begun(...busy)).length > 2 * busy.length);
    const answered = await newcomer.send();
    expect(await begunBefore(newcomer, answered, ...busy)).toBeLessThanOrEqual(slots);
    await over(...busy);
    const counts = new Map(busy.map(({ locationId }) => [locationId, 0]));
    for (const { location_id } of await begun(...busy)) {
      counts.set(location_id, (counts.get(location_id) ?? 0) + 1);
      const each = [...counts.values()];
      expect(Math.max(...each) - Math.min(...each)).toBeLessThanOrEqual(2);
    }
  },
);

test('jobs of one location run one after the other, in the order in which they were sent', async () => {
  const shop = await openShop(3);
  await work(4);
  await sendAll(shop, 40, 20);
  await over(shop);
  const rows = await api.sql<{ overlaps: number; unordered: number }>`
    select count(*) filter (where started_at < ended)::int as overlaps, count(*) filter (where started_at < begun)::int as unordered
    from (select started_at, lag(completed_at) over w as ended, lag(started_at) over w as begun
      from sync_jobs where location_id = ${shop.locationId} window w as (order by created_at, id)) j`;
  expect(rows).toEqual([{ overlaps: 0, unordered: 0 }]);
});
