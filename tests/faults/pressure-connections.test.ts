import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startProcess } from '../support/processes.ts';
import { reportFault, trials } from '../support/trials.ts';
import { waitFor } from '../support/wait.ts';
import { type OwnServer, startOwnServer } from './postgres/server.ts';
import { hold } from './pressure/holder.ts';
import { median, refusals, requireHealth, slowest, startProbe, unclear } from './pressure/probe.ts';
import { openStalls, type Stall } from './pressure/stalls.ts';
import type { Call } from './support/caller.ts';

const heldMs = trials(3_000, 60_000);
/** A refusal comes within this time, on a busy machine too. */
const clearWithinMs = 20_000;
/** Within this time of having connections again everything is served: the promise. */
const recoveryMs = 10_000;

let server: OwnServer;
let stalls: Stall[];
let api: Awaited<ReturnType<typeof startProcess>>;

beforeAll(async () => {
  server = await startOwnServer({ settings: { max_connections: '40' } });
  stalls = await openStalls(server.url, 2);
  api = await startProcess({ entry: 'api', env: { DATABASE_URL: server.url } });
}, 120_000);

afterAll(async () => {
  await api?.stop();
  await server?.remove();
}, 60_000);

describe('when another program holds every connection of the server', { timeout: 300_000 }, () => {
  test('the API goes on with the connections it has, and no call is refused', async () => {
    const baseUrl = api.url ?? '';
    await pressed(baseUrl, 1_000);
    const taken = await takeConnections(server.url);
    const seen = await pressed(baseUrl, heldMs);
    await taken.giveBack();
    expect(seen.unclear).toEqual([]);
    expect(seen.refused).toEqual([]);
    reportFault('connections exhausted, the API holds some', { trials: 1, real: 1, ...seen.figures });
  });

  test('an API that has none refuses clearly and at once, health answers, and it recovers by itself', async () => {
    const baseUrl = api.url ?? '';
    const taken = await takeConnections(server.url);
    await taken.takeOver('comanda-%');
    const seen = await pressed(baseUrl, heldMs);
    expect(seen.unclear).toEqual([]);
    expect(seen.refused.length).toBeGreaterThan(0);
    expect(seen.figures.slowestMs).toBeLessThan(clearWithinMs);
    await taken.giveBack();
    await waitFor('the API to serve again', async () => (await pressed(baseUrl, 200)).refused.length === 0, {
      timeoutMs: recoveryMs,
    });
    reportFault('connections exhausted, the API holds none', { trials: 1, real: 1, ...seen.figures });
  });
});

test('when every connection of the pool is stuck, calls are refused clearly and health answers', {
  timeout: 300_000,
}, async () => {
  const baseUrl = api.url ?? '';
  const tables = 'orders, products, categories, payments, payment_methods, product_stock';
  const holder = await hold(server.url, `lock table ${tables} in access exclusive mode`);
  const probe = startProbe(baseUrl, 30, everything);
  const health = startProbe(baseUrl, 1, healthCall);
  let waited = 0;
  await waitFor('the slots to be taken', async () => {
    waited = Math.max(waited, await holder.waiting());
    return waited >= 10;
  });
  await waitFor('refusals', () => refusals(probe.seen).length > 60, { timeoutMs: 60_000 });
  await holder.close();
  await waitFor('successes', () => probe.seen.at(-1)?.status === 200, { timeoutMs: recoveryMs });
  await Promise.all([probe.stop(), health.stop()]);
  expect([...probe.unanswered, ...health.unanswered]).toEqual([]);
  expect(unclear(probe.seen)).toEqual([]);
  requireHealth(health.seen);
  expect(slowest(probe.seen)).toBeLessThan(clearWithinMs);
  const refused = probe.seen.filter(({ status }) => status === 503);
  reportFault('every connection of the pool stuck', {
    trials: 1,
    real: 1,
    sessionsThatWaited: waited,
    refused: refused.length,
    medianRefusalMs: median(refused),
    slowestMs: slowest(probe.seen),
  });
});

/** Sixteen callers of both locations, and health, for a while. Health must answer, be it that the database is away. */
async function pressed(baseUrl: string, ms: number) {
  const probe = startProbe(baseUrl, 16, everything);
  const health = startProbe(baseUrl, 1, healthCall);
  await new Promise((resolve) => setTimeout(resolve, ms));
  await Promise.all([probe.stop(), health.stop()]);
  expect([...probe.unanswered, ...health.unanswered]).toEqual([]);
  expect(health.seen.filter(({ status }) => status !== 200 && status !== 503)).toEqual([]);
  expect(health.seen.filter(({ route, status }) => route === 'GET /healthz' && status !== 200)).toEqual([]);
  return {
    unclear: unclear(probe.seen),
    refused: refusals(probe.seen),
    figures: {
      answered: probe.seen.length,
      refused: refusals(probe.seen).length,
      medianMs: median(probe.seen),
      slowestMs: slowest(probe.seen),
      slowestHealthMs: slowest(health.seen),
    },
  };
}

const routes = ['GET /v2/orders?limit=5', 'GET /v2/products?limit=5', 'GET /v2/categories', 'GET /v2/stock'];

function everything(turn: number): Call {
  const stall = stalls[turn % stalls.length];
  const route = routes[turn % routes.length];
  if (stall === undefined || route === undefined) throw new Error('nothing to call');
  return { route, key: stall.key };
}

const healthCall = (turn: number): Call => ({
  route: `GET /${turn % 2 === 0 ? 'healthz' : 'readyz'}`,
  key: '',
});

/** Every connection that the server has left, held by another client. */
interface Taken {
  /** Ends the sessions with such a name and takes their connections, too, before they can come back. */
  takeOver(applicationName: string): Promise<void>;
  giveBack(): Promise<void>;
}

async function takeConnections(url: string): Promise<Taken> {
  const held: pg.Client[] = [];
  const take = async () => {
    const client = new pg.Client({ connectionString: url, application_name: 'hog' });
    client.on('error', () => {});
    try {
      await client.connect();
      held.push(client);
      return true;
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === '53300') return false;
      throw error;
    }
  };
  while (await take());
  const [first] = held;
  if (first === undefined) throw new Error('there was no connection to take');
  return {
    async takeOver(applicationName) {
      const look = async () => {
        const { rows } = await first.query(
          'select pg_terminate_backend(pid) from pg_stat_activity where application_name like $1',
          [applicationName],
        );
        while (await take());
        return rows.length === 0;
      };
      // The place of a session that has ended is free a little later than it is out of sight.
      const isTaken = async () => (await look()) && (await sleep(300, true)) && (await look());
      await waitFor('no session to be left', isTaken, { timeoutMs: 60_000 });
    },
    async giveBack() {
      await Promise.all(held.splice(0).map((client) => client.end()));
    },
  };
}
