import { spawn } from 'node:child_process';
import { openSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished, test } from 'vitest';
import type { Outcome } from '../../packages/api/src/metrics/checks.ts';
import { heartbeats } from '../../packages/db/src/lifetimes.ts';
import { repositoryRoot } from '../../packages/db/src/root.ts';
import { choosePort } from '../../packages/embedded/src/port.ts';
import { startProcess } from '../support/processes.ts';
import { noteProcess } from '../support/run-directory.ts';
import { runOnce } from '../support/server.ts';
import { waitFor } from '../support/wait.ts';
import { movedClock } from './clock/moved-process.ts';
import { hold } from './pressure/holder.ts';
import { type SeenScene, setSeenScene } from './seen/scene.ts';

// A full disk is in disk-full.test.ts, PgBouncer itself in
// tests/outside, and an API process that dies while another serves in
// tests/concurrency.

/** The symptoms of a fault, and its end. */
interface Fault {
  name: string;
  /** Makes it; answers what ends it. */
  make(scene: SeenScene): Promise<() => unknown>;
  /** Statuses of a caller's order and read. */
  callers: { order: number; read: number };
  readyz: { status: number; body: Record<string, unknown> };
  /** Of the worker; `none` where it does not answer. */
  worker: number | 'none';
  /** Of doctor's checks: how it comes out, and what it says to do. */
  doctor: { check: string; outcome: Outcome; found: RegExp; advice: RegExp };
  /** Of `/metrics`: the values, or how they must be. */
  metrics: Record<string, number | ((value: number | undefined) => boolean)>;
  /** Of `/metrics` once it has ended. */
  after: Record<string, number | ((value: number | undefined) => boolean)>;
}

const well = { database: 'ok', direct: 'ok', worker: 'ok' };

const faults: Fault[] = [
  {
    name: 'the database is stopped',
    async make({ server }) {
      await server.stop('immediate');
      return () => server.start();
    },
    callers: { order: 503, read: 503 },
    readyz: { status: 503, body: { database: 'unreachable', direct: 'unreachable', worker: 'unknown' } },
    worker: 503,
    doctor: {
      check: 'database reachable',
      outcome: 'wrong',
      found: /ECONNREFUSED/,
      advice: /^Start it/,
    },
    metrics: { comanda_database_up: 0, 'comanda_database_state unreachable': 1 },
    after: {
      comanda_database_up: 1,
      'comanda_database_state unreachable': 0,
      'comanda_database_state ok': 1,
    },
  },
  {
    name: 'the worker is frozen',
    async make({ server, worker }) {
      process.kill(worker.pid, 'SIGSTOP');
      // Its last beat is so old at once.
      await runOnce(
        server.url,
        `update internal.process_heartbeats set seen_at = seen_at - interval '${heartbeats.goneMs} ms' where pid = ${worker.pid}`,
      );
      return () => process.kill(worker.pid, 'SIGCONT');
    },
    callers: { order: 201, read: 200 },
    readyz: { status: 200, body: { database: 'ok', direct: 'ok', worker: 'silent' } },
    worker: 'none',
    doctor: { check: 'workers', outcome: 'wrong', found: /no worker is alive/, advice: /^Start one/ },
    metrics: {
      'comanda_processes_alive worker': 0,
      comanda_relay_lag_seconds: (value) => (value ?? 0) > 0,
      comanda_database_up: 1,
    },
    after: { 'comanda_processes_alive worker': 1, comanda_relay_lag_seconds: (value) => (value ?? 9) < 5 },
  },
  {
    name: 'a session locks a table',
    async make({ server }) {
      const holder = await hold(server.url, 'lock table product_stock in exclusive mode');
      return () => holder.close();
    },
    callers: { order: 503, read: 200 },
    readyz: { status: 200, body: well },
    worker: 200,
    doctor: {
      check: 'locks',
      outcome: 'warning',
      found: /pid \d+ \(holder, .*\): holds product_stock \(ExclusiveLock\)/,
      advice: /pg_terminate_backend/,
    },
    metrics: {
      'comanda_database_state ok': 1,
      'comanda_http_requests_total orders.create rest POST 503': (value) => (value ?? 0) > 0,
    },
    after: { 'comanda_database_state ok': 1 },
  },
  {
    name: 'the server has no connection left',
    async make({ server }) {
      const taken: pg.Client[] = [];
      for (;;) {
        const client = new pg.Client({ connectionString: server.url, application_name: 'hog' });
        client.on('error', () => {});
        const refused = await client.connect().then(
          () => false,
          () => true,
        );
        if (refused) break;
        taken.push(client);
      }
      return () => Promise.all(taken.map((client) => client.end()));
    },
    callers: { order: 201, read: 200 },
    readyz: { status: 200, body: well },
    worker: 200,
    doctor: {
      check: 'database reachable',
      outcome: 'wrong',
      found: /too many clients/,
      advice: /^SQLSTATE 53300: the server has no connection left/,
    },
    metrics: {
      comanda_database_up: 1,
      // Those kept for superusers are taken, too.
      comanda_database_connections: (value) => (value ?? 0) >= 37,
      comanda_database_connections_limit: 37,
    },
    after: { comanda_database_connections: (value) => (value ?? 99) < 30 },
  },
  {
    name: 'the pooler is away',
    async make({ pooler }) {
      pooler.cut();
      return () => pooler.mend();
    },
    callers: { order: 503, read: 503 },
    readyz: { status: 503, body: { database: 'unreachable', direct: 'ok', worker: 'unknown' } },
    worker: 200,
    doctor: {
      check: 'pooler',
      outcome: 'wrong',
      found: /it cannot be reached/,
      advice: /where DATABASE_URL leads/,
    },
    metrics: { comanda_database_up: 1, 'comanda_database_state unreachable': 1 },
    after: { 'comanda_database_state unreachable': 0 },
  },
  {
    name: 'the clock of an API is two hours ahead',
    async make({ env }) {
      const api = await startProcess({ entry: 'api', env: { ...env, ...movedClock(7_200) } });
      return () => api.stop();
    },
    callers: { order: 201, read: 200 },
    readyz: { status: 200, body: well },
    worker: 200,
    doctor: {
      check: 'clock',
      outcome: 'wrong',
      found: /api .* is 7\d\d\d\.\d s ahead of the database/,
      advice: /NTP/,
    },
    metrics: { 'comanda_processes_alive api': 2, mostSkew: (value) => (value ?? 0) > 7_000 },
    after: { mostSkew: (value) => (value ?? 9) < 2 },
  },
];

let scene: SeenScene;
beforeAll(async () => {
  scene = await setSeenScene();
}, 180_000);
afterAll(() => scene?.close(), 120_000);

const patience = { timeoutMs: 60_000, intervalMs: 250 };

async function metrics(): Promise<Record<string, number | undefined>> {
  const found = await scene.metrics();
  const skews = Object.entries(found).flatMap(([name, value]) =>
    name.startsWith('comanda_clock_skew_seconds ') ? [value] : [],
  );
  return { ...found, mostSkew: Math.max(0, ...skews) };
}

/** Waits until it is so; fails with what it was. */
async function expectReadyz({ status, body }: Fault['readyz']): Promise<void> {
  let last: Awaited<ReturnType<SeenScene['readyz']>> | undefined;
  const agree = async () => {
    last = await scene.readyz();
    const { body: said } = last;
    return last.status === status && Object.entries(body).every(([name, value]) => said[name] === value);
  };
  await waitFor('/readyz', agree, patience).catch((cause) => {
    throw new Error(`${cause}: ${JSON.stringify(last)}`);
  });
}

/** Waits until all of them are so; fails with what they were. */
async function expectMetrics(wanted: Fault['metrics']): Promise<void> {
  let last: unknown;
  const agree = async () => {
    const found = await metrics();
    last = Object.fromEntries(Object.keys(wanted).map((name) => [name, found[name]]));
    return Object.entries(wanted).every(([name, want]) =>
      typeof want === 'number' ? found[name] === want : want(found[name]),
    );
  };
  await waitFor('the metrics', agree, patience).catch((cause) => {
    throw new Error(`${cause}: ${JSON.stringify(last)}`);
  });
}

describe('what callers and operators see when', { timeout: 240_000 }, () => {
  it.each(faults)('$name, and after that', async (fault) => {
    // As proxies and Prometheus do all the time: what answers them is connected.
    await Promise.all([scene.readyz(), scene.metrics()]);
    const heal = await fault.make(scene);
    try {
      await waitFor(
        `an order to be answered ${fault.callers.order}`,
        async () => {
          const answer = await scene.order();
          if (answer.status === 503) expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
          return answer.status === fault.callers.order;
        },
        patience,
      );
      expect((await scene.read()).status).toBe(fault.callers.read);
      await expectReadyz(fault.readyz);
      if (fault.worker !== 'none') expect((await scene.workerReadyz()).status).toBe(fault.worker);
      const { check, outcome, found, advice } = fault.doctor;
      // A clock is known from the second heartbeat on.
      const finding = await waitFor(
        `doctor to find ${check} ${outcome}`,
        async () => {
          const one = (await scene.doctor())[check];
          return one?.outcome === outcome && one;
        },
        patience,
      );
      expect(finding.found).toMatch(found);
      expect(finding.advice).toMatch(advice);
      await expectMetrics(fault.metrics);
    } finally {
      await heal();
    }
    await waitFor('orders', async () => (await scene.order()).status === 201, patience);
    await expectReadyz({ status: 200, body: well });
    await waitFor('the worker', async () => (await scene.workerReadyz()).status === 200, patience);
    await expectMetrics(fault.after);
    await waitFor(
      'doctor to find it well',
      async () => ((await scene.doctor())[fault.doctor.check]?.outcome ?? 'ok') === 'ok',
      patience,
    );
  });
});

test('an API whose log no process reads still answers: on a full device, and on a pipe', async () => {
  await Promise.all([openSync('/dev/full', 'w'), 'pipe' as const].map(answerUnread));
}, 120_000);

async function answerUnread(stdout: number | 'pipe'): Promise<void> {
  const port = await choosePort(`${inject('runDirectory')} ${stdout}`, null);
  const child = spawn(process.execPath, [join(repositoryRoot, 'dist/api.js')], {
    env: { PATH: process.env.PATH, ...scene.env, PORT: String(port), HOST: '127.0.0.1' },
    stdio: ['ignore', stdout, 'ignore'],
  });
  const ended = noteProcess(inject('runDirectory'), child.pid ?? 0);
  const exited = new Promise((resolve) => child.once('exit', resolve));
  const url = `http://127.0.0.1:${port}`;
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await exited;
    ended();
  });
  const ready = async () => (await fetch(`${url}/readyz`).catch(() => undefined))?.status === 200;
  await waitFor('readiness', ready, patience);
  // More than a pipe holds: a line of the log for each.
  for (let turn = 0; turn < 10; turn += 1) {
    const answers = await Promise.all(Array.from({ length: 60 }, () => fetch(`${url}/v2/orders`)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([401]));
  }
  expect(await ready()).toBe(true);
  expect(await (await fetch(`${url}/metrics`)).text()).toContain('comanda_database_up 1');
}
