import { randomBytes } from 'node:crypto';
import { openDatabase } from '@comanda/db';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import type { Outcome } from '../faults/support/caller.ts';
import { type Consumer, startConsumer } from '../faults/support/consumer.ts';
import { compareRestaurant } from '../model/compare.ts';
import { startDrive } from '../model/drive.ts';
import { openRestaurant } from '../model/restaurant.ts';
import { runComanda } from '../support/command.ts';
import { createKey, createLocation } from '../support/factories.ts';
import { startProcess, type TestProcess } from '../support/processes.ts';
import { runOnce } from '../support/server.ts';
import { reportFault, trials } from '../support/trials.ts';
import { waitFor } from '../support/wait.ts';
import { isWhole, type PatroniCluster, startPatroni } from './patroni.ts';

// The files of ops/patroni: three PostgreSQL, synchronous, with etcd and HAProxy; API and worker reach them through HAProxy alone.

vi.setConfig({ testTimeout: 600_000, hookTimeout: 240_000 });

let cluster: PatroniCluster;
const processes: TestProcess[] = [];
let consumer: Consumer;
let serviceUrl: string;
let ownerUrl: string;
let env: Record<string, string>;

beforeAll(async () => {
  cluster = await startPatroni();
  const root = cluster.url('postgres', cluster.superuserPassword, 'postgres');
  await waitFor('the primary through HAProxy', () =>
    runOnce(root, 'create database comanda').then(() => true),
  );
  const asRoot = cluster.url('postgres', cluster.superuserPassword, 'comanda');
  expect(await runComanda({ DATABASE_URL: asRoot }, 'db', 'roles', '--apply')).toMatchObject({ code: 0 });
  for (const kind of ['owner', 'service'])
    await runOnce(asRoot, `alter role comanda_${kind} login password 'no-secret'`);
  serviceUrl = cluster.url('comanda_service', 'no-secret', 'comanda');
  ownerUrl = cluster.url('comanda_owner', 'no-secret', 'comanda');
  const settings = { DATABASE_URL: serviceUrl, DATABASE_OWNER_URL: ownerUrl };
  expect(await runComanda(settings, 'migrate')).toMatchObject({ code: 0 });
  env = {
    ...settings,
    ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    WEBHOOK_TARGETS: 'any',
    WEBHOOK_RETRY_DELAYS: '1,1,1,1',
  };
  processes.push(await startProcess({ entry: 'api', env }));
  consumer = await startConsumer();
});
afterAll(async () => {
  await Promise.all(processes.map((each) => each.stop()));
  await consumer?.close();
  await cluster?.remove();
});

const leader = async () => {
  const members = await cluster.members();
  return { name: members.find(({ role }) => role === 'leader')?.name ?? '', members };
};

/** The new leader, once there is one. */
const successorOf = (before: string) =>
  waitFor(
    'another leader',
    async () => {
      const { name } = await leader();
      return name !== '' && name !== before && name;
    },
    { timeoutMs: 90_000, intervalMs: 100 },
  );

const whole = () =>
  waitFor('all three nodes', async () => isWhole(await cluster.members()), {
    timeoutMs: 120_000,
    intervalMs: 500,
  });

/** Records when orders were acknowledged, to find for how long none was. */
function createWatch() {
  const at: number[] = [];
  return {
    observe: () => (outcome: Outcome) => {
      if (outcome.kind === 'answered' && outcome.status === 201) at.push(performance.now());
    },
    /** Acknowledged after a moment. */
    since: (moment: number) => at.filter((each) => each > moment).length,
    /** The longest time without one from shortly before a moment on, in seconds. */
    longestGap(from: number): number {
      const after = at.filter((each) => each >= from - 1_000);
      return Math.max(...after.slice(1).map((each, index) => each - (after[index] ?? each))) / 1_000;
    },
  };
}

it('nothing acknowledged is lost when the leader hands over, and when it dies', async () => {
  const database = openDatabase({ url: serviceUrl, poolSize: 2, onError: () => {} });
  const locationId = await createLocation(database, { timezone: 'America/St_Johns', currency: 'CAD' });
  const { key } = await createKey(database, { locationId, perMinute: 1_000_000, batchJobsPerHour: 100_000 });
  const [api] = processes;
  const url = api?.url ?? '';
  processes.push(await startProcess({ entry: 'worker', env }));
  const watch = createWatch();
  const at = { target: async () => url, locationId, key, consumer, callers: 4, observe: watch.observe };
  const restaurant = await openRestaurant(at);
  const driven = startDrive([restaurant], { callers: 4, seed: 19, paceMs: 20 });
  const goesOn = (since: number) =>
    waitFor('orders to go on', () => watch.since(since) > 20, { timeoutMs: 120_000 });
  const seen: Record<string, string> = {};
  const rounds = trials(1, 5);
  for (let round = 1; round <= rounds; round += 1) {
    await goesOn(performance.now());
    const { name: first, members } = await leader();
    const candidate = members.find(({ role }) => role === 'sync_standby')?.name ?? '';
    const handedOver = performance.now();
    await cluster.switchover(first, candidate);
    const second = await successorOf(first);
    expect(second).toBe(candidate);
    await goesOn(performance.now());
    seen[`switchover ${round}`] = `${watch.longestGap(handedOver).toFixed(1)} s`;
    await whole();

    await goesOn(performance.now());
    const killed = performance.now();
    cluster.kill(second);
    const third = await successorOf(second);
    expect(members.map(({ name }) => name)).toContain(third);
    await goesOn(performance.now());
    seen[`kill ${round}`] = `${watch.longestGap(killed).toFixed(1)} s`;
    // A killed leader comes back with its own data; every other time a new machine takes its place.
    const keeps = round % 2 === 1;
    cluster[keeps ? 'restart' : 'replace'](second);
    await whole();
    if (keeps)
      seen[`back ${round}`] = cluster.log(second).includes('pg_rewind exit code=0') ? 'rewound' : 'as it was';
  }
  await driven.stop();
  const stopped = performance.now();
  const left = await leftToTell(database.pool);
  await waitFor('everything to be published', async () => (await leftToTell(database.pool)) === 0, {
    timeoutMs: 300_000,
    intervalMs: 500,
  });
  seen['published after the load'] = `${left} in ${((performance.now() - stopped) / 1_000).toFixed(1)} s`;
  const published = await compareRestaurant(restaurant, { databaseUrl: ownerUrl, consumer });
  const { answered, unavailable, unanswered } = restaurant.counts;
  reportFault('Patroni', {
    trials: 2 * rounds,
    real: 2 * rounds,
    orders: restaurant.model.orders.length,
    answered,
    unavailable,
    unanswered,
    events: published.events,
    delivered: published.delivered,
    repeats: published.repeats,
    ...seen,
  });
  expect(published.dead).toBe(0);
  await database.close();
});

/** Changes that are not published, and deliveries that are not made. */
async function leftToTell(pool: { query(text: string): Promise<{ rows: { count: string }[] }> }) {
  const { rows } = await pool.query(
    `select (select count(*) from internal.captured_changes) +
       (select count(*) from webhook_deliveries where status in ('pending', 'failed')) as count`,
  );
  return Number(rows[0]?.count);
}
