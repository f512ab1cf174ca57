import pg from 'pg';
import { beforeEach, expect, inject, test, vi } from 'vitest';
import type { RecordingConsumer } from '../support/consumer.ts';
import { quoteName, runOnce } from '../support/server.ts';
import { waitFor } from '../support/wait.ts';
import { useWorkerKit } from './kit.ts';
import { createSyncKit } from './sync-kit.ts';

// Every failover has a moment in which the database answers and does not let us write (SQLSTATE 25006).

vi.setConfig({ testTimeout: 120_000 });

const kit = useWorkerKit({ lifetime: 'test' });
let erp: RecordingConsumer;
let name: string;
beforeEach(async () => {
  erp = await kit.consumer();
  name = new URL(kit.url).pathname.slice(1);
  await kit.createEndpoint({ url: erp.url, events: ['product.created'] });
});

/** For every session from now on; those of the worker end. */
async function setReadOnly(on: boolean): Promise<void> {
  const admin = inject('adminUrl');
  await runOnce(admin, `alter database ${quoteName(name)} set default_transaction_read_only = ${on}`);
  if (on)
    await runOnce(
      admin,
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = '${name}' and application_name like 'comanda-worker%'`,
    );
}

const start = () => kit.startProcess({ LOG_LEVEL: 'warn' }, 90_000);

/** Runs a statement over a session to which the database is not read-only. */
async function overWritableSession<Row extends pg.QueryResultRow>(
  text: string,
  values: unknown[] = [],
): Promise<Row[]> {
  const client = new pg.Client({ connectionString: kit.url });
  await client.connect();
  try {
    await client.query('set default_transaction_read_only = off');
    return (await client.query<Row>(text, values)).rows;
  } finally {
    await client.end();
  }
}

const createProduct = (sku: string) =>
  overWritableSession(
    `insert into products (location_id, id, sku, name, price) values ($1, gen_random_uuid(), $2, 'Soup', 4)`,
    [kit.locationId, sku],
  );

const delivered = (count: number) =>
  waitFor(`${count} deliveries`, () => erp.received.length === count, { timeoutMs: 60_000 });

const nothingIsSetAside = async () =>
  expect(await kit.sql('select resource, error from internal.captured_changes where failures > 0')).toEqual(
    [],
  );

test('a worker that starts while nothing can be written waits, and begins by itself', async () => {
  await setReadOnly(true);
  await createProduct('early');
  const starting = start();
  starting.catch(() => {});
  const asked = `select from pg_stat_activity where application_name like 'comanda-worker%' and query like '%default_transaction_read_only%'`;
  await waitFor('the settings to be asked for', async () => (await overWritableSession(asked)).length > 0, {
    timeoutMs: 60_000,
  });
  await setReadOnly(false);
  const worker = await starting;
  expect(worker.output()).toMatch(/the database cannot be used yet: default_transaction_read_only is on/);
  await delivered(1);
  await nothingIsSetAside();
  expect((await worker.stop()).code).toBe(0);
});

test('a worker goes on by itself once the database lets it write again, and sets nothing aside for it', async () => {
  const worker = await start();
  await createProduct('before');
  await delivered(1);
  await setReadOnly(true);
  await createProduct('meanwhile');
  const lines = () => worker.output().split('\n');
  await waitFor(
    'relay and queue to say why',
    () =>
      lines().some((line) => /read-only transaction.*the relay failed and tries again/.test(line)) &&
      lines().some((line) => /read-only transaction/.test(line) && /queue|job runner/.test(line)),
    { timeoutMs: 60_000 },
  );
  await setReadOnly(false);
  await delivered(2);
  // The queue's own sessions write again, too.
  const jobs = createSyncKit(kit, kit.locationId);
  const id = await jobs.insertJob([{ external_id: 'a', name: 'A', price: 1 }]);
  await waitFor('a sync job to be done', async () => (await jobs.job(id)).status === 'completed', {
    timeoutMs: 60_000,
  });
  await nothingIsSetAside();
  expect(worker.output()).not.toMatch(/set aside/);
  expect((await worker.stop()).code).toBe(0);
});
