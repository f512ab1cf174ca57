import { randomBytes } from 'node:crypto';
import { chownSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type RunningWorker, startWorker } from '@comanda/worker';
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { callRest, startTestApi, type TestApi } from '../support/api.ts';
import { runComanda } from '../support/command.ts';
import { createOrderKitchen, type OrderKitchen, placeOrder } from '../support/orders.ts';
import { noteProcess } from '../support/run-directory.ts';
import { runOnce } from '../support/server.ts';
import { waitFor } from '../support/wait.ts';
import type { Cluster } from './cluster.ts';
import { type Operator, startOperator } from './operator.ts';
import { programPath } from './programs.ts';

// An operator with docs/operations/pgbackrest.md in hand: every block of it is run as it is written there.

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

const encryptionKey = randomBytes(32).toString('base64');
let operator: Operator;
let cluster: Cluster;
let env: Record<string, string>;
let api: TestApi;
let worker: RunningWorker;
let kitchen: OrderKitchen;

beforeAll(async () => {
  programPath('pgbackrest');
  operator = await startOperator('operations/pgbackrest.md', encryptionKey, {
    // It asks over a socket alone.
    settings: (home) => `unix_socket_directories = '${home}'`,
  });
  ({ cluster, env } = operator);
  const repository = `${env.BACKUPS}/pgbackrest`;
  mkdirSync(repository);
  if (cluster.account !== null) chownSync(repository, cluster.account.uid, cluster.account.gid);
  Object.assign(env, {
    PGBACKREST_CONFIG: `${env.BACKUPS}/pgbackrest.conf`,
    DATA: join(cluster.home, 'data'),
    SOCKETS: cluster.home,
    PORT: new URL(cluster.url('x', 'x')).port,
  });
  const databaseUrl = cluster.url('comanda_service', 'comanda');
  api = await startTestApi({ databaseUrl, encryptionKey });
  worker = await startWorker({
    databaseUrl,
    encryptionKey,
    webhookTimeoutMs: 10_000,
    webhookRetryDelaysSeconds: [1, 1, 1, 1],
    webhookTargets: 'any' as const,
    webhookAllowCidrs: [],
    logLevel: 'silent' as const,
  });
  kitchen = await createOrderKitchen(api);
  await orders(10);
});
afterAll(async () => {
  await worker?.stop();
  await api?.close();
  await operator?.remove();
});

const orders = async (count: number) => {
  const made: string[] = [];
  for (let n = 0; n < count; n += 1) made.push((await placeOrder(api, kitchen)).id);
  await waitFor('every change to be published', async () => {
    const { rows } = await api.app.database.pool.query('select from internal.captured_changes limit 1');
    return rows.length === 0;
  });
  return made;
};
const timed = async (heading: string) => {
  const begun = performance.now();
  const said = await operator.follow(heading, {});
  process.stdout.write(`${heading}: ${((performance.now() - begun) / 1_000).toFixed(1)} s\n`);
  return said;
};
const leftOver = () => readdirSync(cluster.home).filter((name) => name.startsWith('comanda-drill-'));

let earlier: string[];
let later: string[];

// As an operator goes down the page: in its order.
describe('the page of pgBackRest', { shuffle: false }, () => {
  it('makes a full and an incremental backup, and archives the log', async () => {
    await timed('Setting it up');
    earlier = await orders(3);
    const said = await timed('Each day');
    expect(said).toMatch(/full backup/);
    expect(said).toMatch(/incr backup/);
  });

  it('gives back the moment that is asked for: what came before is there, what came later is not', async () => {
    earlier.push(...(await orders(2)));
    const { rows } = await api.app.database.pool.query<{ now: string }>(
      `select to_char(clock_timestamp() at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS.US"+00"') as now`,
    );
    env.MOMENT = rows[0]?.now ?? '';
    later = await orders(4);
    await runOnce(cluster.url('postgres', 'postgres'), 'select pg_switch_wal()');
    await timed('Restoring to a moment');
    noteProcess(
      inject('runDirectory'),
      Number(readFileSync(`${env.PGDATA}/postmaster.pid`, 'utf8').split('\n')[0]),
    );
    const copy = await startTestApi({
      databaseUrl: `postgresql://comanda_service@127.0.0.1:${env.PGPORT}/comanda`,
      encryptionKey,
    });
    const shown = async (id: string) =>
      (await callRest(copy.url, `GET /v2/orders/${id}`, { key: api.key.key })).status;
    expect(await Promise.all(earlier.map(shown))).toEqual(earlier.map(() => 200));
    expect(await Promise.all(later.map(shown))).toEqual(later.map(() => 404));
    await copy.close();
  });

  it('a drill restores the stanza, whole and to the moment, compares it and leaves nothing', async () => {
    const root = `set session_replication_role = replica;`;
    // As in a backup of last night.
    await runOnce(
      cluster.url('postgres', 'comanda'),
      `${root} update graphile_worker._private_known_crontabs set last_execution = now() - interval '1 day'`,
    );
    const said = await timed('A drill');
    process.stdout.write(said);
    expect(said.match(/^The backup works: .*$/gm)).toHaveLength(2);
    expect(said.match(/^ok {6}restored .*the backup of pgBackRest$/gm)).toHaveLength(2);
    expect(
      said.match(/^ok {6}read .* with (\d+) orders/gm)?.map((line) => /(\d+) orders/.exec(line)?.[1]),
    ).toEqual(['19', '15']);
    expect(leftOver()).toEqual([]);
  });

  it('a drill names what is wrong with a stanza', async () => {
    const drill = (...argv: string[]) => runComanda({ ...env, PATH: env.PATH ?? '' }, 'drill', ...argv);
    const unknown = await drill('--from', 'pgbackrest:nobody');
    expect(unknown.code).toBe(1);
    expect(unknown.stderr).toMatch(/--from: stanza nobody has no backup/);
    const strange = await drill('--from', 'pgbackrest:main --delta');
    expect(strange.stderr).toMatch(/--from: a stanza has a name of letters/);
    const both = await drill('--from', 'pgbackrest:main', '--archive', env.BACKUPS ?? '');
    expect(both.stderr).toMatch(/archive.* is not for pgbackrest:/);
    const future = await drill('--from', 'pgbackrest:main', '--until', '2099-01-01 00:00:00+00');
    expect(future.code).toBe(1);
    expect(future.stdout).toMatch(/^FAILED {2}restored /m);
    expect(leftOver()).toEqual([]);
  });

  it('every block of the page was run', () => {
    expect(operator.left()).toEqual([]);
  });
});
