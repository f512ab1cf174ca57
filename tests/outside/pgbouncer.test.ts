import { randomBytes, randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { openDatabase } from '@comanda/db';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { repositoryRoot } from '../../packages/db/src/root.ts';
import { callRest } from '../support/api.ts';
import { openHand } from '../support/by-hand.ts';
import { runComanda } from '../support/command.ts';
import { type RecordingConsumer, startConsumer } from '../support/consumer.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { createKey, createLocation, createPaymentMethod, createProduct } from '../support/factories.ts';
import { orderBody } from '../support/orders.ts';
import { startProcess, type TestProcess } from '../support/processes.ts';
import { roleUrl } from '../support/roles.ts';
import { runOnce } from '../support/server.ts';
import { waitFor } from '../support/wait.ts';
import { type Pooler, startPooler } from './pgbouncer.ts';
import { postgresFolder, runProgram } from './programs.ts';

// The API and the worker as the service, behind PgBouncer in transaction mode, as docs/scaling.md has it.

vi.setConfig({ testTimeout: 60_000, hookTimeout: 120_000 });

let direct: TestDatabase;
let pooler: Pooler;
let api: TestProcess;
let worker: TestProcess;
let consumer: RecordingConsumer;
let key: string;
let settings: Record<string, string>;
/** Of the role that the service runs as. */
const serviceRole = () => decodeURIComponent(new URL(direct.url).username);

beforeAll(async () => {
  direct = await createTestDatabase();
  const limits = join(repositoryRoot, 'ops/pgbouncer/limits.sql');
  runProgram(join(postgresFolder(), 'psql'), [
    '-q',
    '-v',
    'ON_ERROR_STOP=1',
    '-v',
    `role=${serviceRole()}`,
    '-f',
    limits,
    '-d',
    direct.superuserUrl,
  ]);
  pooler = await startPooler(direct.url);
  settings = {
    DATABASE_URL: pooler.url,
    DATABASE_DIRECT_URL: direct.url,
    DATABASE_OWNER_URL: roleUrl(direct.url, 'owner'),
    ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    WEBHOOK_TARGETS: 'any',
  };
  [api, worker] = await Promise.all([
    startProcess({ entry: 'api', env: settings }),
    startProcess({ entry: 'worker', env: settings }),
  ]);
  consumer = await startConsumer();
});
afterAll(async () => {
  await Promise.all([api?.stop(), worker?.stop()]);
  await consumer?.close();
  await pooler?.stop();
  if (direct !== undefined) await runOnce(direct.superuserUrl, `alter role ${serviceRole()} reset all`);
  await direct?.drop();
});

const rest = (route: string, body?: unknown) =>
  callRest(api.url ?? '', route, {
    key,
    ...(body !== undefined && { body, headers: { 'idempotency-key': randomUUID() } }),
  });

/** The failed checks of doctor, by name; and its exit code. */
async function notWell(more: Record<string, string> = {}): Promise<{ code: number; found: string[] }> {
  const { code, stdout } = await runComanda({ ...settings, ...more }, 'doctor', '--json');
  const { checks } = JSON.parse(stdout) as { checks: { name: string; outcome: string }[] };
  const found = checks.filter(({ name, outcome }) => outcome !== 'ok' && name !== 'settings');
  return { code, found: found.map(({ name, outcome }) => `${name}: ${outcome}`) };
}

// One after the other: the pooler is ended in the last test.
describe('the service', { shuffle: false }, () => {
  describe('behind PgBouncer in transaction mode', () => {
    it('orders of many callers at once are placed, published and delivered', async () => {
      const database = openDatabase({ url: direct.url, poolSize: 2 });
      const locationId = await createLocation(database);
      key = (await createKey(database, { locationId })).key;
      const kitchen = {
        productId: await createProduct(database, { locationId, stock: { quantity: 1_000 } }),
        paymentMethodId: await createPaymentMethod(database, { locationId }),
      };
      await database.close();
      await rest('POST /v2/webhook-endpoints', { url: consumer.url, events: ['order.created'] });
      const answers = await Promise.all(
        Array.from({ length: 60 }, () => rest('POST /v2/orders', orderBody(kitchen))),
      );
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
      await waitFor('the deliveries', () => consumer.received.length >= 60);
      const delivered = new Set(consumer.received.map(({ body }) => (body.data as { id: string }).id));
      expect(delivered.size).toBe(60);
    });

    it.each(['products', 'stock', 'orders', 'payments', 'events'])('lists %s', async (list) => {
      const { status, body } = await rest(`GET /v2/${list}?limit=50`);
      expect(status).toBe(200);
      expect((body as { data: unknown[] }).data.length).toBeGreaterThan(0);
    });

    it('exports over one cursor, whose transaction keeps its connection', async () => {
      const { status, body } = await rest('GET /v2/orders/export?from=2020-01-01&to=2099-12-31');
      expect(status).toBe(200);
      expect((body as { data: { orders: unknown[] } }).data.orders).toHaveLength(60);
    });

    it('a manual edit through it counts as the service, and the guard says so', async () => {
      const { DATABASE_URL: url = '' } = settings;
      const service = await openHand(url, 'service');
      try {
        await expect(service.sql('update orders set total = 1')).rejects.toMatchObject({ code: 'CM008' });
        expect(await service.sql('select by_service() as yes')).toEqual([{ yes: true }]);
      } finally {
        await service.close();
      }
    });

    it('the service leaves no entry of hand edits', async () => {
      const owner = await openHand(direct.url);
      const entries = await owner.sql(`select operation from audit_entries where actor_kind = 'database'`);
      await owner.close();
      expect(entries).toEqual([]);
    });
  });

  describe('doctor behind PgBouncer', () => {
    it('finds nothing where all is well', async () => {
      expect(await notWell()).toEqual({ code: 0, found: [] });
    });

    it('finds the same with the pooler alone, should it be taken for the server', async () => {
      const { DATABASE_DIRECT_URL: _, ...pooled } = settings;
      const { code, stdout } = await runComanda(pooled, 'doctor', '--json');
      const { checks } = JSON.parse(stdout) as { checks: { name: string; outcome: string }[] };
      expect(checks.filter(({ outcome }) => outcome !== 'ok')).toEqual([]);
      expect(code).toBe(0);
    });

    it('sees that the role lacks the limits that PgBouncer does not pass on', async () => {
      await runOnce(direct.superuserUrl, `alter role ${serviceRole()} reset all`);
      const bare = await startPooler(direct.url);
      const { stdout } = await runComanda({ ...settings, DATABASE_URL: bare.url }, 'doctor', '--json');
      await bare.stop();
      const { checks } = JSON.parse(stdout) as { checks: { name: string; found: string }[] };
      expect(checks.find(({ name }) => name === 'pooler')?.found).toMatch(/lacks statement_timeout/);
    });

    it('sees a dead worker', async () => {
      await worker.stop('SIGKILL');
      const { code, found } = await notWell();
      expect(code).toBe(1);
      expect(found).toContain('queue: wrong');
    });

    it('sees a database that is read-only', async () => {
      const { username, pathname } = new URL(direct.url);
      const owner = await openHand(direct.superuserUrl);
      await owner.sql(
        `alter role ${username} in database "${pathname.slice(1)}" set default_transaction_read_only = on`,
      );
      await owner.close();
      const { code, found } = await notWell();
      expect(code).toBe(1);
      expect(found).toContain('writing: wrong');
    });

    it('sees that PgBouncer is gone', async () => {
      await pooler.stop();
      const { code, found } = await notWell();
      expect(code).toBe(1);
      expect(found).toContain('pooler: wrong');
    });
  });
});
