import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { diagnose } from '../../packages/api/src/doctor/doctor.ts';
import { ownBuild } from '../../packages/db/src/release/build.ts';
import { createProduct } from '../support/factories.ts';
import { expectRowsOf } from '../support/metric-rows.ts';
import { waitFor } from '../support/wait.ts';
import { useWorkerKit } from './kit.ts';

const kit = useWorkerKit({ lifetime: 'test' });
const host = '127.0.0.1';

it('a worker reports on a port of its own that it lives, whether it is ready, and what it does (operations, F10)', async () => {
  const worker = await kit.startWorker({ workerPort: 0, host });
  const ask = (path: string, method = 'GET') => fetch(`${worker.url}${path}`, { method });
  const consumer = await kit.consumer();
  await kit.createEndpoint({ url: consumer.url, events: ['product.created'] });
  await createProduct(kit.database, { locationId: kit.locationId });
  await waitFor('the webhook', () => consumer.received.length === 1);

  expect(await (await ask('/healthz')).json()).toEqual({ status: 'ok', ...ownBuild() });
  const ready = await ask('/readyz');
  expect([ready.status, await ready.json()]).toEqual([
    200,
    { status: 'ok', database: 'ok', heartbeat: 'ok', publishing: 'ok', changes_set_aside: 0 },
  ]);
  const text = await waitFor('the attempt to be counted', async () => {
    const found = await (await ask('/metrics')).text();
    return found.includes('attempt_duration_seconds_count{outcome="delivered"} 1') && found;
  });
  expect(text).toContain('\n# TYPE process_resident_memory_bytes gauge\n');
  expectRowsOf('worker', text);
  expect(text).toContain('comanda_delivery_attempts_in_flight 0');
  expect([(await ask('/')).status, (await ask('/metrics', 'POST')).status]).toEqual([404, 405]);
  expect(await (await ask('/metrics', 'HEAD')).text()).toBe('');
});

it('a worker that drains says so until it ends, and its port is free then', async () => {
  const worker = await kit.startWorker({ workerPort: 0, host });
  let answer = () => {};
  const answered = new Promise<{ status: number }>((resolve) => {
    answer = () => resolve({ status: 200 });
  });
  const consumer = await kit.consumer(() => answered);
  await kit.createEndpoint({ url: consumer.url, events: ['product.created'] });
  await createProduct(kit.database, { locationId: kit.locationId });
  await waitFor('the attempt to begin', () => consumer.received.length === 1);

  const stopped = kit.stopWorkers();
  const draining = await fetch(`${worker.url}/readyz`);
  expect([draining.status, draining.headers.get('retry-after'), await draining.json()]).toEqual([
    503,
    '5',
    { status: 'draining' },
  ]);
  answer();
  await stopped;
  await expect(fetch(`${worker.url}/readyz`)).rejects.toThrow('fetch failed');
});

it('a worker whose write finds the disk full says so, and is ready again by itself', async () => {
  const worker = await kit.startWorker({ workerPort: 0, host });
  const consumer = await kit.consumer();
  await kit.createEndpoint({ url: consumer.url, events: ['product.created'] });
  await kit.sql(`create function full_disk() returns trigger language plpgsql as $$ begin
     raise exception 'could not extend file "base/1/2": No space left on device' using errcode = '53100'; end $$`);
  await kit.sql('create trigger full_disk before insert on events for each row execute function full_disk()');
  await createProduct(kit.database, { locationId: kit.locationId });
  const readyz = async () => {
    const answer = await fetch(`${worker.url}/readyz`);
    return { code: answer.status, body: await answer.json() };
  };
  const refused = await waitFor('readiness to say so', async () => {
    const found = await readyz();
    return found.code === 503 && found.body;
  });
  expect(refused).toEqual({
    status: 'database disk-full',
    database: 'disk-full',
    heartbeat: 'ok',
    publishing: 'ok',
    changes_set_aside: 0,
  });
  await kit.sql('drop trigger full_disk on events');
  await waitFor('readiness', async () => (await readyz()).code === 200, { timeoutMs: 20_000 });
  await waitFor('the webhook', () => consumer.received.length === 1, { timeoutMs: 20_000 });
});

it('a worker that publishes nothing for a minute is not ready, and doctor says why', async () => {
  const worker = await kit.startWorker({ workerPort: 0, host });
  await kit.sql(`create function age() returns trigger language plpgsql as $$ begin
     if tg_table_name = 'captured_changes' then new.captured_at := now() - interval '90 seconds';
     elsif new.kind = 'worker' then new.published_at := now() - interval '2 minutes'; end if;
     return new; end $$`);
  await kit.sql(
    `create function fail() returns trigger language plpgsql as $$ begin raise exception 'boom'; end $$`,
  );
  for (const table of ['captured_changes', 'process_heartbeats'])
    await kit.sql(
      `create trigger zz_age before insert or update on internal.${table} for each row execute function age()`,
    );
  await kit.sql('create trigger fail before insert on events for each row execute function fail()');
  await createProduct(kit.database, { locationId: kit.locationId });
  const refused = await waitFor(
    'readiness to say so',
    async () => {
      const answer = await fetch(`${worker.url}/readyz`);
      return answer.status === 503 && answer.json();
    },
    { timeoutMs: 30_000 },
  );
  expect(refused).toMatchObject({ status: 'publishing stalled', database: 'ok', publishing: 'stalled' });
  const { outcome, checks } = await diagnose({ DATABASE_URL: kit.url, ENCRYPTION_KEY: kit.encryptionKey });
  expect(outcome).toBe('wrong');
  const found = (name: string) => checks.find((check) => check.name === name);
  expect(found('publishing')).toMatchObject({
    outcome: 'wrong',
    found: expect.stringMatching(/changes of \w+ fail: .*boom/),
  });
  expect(found('changes set aside')).toMatchObject({
    outcome: 'wrong',
    found: expect.stringMatching(/boom/),
  });
});

it('a worker whose port is taken names the setting', async () => {
  const other = createServer().listen(0, host);
  await new Promise((resolve) => other.once('listening', resolve));
  const { port } = other.address() as AddressInfo;
  await expect(kit.startWorker({ workerPort: port, host })).rejects.toThrow(
    `WORKER_PORT: ${host}:${port} cannot be used (EADDRINUSE); set WORKER_PORT to a free port`,
  );
  other.close();
});
