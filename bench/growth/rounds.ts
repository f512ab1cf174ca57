import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { createLog } from '@comanda/api/services';
import { type Database, openDatabase } from '@comanda/db';
import { migrate } from '../../packages/db/src/migrations/migrate.ts';
import { repositoryRoot } from '../../packages/db/src/root.ts';
import { publishRound } from '../../packages/worker/src/relay/round.ts';
import { retentionRules } from '../../packages/worker/src/retention/rules.ts';
import { sweepRule } from '../../packages/worker/src/retention/sweep-rule.ts';
import { sweep } from '../../packages/worker/src/sweeper.ts';
import { serverCpuMs, threadCpuMs } from '../cpu.ts';
import { between, cpuOf, eachOf, type Spent } from './cpu.ts';
import { encryptionKey } from './database.ts';
import type { Service } from './service.ts';

/** Figures of each database, by name. */
export type Pair = Record<Service['name'], number>;

/** A measured figure and its unit. */
export interface Found {
  name: string;
  unit: string;
  values: Pair;
  /** The growth that it may have where that is more than for others: it looks at each location. */
  most?: number;
  /** Less is counted as this much: the difference is that of the clock, or matters to no process. */
  floor?: number;
  note?: string;
}

/** A hundred times the locations take a hundred times as much, and a tenth more. */
export const eachLocation = 110;

/** The unit in which the kernel counts the CPU of a process, in ms. */
export const tick = 10;

const log = createLog('silent', 'worker');

/** For how many days each rule keeps something, as the settings have it. */
const keepOf = ({ setting }: (typeof retentionRules)[number]): number =>
  typeof setting !== 'string' ? setting.days : (kept[setting] ?? 30);
const kept: Readonly<Record<string, number>> = {
  ...{ idempotencyTtlHours: 168, keepSyncJobsDays: 90, keepAuditDays: 400 },
  ...{ keepLimitWindowsDays: 7, keepSetAsideDays: 90 },
};

/** Removes what is old, of one rule or of all; gives how many rows. */
export async function retain(database: Database, keepDays?: number): Promise<number> {
  let removed = 0;
  for (const rule of retentionRules) {
    const keep = keepDays !== undefined && /attempts|events/.test(rule.name) ? keepDays : keepOf(rule);
    const pass = { keep, over: () => false, restMs: () => 0 };
    removed += (await sweepRule(database, rule, pass)).removed;
  }
  return removed;
}

interface Round {
  name: string;
  /** So many in a turn. */
  times: number;
  most?: number;
  once(database: Database, worker: string): Promise<unknown>;
}

const rounds: readonly Round[] = [
  {
    name: 'a round of the relay with nothing to publish',
    times: 100,
    once: (database) => publishRound(database, log),
  },
  {
    name: 'a round of the sweeper',
    times: 10,
    async once(database, worker) {
      // The worker's own has the lock now and then.
      while ((await sweep(database, worker)) === undefined) await sleep(5);
    },
  },
  {
    name: 'a look by every rule of retention, once an hour',
    ...{ times: 1, most: eachLocation },
    once: (database) => retain(database),
  },
];

/** The use of a connection of PostgreSQL for each round, during everything else that runs; in turns. */
export async function measureRounds(services: readonly Service[], turns: number): Promise<Found[]> {
  const found: Found[] = [];
  for (const { name, times, most, once } of rounds) {
    const values: Pair = { few: 0, many: 0 };
    const opened = await Promise.all(services.map(openRounds));
    // The first turn warms up: retention removes what is old.
    for (let turn = 0; turn <= turns; turn += 1)
      for (const { service, database, pid, worker } of opened) {
        const before = threadCpuMs(pid);
        for (let at = 0; at < times; at += 1) await once(database, worker);
        if (turn > 0) values[service.name] += (threadCpuMs(pid) - before) / times / turns;
      }
    await Promise.all(opened.map(({ database }) => database.close()));
    found.push({ name, unit: 'ms', values, ...(most !== undefined && { most }) });
  }
  return found;
}

async function openRounds(service: Service) {
  const database = openDatabase({
    url: service.url,
    poolSize: 1,
    work: 'worker',
    applicationName: 'comanda-worker-bench',
  });
  const { rows } = await database.pool.query<{ pid: number; worker: string }>(
    `select pg_backend_pid() as pid, (select id from internal.process_heartbeats where kind = 'worker' order by seen_at desc limit 1) as worker`,
  );
  return { service, database, pid: rows[0]?.pid ?? 0, worker: rows[0]?.worker ?? '' };
}

/** CPU of one scrape of `/metrics`, by process. */
export async function measureScrapes(services: readonly Service[], times: number): Promise<Found[]> {
  const found: Found[] = [
    { name: 'a scrape of /metrics: PostgreSQL', unit: 'ms', values: { few: 0, many: 0 }, floor: tick },
    { name: 'a scrape of /metrics: API', unit: 'ms', values: { few: 0, many: 0 }, floor: tick },
  ];
  for (const service of services) {
    const before = await cpuOf(service);
    for (let at = 0; at < times; at += 1) await (await fetch(`${service.api.url}/metrics`)).text();
    const spent = between(before, await cpuOf(service));
    for (const [at, part] of (['apiPostgres', 'api'] as const).entries()) {
      const row = found[at];
      if (row !== undefined) row.values[service.name] = spent[part] / times;
    }
  }
  return found;
}

/** CPU in a millisecond without requests. */
export async function measureIdle(
  services: readonly Service[],
  ms: number,
): Promise<Record<Service['name'], Spent>> {
  const idle = { few: eachOf(() => 0), many: eachOf(() => 0) };
  const before = await Promise.all(services.map(cpuOf));
  const began = performance.now();
  await sleep(ms);
  for (const [at, service] of services.entries()) {
    const first = before[at];
    if (first === undefined) continue;
    const spent = between(first, await cpuOf(service));
    const lasted = performance.now() - began;
    idle[service.name] = eachOf((part) => spent[part] / lasted);
  }
  return idle;
}

/** A command while no service runs: PostgreSQL's CPU, of the whole server, and what it printed. */
export async function runDoctor(
  url: string,
  postmaster: number,
): Promise<{ ms: number; seconds: number; text: string }> {
  const [before, began] = [serverCpuMs(postmaster), performance.now()];
  const env = { ...process.env, DATABASE_URL: url, ENCRYPTION_KEY: encryptionKey };
  const argv = [join(repositoryRoot, 'dist', 'comanda.js'), 'doctor'];
  // It says with its exit code that no worker runs.
  const { stdout } = await promisify(execFile)(process.execPath, argv, { env, maxBuffer: 1 << 24 }).catch(
    (error: { stdout: string }) => error,
  );
  return {
    ms: serverCpuMs(postmaster) - before,
    seconds: (performance.now() - began) / 1_000,
    text: stdout,
  };
}

/** PostgreSQL's CPU of a migration that finds nothing to do, as `npm start` begins with. */
export async function measureMigrate(url: string, postmaster: number): Promise<number> {
  const before = serverCpuMs(postmaster);
  await migrate(url);
  return serverCpuMs(postmaster) - before;
}
