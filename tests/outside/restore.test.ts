import { randomBytes } from 'node:crypto';
import { startWorker } from '@comanda/worker';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { diagnose } from '../../packages/api/src/doctor/doctor.ts';
import { migrate } from '../../packages/db/src/migrations/migrate.ts';
import { migrateQueue } from '../../packages/db/src/migrations/queue.ts';
import { roleKinds } from '../../packages/db/src/roles/names.ts';
import { createShop } from '../api/catalog-shop.ts';
import { startTestApi, type TestApi } from '../support/api.ts';
import { openHand } from '../support/by-hand.ts';
import { runComanda } from '../support/command.ts';
import { useConsumer } from '../support/consumer.ts';
import { operations } from '../support/documented.ts';
import { createOrderKitchen, type OrderKitchen, placeOrder } from '../support/orders.ts';
import { runOnce } from '../support/server.ts';
import { waitFor } from '../support/wait.ts';
import { type Cluster, startCluster } from './cluster.ts';

// The ways of docs/backup.md to restore a dump, each looked at closely, with the pg_dump and pg_restore of this system.

vi.setConfig({ testTimeout: 120_000, hookTimeout: 240_000 });

const encryptionKey = randomBytes(32).toString('base64');
const consumer = useConsumer();
let cluster: Cluster;
let original: Shop;
let kitchen: OrderKitchen;
const dump = (kind: string) => `${cluster.home}/${kind}.dump`;
const role = (kind: string, database: string) => cluster.url(`shop_${kind}`, database);

/** An API and a worker on a database, both as the service. */
interface Shop {
  api: TestApi;
  settled(): Promise<unknown>;
  close(): Promise<void>;
}

/** An empty database with the roles of the service, made by an owner that may create roles. */
async function createDatabase(name: string): Promise<void> {
  await runOnce(cluster.url('postgres', 'postgres'), `create database ${name} owner operator`);
  await applyRoles('operator', name);
}

async function applyRoles(user: string, name: string): Promise<void> {
  const settings = { DATABASE_URL: cluster.url(user, name), DATABASE_ROLE_PREFIX: 'shop' };
  const made = await runComanda(settings, 'db', 'roles', '--apply');
  expect(made, made.stderr).toMatchObject({ code: 0 });
}

/** As `npm start` does. */
async function prepare(name: string): Promise<void> {
  await migrateQueue(role('owner', name));
  await migrate(role('owner', name), { rolePrefix: 'shop' });
}

async function serve(name: string): Promise<Shop> {
  const databaseUrl = role('service', name);
  const api = await startTestApi({ databaseUrl, encryptionKey });
  const worker = await startWorker({
    databaseUrl,
    encryptionKey,
    webhookTimeoutMs: 10_000,
    webhookRetryDelaysSeconds: [1, 1, 1, 1],
    webhookTargets: 'any' as const,
    webhookAllowCidrs: [],
    logLevel: 'silent' as const,
  });
  return {
    api,
    settled: () =>
      waitFor(
        'every change to be published and delivered, and the health of the endpoint to be written',
        async () => {
          const { rows } = await api.app.database.pool.query(`
            select from internal.captured_changes union all
            select from webhook_deliveries where next_attempt_at is not null union all
            select from webhook_attempts where attempted_at > (select coalesce(max(last_delivered_at), '-infinity') from internal.endpoint_health)
            limit 1`);
          return rows.length === 0;
        },
        { timeoutMs: 60_000 },
      ),
    async close() {
      await worker.stop();
      await api.close();
    },
  };
}

beforeAll(async () => {
  cluster = await startCluster();
  await runOnce(cluster.url('postgres', 'postgres'), 'create role operator login createrole');
  await createDatabase('original');
  // A superuser closes functions of PostgreSQL: the dump has that, and the restoring role is none.
  await applyRoles('postgres', 'original');
  for (const kind of roleKinds)
    await runOnce(cluster.url('operator', 'original'), `alter role shop_${kind} login`);
  await prepare('original');
  original = await serve('original');
  await fill(original.api);
  await original.settled();
  const owner = ['-d', role('owner', 'original')];
  cluster.run('pg_dump', '-Fc', '-f', dump('whole'), ...owner);
  cluster.run(
    'pg_dump',
    ...['-Fc', '--data-only', '-n', 'public', '-n', 'internal', '-T', 'public._prisma_migrations'],
    ...['-T', 'internal.sql_*', '-f', dump('data'), ...owner],
  );
});
afterAll(async () => {
  await original?.close();
  await cluster?.remove();
});

/** Something of everything: a catalog, some hundred orders, a closed turn, an endpoint, edits by hand. */
async function fill(api: TestApi): Promise<void> {
  const client = api.client();
  await createShop(api, api.locationId);
  kitchen = await createOrderKitchen(api);
  await client.webhookEndpoints.create.mutate({ url: consumer.url, events: ['stock.updated'] });
  await client.turns.open.mutate();
  for (let n = 0; n < 200; n += 1) {
    const order = await placeOrder(api, kitchen);
    if (n % 3 === 0) await client.payments.complete.mutate({ id: order.payment.id });
    if (n % 7 === 1) await api.rest(`POST /v2/orders/${order.id}/cancel`, { body: { reason: 'a test' } });
    if (n === 150) {
      await client.turns.close.mutate();
      await client.turns.open.mutate();
    }
  }
  const admin = await openHand(role('admin', 'original'), 'admin');
  await admin.sql('update products set price = price + 1');
  await admin.sql(`update categories set name = name || '!'`);
  await admin.close();
}

const ways = [
  {
    name: 'whole',
    how: 'a whole dump, restored into an empty database by the owner',
    async restore() {
      cluster.run('pg_restore', '-d', role('owner', 'whole'), dump('whole'));
    },
  },
  {
    name: 'in_place',
    how: 'a whole dump, restored by the owner in place of what was there',
    async restore() {
      await prepare('in_place');
      const way = ['--clean', '--if-exists', '--single-transaction'];
      cluster.run('pg_restore', ...way, '-d', role('owner', 'in_place'), dump('whole'));
    },
  },
  {
    name: 'data_only',
    how: 'data alone, restored into a migrated database by a superuser',
    async restore() {
      await prepare('data_only');
      const superuser = cluster.url('postgres', 'data_only');
      cluster.run('psql', '-v', 'ON_ERROR_STOP=1', '-d', superuser, '-c', emptied);
      cluster.run('pg_restore', '--data-only', '--disable-triggers', '-d', superuser, dump('data'));
    },
  },
];

/** Empties all that the dump of data fills; the guards of TRUNCATE do not fire for a replica. */
const emptied = `set session_replication_role = replica;
  do $$ begin
    execute (select 'truncate ' || string_agg(format('%I.%I', schemaname, tablename), ', ') from pg_tables
      where schemaname in ('public', 'internal') and tablename !~ '^(_prisma|sql_)');
  end $$`;

/** Every list of REST, and a report. (The catalog has a version of its own in each database.) */
const reads = [
  ...operations
    .filter(({ isList }) => isList)
    .flatMap(({ routes }) => routes.map(({ path }) => path))
    .filter((path) => !path.includes('{'))
    .map((path) => `GET ${path}?limit=200`),
  'GET /v2/sales-reports?from=2026-01-01&to=2099-12-31&group_by=day',
];

// Each looks at what the one before left.
describe('a database that is restored', { shuffle: false }, () => {
  describe.each(ways)('$how', ({ name, restore }) => {
    let copy: Shop;
    const asOriginal: TestApi['rest'] = (route, call) =>
      copy.api.rest(route, { ...call, key: original.api.key.key });
    beforeAll(async () => {
      await createDatabase(name);
      await restore();
    });
    afterAll(() => copy?.close());

    it('leaves nothing for the next start to make again', async () => {
      const made = await migrate(role('owner', name), { rolePrefix: 'shop' });
      expect(made).toMatchObject({ applied: [], objects: [], dropped: [] });
      await migrateQueue(role('owner', name));
    });

    it('answers as the original does', async () => {
      copy = await serve(name);
      for (const route of reads) {
        const [here, there] = [await asOriginal(route), await original.api.rest(route)];
        expect(here.status, route).toBe(200);
        expect(here.body, route).toEqual(there.body);
      }
    });

    it('goes on: an order, an edit by hand and a refusal, and publishes them', async () => {
      const order = await placeOrder({ rest: asOriginal }, kitchen);
      const admin = await openHand(role('admin', name), 'admin');
      try {
        await admin.sql('update products set price = price + 1 where id = $1', [kitchen.productId]);
        await expect(
          admin.sql('update orders set total = 1 where id = $1', [order.id]),
        ).rejects.toMatchObject({
          code: 'CM008',
        });
        await copy.settled();
        const events = await admin.sql<{ type: string }>(
          'select type from events where resource_id in ($1, $2) order by number desc limit 2',
          [order.id, kitchen.productId],
        );
        expect(events.map(({ type }) => type).sort()).toEqual(['order.created', 'product.updated']);
        expect(order.number).toBe(201);
      } finally {
        await admin.close();
      }
    });

    it('has nothing that doctor finds, however deep it looks', async () => {
      const { checks } = await diagnose(
        {
          DATABASE_URL: role('service', name),
          DATABASE_OWNER_URL: role('owner', name),
          ENCRYPTION_KEY: encryptionKey,
        },
        { deep: true },
      );
      // The processes of the original are no longer seen, which doctor reports until their rows are removed.
      const silent = /^1 worker and 1 API process alive; silent: \S+ for \d+ s$/;
      const found = checks.filter(({ name, found }) => name !== 'workers' || !silent.test(found));
      expect(found.filter(({ outcome }) => outcome !== 'ok')).toEqual([]);
    });
  });
});
