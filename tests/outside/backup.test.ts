import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type RunningWorker, startWorker } from '@comanda/worker';
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { repositoryRoot } from '../../packages/db/src/root.ts';
import { type Call, callRest, startTestApi, type TestApi } from '../support/api.ts';
import { openHand } from '../support/by-hand.ts';
import { runComanda } from '../support/command.ts';
import { type RecordingConsumer, startConsumer } from '../support/consumer.ts';
import { createOrderKitchen, type OrderKitchen, placeOrder } from '../support/orders.ts';
import { noteProcess } from '../support/run-directory.ts';
import { runOnce } from '../support/server.ts';
import { waitFor } from '../support/wait.ts';
import type { Cluster } from './cluster.ts';
import { type Operator, startOperator } from './operator.ts';
import { slowArchive } from './slow-archive.ts';

// An operator with docs/backup.md in hand: every block of it is run as it is written there.

vi.setConfig({ testTimeout: 90_000, hookTimeout: 120_000 });

const encryptionKey = randomBytes(32).toString('base64');

let operator: Operator;
let cluster: Cluster;
let api: TestApi;
let worker: RunningWorker;
let consumer: RecordingConsumer;
let kitchen: OrderKitchen;
/** Of the operator's shell. */
let env: Record<string, string>;
let restoredServer: string;

beforeAll(async () => {
  operator = await startOperator('backup.md', encryptionKey);
  ({ cluster, env } = operator);
  restoredServer = `127.0.0.1:${env.PGPORT}`;
  const databaseUrl = cluster.url('comanda_service', 'comanda');
  api = await startTestApi({ databaseUrl, encryptionKey });
  worker = await work(databaseUrl);
  consumer = await startConsumer();
  kitchen = await createOrderKitchen(api);
  await rest('POST /v2/webhook-endpoints', { body: { url: consumer.url, events: ['order.created'] } });
  await orders(20);
  await published(api);
});
afterAll(async () => {
  await worker?.stop();
  await api?.close();
  await consumer?.close();
  await operator?.remove();
});

const follow = (heading: string, more: Record<string, string> = {}) => operator.follow(heading, more);

const work = (databaseUrl: string, deliveries: 'on' | 'paused' = 'on') =>
  startWorker({
    databaseUrl,
    encryptionKey,
    webhookTimeoutMs: 10_000,
    webhookRetryDelaysSeconds: [1, 1, 1, 1],
    webhookTargets: 'any' as const,
    webhookAllowCidrs: [],
    logLevel: 'silent' as const,
    deliveries,
  });
const rest = (route: string, call: Call = {}) => api.rest(route, call);
const orders = async (count: number) => {
  const made: string[] = [];
  for (let n = 0; n < count; n += 1) made.push((await placeOrder(api, kitchen)).id);
  return made;
};
const published = ({ app }: TestApi) =>
  waitFor('every change to be published', async () => {
    const { rows } = await app.database.pool.query('select from internal.captured_changes limit 1');
    return rows.length === 0;
  });

interface FeedBody {
  data: { id: string; data: { id: string } }[];
}
const feed = async (at: TestApi, query: string) => {
  const { status, body, headers } = await callRest<FeedBody>(
    at.url,
    `GET /v2/events?types=order.created&limit=200&${query}`,
    { key: api.key.key },
  );
  return {
    status,
    events: body.data?.map(({ id, data }) => `${id} ${data.id}`),
    ids: body.data?.map(({ id }) => id),
    headers,
  };
};

/** Past every guard. */
const asRoot = (sql: string) =>
  runOnce(cluster.url('postgres', 'comanda'), `set session_replication_role = replica; ${sql}`);

/** Waits until all that was written so far is in the archive. */
async function logIsArchived(): Promise<void> {
  const root = await openHand(cluster.url('postgres', 'postgres'));
  const [row] = await root.sql<{ file: string }>('select pg_walfile_name(pg_switch_wal()) as file');
  await root.close();
  await waitFor('the log in the archive', () => existsSync(join(env.ARCHIVE ?? '', row?.file ?? '')));
}

// As an operator goes down the page: in its order.
describe('the page of backups', { shuffle: false }, () => {
  describe('a dump', () => {
    it('is made, restored next to the original, and again in its place', async () => {
      await follow('A dump');
      expect(await follow('Restoring a dump')).toContain('up to date');
      const copy = await startTestApi({
        databaseUrl: cluster.url('comanda_service', 'restored'),
        encryptionKey,
      });
      expect(await feed(copy, '')).toMatchObject({ events: (await feed(api, '')).events });
      await copy.close();
    });

    it('of the data alone fills a migrated database', async () => {
      await follow('Data alone');
      const copy = await startTestApi({
        databaseUrl: cluster.url('comanda_service', 'restored'),
        encryptionKey,
      });
      expect(await feed(copy, '')).toMatchObject({ events: (await feed(api, '')).events });
      await copy.close();
    });
  });

  describe('a base backup and the log', () => {
    let copy: TestApi;
    let known: string;
    let lost: string;
    let waiting: string[];
    let later: string[];
    let originals: string[];
    afterAll(() => copy?.close());

    it('give back the moment that is asked for: what came before is there, what came later is not', async () => {
      await follow('A base backup and the log');
      await orders(3);
      await published(api);
      known = (await feed(api, '')).ids?.at(-1) ?? '';
      // The moment falls between an order and its event.
      await worker.stop();
      waiting = await orders(4);
      await asRoot(`update internal.captured_changes set captured_at = captured_at - interval '1 hour'`);
      const { rows } = await api.app.database.pool.query<{ now: string }>(
        `select to_char(clock_timestamp() at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS.US"+00"') as now`,
      );
      env.MOMENT = rows[0]?.now ?? '';
      worker = await work(env.DATABASE_URL ?? '');
      later = await orders(5);
      await published(api);
      originals = (await feed(api, `after=${known}`)).events ?? [];
      lost = (await feed(api, '')).ids?.at(-1) ?? '';
      await waitFor('the webhooks', () => consumer.received.length >= 32);
      await logIsArchived();

      await follow('Restoring to a moment');
      noteProcess(
        inject('runDirectory'),
        Number(readFileSync(`${env.PGDATA}/postmaster.pid`, 'utf8').split('\n')[0]),
      );
      const service = `postgresql://comanda_service@${restoredServer}/comanda`;
      const said = await follow('Before anybody may write', {
        DATABASE_URL: service,
        DATABASE_OWNER_URL: `postgresql://comanda_owner@${restoredServer}/comanda`,
      });
      expect(said).toContain('readers of events begin with');
      copy = await startTestApi({ databaseUrl: service, encryptionKey });
      const shown = async (id: string) =>
        (await callRest(copy.url, `GET /v2/orders/${id}`, { key: api.key.key })).status;
      expect(await Promise.all(waiting.map(shown))).toEqual(waiting.map(() => 200));
      expect(await Promise.all(later.map(shown))).toEqual(later.map(() => 404));
    });

    it('a paused start sends nothing, and publishes what waited under the ids that consumers know', async () => {
      const sent = consumer.received.length;
      const paused = await work(`postgresql://comanda_service@${restoredServer}/comanda`, 'paused');
      await published(copy);
      expect((await feed(copy, `after=${known}`)).events).toEqual(originals.slice(0, waiting.length));
      await follow('The first start is paused', {
        DATABASE_URL: `postgresql://comanda_service@${restoredServer}/comanda`,
        DELIVERIES: 'paused',
        DATABASE_OWNER_URL: `postgresql://comanda_owner@${restoredServer}/comanda`,
      });
      expect(consumer.received.length).toBe(sent);
      await paused.stop();
    });

    it('a reader that is ahead of the copy learns where to start, and misses nothing', async () => {
      const refused = await feed(copy, `after=${lost}`);
      expect(refused.headers.get('x-error-reason')).toBe('cursor_not_restored');
      const since = refused.headers.get('x-error-since') ?? '';
      const next = await placeOrder(
        { rest: (route, call) => callRest(copy.url, route, { ...call, key: api.key.key }) },
        kitchen,
      );
      expect(next.number).toBe(27 + 10_000 + 1);
      const resumed = await work(`postgresql://comanda_service@${restoredServer}/comanda`);
      await published(copy);
      const { events = [] } = await feed(copy, `since=${since}`);
      expect(events.map((each) => each.split(' ')[1])).toEqual(expect.arrayContaining([...waiting, next.id]));
      // Each event that the copy sends of what waited is one that the consumer knows.
      await waitFor('the copy to send', () =>
        consumer.received.some(({ body }) => (body.data as { id: string }).id === next.id),
      );
      const ids = new Map<string, Set<unknown>>();
      for (const { body } of consumer.received) {
        const { id } = body.data as { id: string };
        ids.set(id, (ids.get(id) ?? new Set()).add(body.id));
      }
      expect([...ids.values()].filter(({ size }) => size !== 1)).toEqual([]);
      await resumed.stop();
    });
  });

  describe('a drill', () => {
    const leftOver = () => readdirSync(cluster.home).filter((name) => name.startsWith('comanda-drill-'));

    it('finds that the dump, the base backup and the running database can be restored, and leaves nothing', async () => {
      // As in a backup of last night.
      await asRoot(
        `update graphile_worker._private_known_crontabs set last_execution = now() - interval '1 day'`,
      );
      const sent = consumer.received.length;
      const said = await follow('A drill');
      process.stdout.write(said);
      expect(said.match(/^The backup works: .*$/gm)).toHaveLength(3);
      expect(said.match(/^ok {6}compared .*as the original; .*$/gm)).toHaveLength(3);
      expect(said).toMatch(/^ok {6}published .* 8 of 8 changes that waited$/m);
      expect(consumer.received.length).toBe(sent);
      expect(leftOver()).toEqual([]);
    });

    it('waits until the log is replayed, however long that takes, with its key in a file as the units have it', async () => {
      const { ENCRYPTION_KEY: key = '', ...others } = env;
      const keyFile = join(cluster.home, 'key');
      writeFileSync(keyFile, `${key}\n`);
      const slow = slowArchive(env.ARCHIVE ?? '', join(cluster.home, 'slow'));
      const argv = ['drill', '--from', `${env.BACKUPS}/base`, '--archive', slow.folder];
      const drilled = runComanda({ ...others, ENCRYPTION_KEY_FILE: keyFile }, ...argv);
      await slow.giveLast();
      const { code, stdout } = await drilled;
      expect(code, stdout).toBe(0);
      expect(stdout).toMatch(/^ok {6}started/m);
    });

    it.each([
      ['makes its cluster', 'data/postmaster.pid'],
      ['restores', '.s.PGSQL.5432'],
    ])('leaves nothing when it is ended while it %s', async (_, sign) => {
      const argv = ['scripts/comanda.mjs', 'drill', '--from', `${env.BACKUPS}/comanda.dump`];
      const child = spawn(process.execPath, argv, { cwd: repositoryRoot, env, stdio: 'ignore' });
      const ended = once(child, 'exit');
      const copy = await waitFor('the copy to run', () =>
        leftOver().find((name) => existsSync(join(cluster.home, name, sign))),
      );
      const pid = Number(
        readFileSync(join(cluster.home, copy, 'data/postmaster.pid'), 'utf8').split('\n')[0],
      );
      child.kill('SIGTERM');
      expect(await ended).toEqual([1, null]);
      expect(leftOver()).toEqual([]);
      await waitFor('its server to be gone', () => !existsSync(`/proc/${pid}`));
    });

    it('fails for a dump that ends early, and for one of another database, and leaves nothing', async () => {
      const settings = { ...env, PATH: env.PATH ?? '' };
      truncateSync(`${env.BACKUPS}/data.dump`, 4_000);
      const cut = await runComanda(settings, 'drill', '--from', `${env.BACKUPS}/data.dump`);
      expect(cut).toMatchObject({
        code: 1,
        stdout: expect.stringMatching(/^FAILED {2}restored .*pg_restore/m),
      });
      const other = [
        '--from',
        `${env.BACKUPS}/comanda.dump`,
        '--against',
        `postgresql://comanda_owner@${restoredServer}/comanda`,
      ];
      await runOnce(
        `postgresql://postgres@${restoredServer}/comanda`,
        `set session_replication_role = replica; update orders set total = total + 1 where number = 7`,
      );
      const differs = await runComanda(settings, 'drill', ...other);
      expect(differs.stdout).toMatch(/^FAILED {2}compared .*has, up to order 20, 20 orders of /m);
      expect(leftOver()).toEqual([]);
    });
  });

  it('every block of the page was run', () => {
    expect(operator.left()).toEqual([]);
  });
});
