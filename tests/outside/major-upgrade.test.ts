import { randomBytes } from 'node:crypto';
import { readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type RunningWorker, startWorker } from '@comanda/worker';
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { serverAccount } from '../../packages/embedded/src/account.ts';
import { findBinaries } from '../../packages/embedded/src/binaries.ts';
import { runTool } from '../../packages/embedded/src/os-processes.ts';
import { callRest, startTestApi, type TestApi } from '../support/api.ts';
import {
  createOrderKitchen,
  type OrderKitchen,
  orderBody,
  placeOrder,
  postOrder,
} from '../support/orders.ts';
import { noteProcess } from '../support/run-directory.ts';
import { runOnce } from '../support/server.ts';
import { waitFor } from '../support/wait.ts';
import { type Cluster, startCluster } from './cluster.ts';
import { type Operator, startOperator } from './operator.ts';
import { upgradeFolders } from './programs.ts';

// An operator with docs/operations/major-upgrade.md in hand: every block of it is run as it is written there.

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

const encryptionKey = randomBytes(32).toString('base64');
const { from, to } = upgradeFolders();
let operator: Operator;
let old: Cluster;
let next: Cluster;
let api: TestApi;
let worker: RunningWorker;
let kitchen: OrderKitchen;

beforeAll(async () => {
  operator = await startOperator('operations/major-upgrade.md', encryptionKey, {
    programs: from,
    // Of a server that runs, pg_upgrade looks at the socket alone.
    settings: (home) => `unix_socket_directories = '${home}'`,
  });
  old = operator.cluster;
  const binaries = await findBinaries(serverAccount(old.home), () => {});
  next = await startCluster(() => '', dirname(binaries.initdb));
  await runOnce(next.url('postgres', 'postgres'), 'create role operator login createrole createdb');
  Object.assign(operator.env, {
    OLD_BIN: from,
    NEW_BIN: to,
    OLD_DATA: join(old.home, 'data'),
    NEW_DATA: join(old.home, 'new'),
    NEW_SERVER: new URL(next.url('x', 'x')).host,
  });
  const databaseUrl = old.url('comanda_service', 'comanda');
  api = await startTestApi({ databaseUrl, encryptionKey });
  worker = await work(databaseUrl);
  kitchen = await createOrderKitchen(api);
  for (let n = 0; n < 10; n += 1) await placeOrder(api, kitchen);
});
afterAll(async () => {
  await worker?.stop();
  await api?.close();
  await next?.remove();
  await runTool(join(to, 'pg_ctl'), ['-D', join(old.home, 'new'), '-m', 'fast', '-w', 'stop'], old.account);
  rmSync(old.home, { recursive: true, force: true });
});

const work = (databaseUrl: string) =>
  startWorker({
    databaseUrl,
    encryptionKey,
    webhookTimeoutMs: 10_000,
    webhookRetryDelaysSeconds: [1, 1, 1, 1],
    webhookTargets: 'any' as const,
    webhookAllowCidrs: [],
    logLevel: 'silent' as const,
  });
const published = ({ app }: TestApi) =>
  waitFor('every change to be published', async () => {
    const { rows } = await app.database.pool.query('select from internal.captured_changes limit 1');
    return rows.length === 0;
  });
const list = async (at: TestApi, path: string) =>
  (await callRest<{ data: unknown[] }>(at.url, `GET ${path}?limit=200`, { key: api.key.key })).body.data;
const timed = async (heading: string, more: Record<string, string> = {}) => {
  const begun = performance.now();
  const said = await operator.follow(heading, more);
  process.stdout.write(`${heading}: ${((performance.now() - begun) / 1_000).toFixed(1)} s\n`);
  return said;
};

// As an operator goes down the page: in its order.
describe('the page of major upgrades', { shuffle: false }, () => {
  describe('a dump', () => {
    it('brings everything to the newer server, and the old one refuses writes until it is let', async () => {
      await timed('Before either');
      await published(api);
      const events = await list(api, '/v2/events');
      await timed('By a dump');
      // The way back is the second block; the old server refuses until then.
      await waitFor('the old server to take an order again', async () => {
        const { status } = await postOrder(api, orderBody(kitchen));
        return status === 201;
      });
      const databaseUrl = next.url('comanda_service', 'comanda');
      const copy = await startTestApi({ databaseUrl, encryptionKey });
      const copied = await work(databaseUrl);
      const said = await timed('After either', {
        DATABASE_URL: databaseUrl,
        DATABASE_OWNER_URL: next.url('comanda_owner', 'comanda'),
      });
      expect(said).toContain('up to date');
      expect(await list(copy, '/v2/events')).toEqual(events);
      const order = await placeOrder(
        { rest: (route, call) => callRest(copy.url, route, { ...call, key: api.key.key }) },
        kitchen,
      );
      expect(order.number).toBe(11);
      await published(copy);
      await copied.stop();
      await copy.close();
    });
  });

  describe('pg_upgrade', () => {
    it('takes the files along: an API that was left running goes on, with all that was there', async () => {
      await published(api);
      const [orders, events] = [await list(api, '/v2/orders'), await list(api, '/v2/events')];
      const said = await timed('By pg_upgrade');
      expect(said).toMatch(/Clusters are compatible/);
      expect(said).toMatch(/Upgrade Complete/);
      noteProcess(
        inject('runDirectory'),
        Number(readFileSync(join(old.home, 'new/postmaster.pid'), 'utf8').split('\n')[0]),
      );
      await waitFor('the API to answer again', async () => {
        const { status } = await api.rest('GET /v2/orders', {});
        return status === 200;
      });
      expect(await list(api, '/v2/orders')).toEqual(orders);
      expect(await list(api, '/v2/events')).toEqual(events);
      const order = await placeOrder(api, kitchen);
      expect(order.number).toBe(12);
      await published(api);
      // Its first beat on the new server comes within seconds.
      await waitFor('the worker to be heard', async () => {
        const { rows } = await api.app.database.pool.query(
          `select from internal.process_heartbeats where kind = 'worker' and seen_at > now() - interval '5 seconds'`,
        );
        return rows.length > 0;
      });
      expect(await timed('After either')).toContain('up to date');
    });
  });

  it('every block of the page was run', () => {
    expect(operator.left()).toEqual([]);
  });
});
