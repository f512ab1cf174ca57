import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Answer, callRest } from '../support/api.ts';
import { useDatabase, useTestDatabase } from '../support/database.ts';
import { createKey, createLocation, createPaymentMethod, createProduct } from '../support/factories.ts';
import { prismaOf } from '../support/prisma.ts';
import { startProcess, type TestProcess } from '../support/processes.ts';
import { waitFor } from '../support/wait.ts';
import { race, statuses } from './two-servers.ts';

const own = useTestDatabase();
const database = useDatabase(own);
let locationId: string;
let key: string;
let order: Record<string, unknown>;
let api: TestProcess;

beforeAll(async () => {
  locationId = await createLocation(database);
  ({ key } = await createKey(database, { locationId, perMinute: 1_000_000 }));
  const paymentMethodId = await createPaymentMethod(database, { locationId });
  const id = await createProduct(database, { locationId });
  order = {
    is_take_away: false,
    identifier: 'Table 4',
    items: [{ product_id: id, quantity: 1 }],
    payment_method_id: paymentMethodId,
  };
  api = await start();
});

afterAll(async () => {
  await api?.stop();
});

// The first tests warm the processes: a cold one may not have accepted all of 80 connections when it is asked to stop.
describe('two API processes behind one port', { timeout: 120_000, shuffle: false }, () => {
  it('serve on while one of them is killed under load, lose nothing, and are two again', async () => {
    const [victim = 0] = await twoPids();
    let stopping = false;
    let unanswered = 0;
    const made = new Set<string>();
    const lane = async (n: number) => {
      for (let turn = 0; !stopping; turn += 1) {
        const name = `kill-${n}-${turn}`;
        for (;;) {
          const answer = await create(name).catch(() => undefined);
          if (answer?.status === 201) break;
          if (answer !== undefined) throw new Error(`${answer.status}: ${answer.text}`);
          unanswered += 1;
        }
        made.add(name);
      }
    };
    const lanes = Promise.all([0, 1, 2, 3, 4, 5].map(lane));
    lanes.catch(() => {});
    await waitFor('orders', () => made.size > 30, { timeoutMs: 60_000 });
    process.kill(victim, 'SIGKILL');
    const atKill = made.size;
    await waitFor('orders while one is away', () => made.size > atKill + 30);
    await waitFor('another process', async () => {
      const now = await pids();
      return now.length === 2 && !now.includes(victim);
    });
    stopping = true;
    await lanes;
    expect(unanswered).toBeGreaterThan(0);
    const stored = { locationId, externalId: { startsWith: 'kill-' } };
    expect(await prismaOf(database).order.count({ where: stored })).toBe(made.size);
  });

  it('report their metrics as one, whichever is asked, and totals do not fall when one dies', async () => {
    const calls = 40;
    const before = await total();
    await Promise.all(Array.from({ length: calls }, () => call('GET /v2/orders?limit=1')));
    // A request is counted when its answer is out.
    await waitFor('the last call to be counted', async () => (await total()) >= before + calls);
    for (let scrape = 0; scrape < 6; scrape += 1) expect(await total()).toBe(before + calls);
    const [victim = 0] = await twoPids();
    process.kill(victim, 'SIGKILL');
    await waitFor('another process', async () => {
      const now = await pids();
      return now.length === 2 && !now.includes(victim);
    });
    for (let scrape = 0; scrape < 6; scrape += 1) expect(await total()).toBe(before + calls);
  });

  it('admit no more than the limit together', async () => {
    const limit = 60;
    for (;;) {
      const limited = await createKey(database, { locationId, perMinute: limit });
      const resetOf = ({ headers }: Answer) => Number(headers.get('x-ratelimit-reset'));
      const left = resetOf(await call('GET /v2/locations/current')) * 1_000 - Date.now();
      if (left < 5_000) await sleep(left + 50);
      const calls = Array.from(
        { length: 3 * limit },
        () => () => callRest(api.url ?? '', 'GET /v2/locations/current', { key: limited.key }),
      );
      const { answers } = await race(calls);
      // Rolled in the middle: two windows were counted, so this says nothing.
      if (new Set(answers.map(resetOf)).size > 1) continue;
      const counts = statuses(answers);
      expect(Object.keys(counts).sort()).toEqual(['200', '429']);
      expect(counts[200]).toBeLessThanOrEqual(limit);
      expect(counts[200]).toBeGreaterThanOrEqual(limit - Math.ceil(limit / 100));
      return;
    }
  });

  it('finish what is in flight in both when the first is asked to stop', async () => {
    const client = await database.pool.connect();
    await client.query('begin; lock table orders in share row exclusive mode');
    // More than there are open connections, which may all lead to one process: the new ones are shared out.
    const answers = Promise.all(Array.from({ length: 80 }, (_, n) => create(`drain-${n}`)));
    // One process has one batch of a location under way: two that wait are in both.
    await waitFor('orders in both processes', async () => (await waitingForLocks()) >= 2);
    const stopped = api.stop();
    await sleep(300);
    await client.query('rollback');
    client.release();
    expect(statuses(await answers)).toEqual({ 201: 80 });
    expect(await stopped).toEqual({ code: 0, signal: null });
    expect(await pids()).toEqual([]);
    api = await start();
  });

  it('drain and end by themselves when the first process is killed', async () => {
    const [one = 0, two = 0] = await twoPids();
    await api.stop('SIGKILL');
    // Only a process that closed in order takes itself off the list.
    await waitFor('both to sign off', async () => (await pids()).length === 0, { timeoutMs: 40_000 });
    await waitFor('both to end', () => !isAlive(one) && !isAlive(two), { timeoutMs: 40_000 });
  });

  it('end with exit code 78 when their settings cannot work', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const { port } = other.address() as AddressInfo;
    await expect(start({ PORT: String(port) })).rejects.toThrow(/exit code 78[\s\S]*PORT: /);
    other.close();
  });
});

function start(env: Record<string, string> = {}): Promise<TestProcess> {
  return startProcess({ entry: 'api', env: { DATABASE_URL: own.url, API_PROCESSES: '2', ...env } });
}

function call(route: string): Promise<Answer> {
  return callRest(api.url ?? '', route, { key });
}

function create(idempotencyKey: string): Promise<Answer> {
  return callRest(api.url ?? '', 'POST /v2/orders', {
    key,
    body: { ...order, external_id: idempotencyKey },
    headers: { 'idempotency-key': idempotencyKey },
  });
}

/** The serving processes that live, as they registered themselves. */
async function pids(): Promise<number[]> {
  const rows = await prismaOf(database).processHeartbeat.findMany({ where: { kind: 'api' } });
  return rows.map(({ pid }) => pid).filter(isAlive);
}

/** Both, once both have registered themselves: they serve before that. */
function twoPids(): Promise<number[]> {
  return waitFor('two processes', async () => {
    const now = await pids();
    return now.length === 2 && now;
  });
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** Calls of one operation over all processes, as a scrape on a connection of its own counts them. */
async function total(): Promise<number> {
  const response = await fetch(`${api.url}/metrics`, { headers: { connection: 'close' } });
  const text = await response.text();
  expect(response.status).toBe(200);
  const lines = text
    .split('\n')
    .filter((line) => /^comanda_http_requests_total\{.*"orders\.list"/.test(line));
  return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
}

async function waitingForLocks(): Promise<number> {
  const { rows } = await database.pool.query<{ count: number }>(
    `select count(*)::int as count from pg_stat_activity
     where datname = current_database() and application_name = 'comanda-api' and wait_event_type = 'Lock'`,
  );
  return rows[0]?.count ?? 0;
}
