import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { diagnose } from '../../packages/api/src/doctor/doctor.ts';
import { startProcess } from '../support/processes.ts';
import { reportFault, trials } from '../support/trials.ts';
import { waitFor } from '../support/wait.ts';
import { processorMs } from './postgres/proc.ts';
import { type ReplicaScene, replicaRoutes, setReplicaScene } from './postgres/replica-scene.ts';

/** Others may load the machine; what counts is what is answered. */
const patience = trials(60_000, 600_000);
vi.setConfig({ testTimeout: patience });

let scene: ReplicaScene;

beforeAll(async () => {
  scene = await setReplicaScene();
}, 180_000);
afterAll(() => scene?.close(), 60_000);

const endpoint = { url: 'https://erp.example.com/hook', events: ['order.created'] };

/** Reads through the process with the replica, several at a time, until stopped; which statuses it saw, how often. */
function readAgainAndAgain(lanes = 6) {
  const seen = new Map<number, number>();
  const routes = ['products', 'orders', 'categories', 'catalog', 'events', 'stock', 'payment-methods'];
  let stopping = false;
  const read = async (lane: number) => {
    for (let turn = lane; !stopping; turn += 1) {
      const status = await scene.statusOf(scene.reading, `GET /v2/${routes[turn % routes.length]}`);
      seen.set(status, (seen.get(status) ?? 0) + 1);
    }
  };
  const running = Promise.all(Array.from({ length: lanes }, (_, lane) => read(lane)));
  running.catch(() => {});
  return async () => {
    stopping = true;
    await running;
    return Object.fromEntries(seen);
  };
}

test('lists, the catalog, the export and reports are answered by the replica, byte for byte as by the primary', async () => {
  const { rest, reading, plain, counts } = scene;
  await scene.write(plain);
  const answer = await rest(plain, 'POST /v2/webhook-endpoints', endpoint);
  const { id } = (answer.body as { data: { id: string } }).data;
  const routes = replicaRoutes({ endpoint: id, settlement: scene.settlementId });
  expect(routes.length).toBeGreaterThanOrEqual(20);
  await scene.replicaAnswers();
  for (const route of routes) {
    const found = await waitFor(`the replica to answer ${route}`, async () => {
      const before = await counts();
      const read = await rest(reading, route);
      const after = await counts();
      return (after.replica ?? 0) > (before.replica ?? 0) && read;
    });
    const same = await rest(plain, route);
    const blurred = (text: string) => text.replace(/"exported_at":"[^"]+"/, '');
    expect([route, found.status, blurred(found.text)]).toEqual([route, 200, blurred(same.text)]);
  }
  const [{ there } = { there: 0 }] = await scene.sql<{ there: number }>(
    scene.standby,
    `select count(*)::int as there from pg_stat_activity where application_name = 'comanda-api'`,
  );
  expect(there).toBeGreaterThan(0);
});

test('what was written a moment ago, here or in another process, is in every list, replay paused or not', async () => {
  const { reading, plain, rest, sql, standby } = scene;
  const check = async (rounds: number) => {
    for (let round = 0; round < rounds; round += 1) {
      const { shownBy } = await scene.write(round % 2 === 0 ? plain : reading);
      for (const [route, id] of Object.entries(shownBy)) {
        const { status, text } = await rest(reading, route);
        expect([route, status, text.includes(id)]).toEqual([route, 200, true]);
      }
    }
  };
  await scene.replicaAnswers();
  const rounds = trials(6, 30);
  await check(rounds);
  await sql(standby, 'select pg_wal_replay_pause()');
  const before = await scene.counts();
  // Longer than it is left alone for: it is looked at again, and found behind again.
  await check(rounds);
  await sleep(1_100);
  await check(1);
  await sleep(200);
  await check(1);
  const after = await scene.counts();
  expect((after.behind ?? 0) - (before.behind ?? 0)).toBeGreaterThan(8 * rounds);
  expect(after.replica).toBe(before.replica);
  expect(await scene.statusOf(reading, 'GET /readyz')).toBe(200);
  const lag = /^comanda_replica_lag_bytes (\d+)$/m.exec(await (await fetch(`${reading.url}/metrics`)).text());
  expect(Number(lag?.[1])).toBeGreaterThan(0);
  await sql(standby, 'select pg_wal_replay_resume()');
  await scene.replicaAnswers();
  reportFault('the replay of a replica paused', { trials: 2 * rounds, real: 2 * rounds, missed: 0 });
});

const breaks = [
  ['is cancelled', 'interrupted', 'select pg_cancel_backend(pid) from pg_locks where not granted'],
  ['loses its connection', 'unreachable', 'select pg_terminate_backend(pid) from pg_locks where not granted'],
  ['is in conflict with the replay', 'interrupted', undefined],
] as const;

test.each(breaks)(
  'a read that %s on the replica is answered by the primary',
  async (how, reason, statement) => {
    const { sql, standby, primary, counts } = scene;
    const count = trials(1, 20);
    let real = 0;
    await waitFor(
      `a read that ${how}`,
      async () => {
        await scene.replicaAnswers();
        const before = await counts();
        // The replica's read holds the products and waits for the stock, which is locked there, too.
        const holder = await scene.connect(primary);
        await holder.query('begin; lock table product_stock in access exclusive mode');
        await sql(primary, 'analyze locations');
        const reading = scene.statusOf(scene.reading, 'GET /v2/products');
        const waiting = async () => (await sql(standby, 'select from pg_locks where not granted')).length > 0;
        const waits = await waitFor('the read to wait', waiting, { timeoutMs: 900 }).catch(() => false);
        if (waits && statement !== undefined) await sql(standby, statement);
        else if (waits) await sql(primary, 'begin; lock table products in access exclusive mode; commit');
        await holder.query('commit');
        await holder.end();
        expect(await reading).toBe(200);
        const after = await counts();
        if (waits && (after[reason] ?? 0) > (before[reason] ?? 0)) real += 1;
        return real >= count;
      },
      { timeoutMs: patience },
    );
    reportFault(`a read on a replica that ${how}`, { trials: count, real });
  },
);

test('a replica that is killed under reads is missed by nobody, and answers again when it is back', async () => {
  await scene.replicaAnswers();
  const count = trials(1, 20);
  const stop = readAgainAndAgain();
  for (let trial = 0; trial < count; trial += 1) {
    await scene.standby.kill();
    await sleep(1_500);
    expect((await fetch(`${scene.reading.url}/readyz`)).status).toBe(200);
    await scene.standby.start();
    await scene.replicaAnswers();
  }
  const seen = await stop();
  expect(Object.keys(seen)).toEqual(['200']);
  reportFault('a replica killed under reads', { trials: count, real: count, answered: seen[200] ?? 0 });
});

test('lists under load are answered with a replica as without; what they cost the primary is told', async () => {
  const { reading, plain, statusOf, primary } = scene;
  await scene.replicaAnswers();
  const before = await scene.counts();
  const measured = { reading: { lists: 0, ms: 0, ticks: 0 }, plain: { lists: 0, ms: 0, ticks: 0 } };
  const rounds = trials(2, 6);
  const lists = ['orders', 'products', 'payments', 'categories'];
  for (let round = 0; round < 2 * rounds; round += 1) {
    const name = round % 2 === 0 ? 'plain' : 'reading';
    const api = name === 'plain' ? plain : reading;
    const figures = measured[name];
    const [from, ticks] = [performance.now(), processorMs(primary.pid())];
    const end = from + trials(500, 5_000);
    const lane = async (first: number) => {
      for (let turn = first; performance.now() < end; turn += 1) {
        expect(await statusOf(api, `GET /v2/${lists[turn % lists.length]}?limit=50`)).toBe(200);
        figures.lists += 1;
      }
    };
    await Promise.all(Array.from({ length: 16 }, (_, first) => lane(first)));
    figures.ms += performance.now() - from;
    figures.ticks += processorMs(primary.pid()) - ticks;
  }
  const ratio = (of: (figures: typeof measured.plain) => number) =>
    Number((of(measured.reading) / of(measured.plain)).toFixed(2));
  const { replica = 0 } = await scene.counts();
  const byReplica = (replica - (before.replica ?? 0)) / measured.reading.lists;
  const cost = ratio(({ lists, ticks }) => ticks / lists);
  reportFault('lists with a replica, as ratios to those without', {
    ...{ trials: 2 * rounds, real: 2 * rounds, lists: measured.reading.lists + measured.plain.lists },
    ...{ perSecond: ratio(({ lists, ms }) => lists / ms), processorOfThePrimary: cost },
    answeredByReplica: Number(byReplica.toFixed(2)),
  });
});

test('the doctor says how the replica does; a server that is no standby of the database never answers', async () => {
  const { primary, standby, sql } = scene;
  const look = async (url: string) => {
    const { checks } = await diagnose({ DATABASE_URL: primary.url, DATABASE_REPLICA_URL: url });
    return checks.find(({ name }) => name === 'replica');
  };
  await sql(
    primary,
    `create role plain login password 'plain'; grant usage on schema internal to plain;
     grant select on internal.process_heartbeats to plain`,
  );
  const asPlain = new URL(standby.url);
  [asPlain.username, asPlain.password] = ['plain', 'plain'];
  const well = await waitFor('the role to arrive', async () => {
    const found = await look(asPlain.href);
    return found?.outcome === 'ok' && found;
  });
  expect(well.found).toMatch(/^a standby, \d+ bytes behind$/);
  expect(await look('postgresql://u:p@127.0.0.1:1/x')).toMatchObject({ outcome: 'warning' });
  expect(await look(primary.url)).toMatchObject({
    outcome: 'wrong',
    found: expect.stringContaining('no standby'),
  });
  const env = { DATABASE_URL: primary.url, DATABASE_REPLICA_URL: primary.url, LOG_LEVEL: 'info' };
  const api = await startProcess({ entry: 'api', env });
  await waitFor('the log to say so', () => /it is no standby/.test(api.output()));
  expect((await scene.rest(api, 'GET /v2/products')).status).toBe(200);
  expect(await (await fetch(`${api.url}/metrics`)).text()).toMatch(/reason="unsuitable"\} 1$/m);
  await api.stop();
});

test('a replica that becomes a primary of its own answers no more', async () => {
  const { sql, standby, reading, plain, rest } = scene;
  await scene.replicaAnswers();
  await sql(standby, 'select pg_promote(wait => true)');
  const { shownBy } = await scene.write(plain);
  for (const [route, id] of Object.entries(shownBy)) {
    const { status, text } = await rest(reading, route);
    expect([route, status, text.includes(id)]).toEqual([route, 200, true]);
  }
  expect((await scene.counts()).unsuitable).toBeGreaterThan(0);
});
