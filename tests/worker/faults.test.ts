import { randomBytes } from 'node:crypto';
import { EventEmitter } from 'node:events';
import { openDatabase, startHeartbeat } from '@comanda/db';
import { describe, expect, test } from 'vitest';
import { livenessOf } from '../../packages/worker/src/runner-liveness.ts';
import { sweep } from '../../packages/worker/src/sweeper.ts';
import { createProduct } from '../support/factories.ts';
import { waitFor } from '../support/wait.ts';
import { useWorkerKit } from './kit.ts';
import { startProxy } from './proxy.ts';

const kit = useWorkerKit({ lifetime: 'test' });

const start = (env: Record<string, string> = {}) =>
  kit.startProcess({ WEBHOOK_RETRY_DELAYS: '0.05,0.05,0.05,0.05', ...env });

const delivered = () =>
  waitFor(
    'the delivery',
    async () => {
      const rows = await kit.sql<{ status: string }>('select status from webhook_deliveries');
      return rows.length > 0 && rows.every(({ status }) => status === 'delivered');
    },
    { timeoutMs: 50_000 },
  );

describe('the worker process', () => {
  test('says that it is ready, finishes what is in flight on SIGTERM and ends with 0', async () => {
    const erp = await kit.consumer((_, response) => setTimeout(() => response.end(), 300));
    await kit.createEndpoint({ url: erp.url, events: ['product.created'] });
    const worker = await start();
    await createProduct(kit.database, { locationId: kit.locationId });
    await waitFor('the attempt', () => erp.received.length === 1);
    expect(await worker.stop()).toEqual({ code: 0, signal: null });
    expect(await kit.sql('select status from webhook_deliveries')).toEqual([{ status: 'delivered' }]);
    expect(await kit.sql('select * from internal.process_heartbeats')).toEqual([]);
    expect(await kit.sql('select * from graphile_worker.jobs where locked_at is not null')).toEqual([]);
  });

  test('writes no secret and no body into its log', async () => {
    const erp = await kit.consumer((_, response) => response.writeHead(500).end('canary-answer'));
    const { secret } = await kit.createEndpoint({ url: erp.url, events: ['product.created'] });
    const worker = await start({ LOG_LEVEL: 'trace' });
    await createProduct(kit.database, { locationId: kit.locationId, name: 'canary-name' });
    await waitFor('all five attempts', () => erp.received.length === 5);
    await worker.stop();
    expect(worker.output()).toContain('"msg":"published"');
    for (const canary of [secret, secret.slice(6), kit.encryptionKey, 'canary-name', 'canary-answer'])
      expect(worker.output()).not.toContain(canary);
  });

  test('refuses an encryption key that cannot be one', async () => {
    const key = 'a:short,b:short, both of them much too short';
    await expect(start({ ENCRYPTION_KEY: key })).rejects.toThrow(/exit code 78.*ENCRYPTION_KEY/s);
  });

  test('killed while a consumer hangs, it is taken over: the same event again, then recorded', async () => {
    let answers = false;
    const erp = await kit.consumer((_, response) => {
      if (answers) response.end();
    });
    await kit.createEndpoint({ url: erp.url, events: ['product.created'] });
    const first = await start();
    await createProduct(kit.database, { locationId: kit.locationId });
    await waitFor('the attempt', () => erp.received.length === 1);
    await first.stop('SIGKILL');
    answers = true;
    // Time passes for the dead, as if on another machine: there its silence counts, on the clock of the database.
    await kit.sql`
      update internal.process_heartbeats set seen_at = seen_at - interval '1 minute', pid_space = 'elsewhere'`;
    const worker = await kit.startWorker();
    expect(await sweep(kit.database, worker.id)).toMatchObject({ claims: 1 });
    await delivered();
    expect(new Set(erp.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    expect(new Set(erp.received.map(({ text }) => text)).size).toBe(1);
    expect(erp.received.at(-1)?.headers['x-comanda-attempt']).toBe('1');
    expect(await kit.sql('select attempt, status from webhook_attempts')).toEqual([
      { attempt: 1, status: 'delivered' },
    ]);
    expect(
      await kit.sql`select id from internal.process_heartbeats where kind = 'worker' and seen_at > now() - interval '20 s'`,
    ).toEqual([{ id: worker.id }]);
  });
});

test('a heartbeat is steady only as long as it flows', async () => {
  const lame = openDatabase({ url: kit.url, poolSize: 1 });
  const heartbeat = await startHeartbeat(lame, 'api');
  expect(heartbeat.steadyMs()).toBeLessThan(10_000);
  expect(await kit.sql('select kind, pid from internal.process_heartbeats')).toEqual([
    { kind: 'api', pid: process.pid },
  ]);
  await heartbeat.stop();
  await lame.close();
  expect(await kit.sql('select * from internal.process_heartbeats')).toEqual([]);
});

test('when every connection breaks in mid-delivery nothing is lost, and the attempt is recorded once', async () => {
  let answer = () => {};
  const erp = await kit.consumer((_, response) => {
    answer = () => response.end();
  });
  await kit.createEndpoint({ url: erp.url, events: ['product.created'] });
  await kit.startWorker();
  await createProduct(kit.database, { locationId: kit.locationId });
  await waitFor('the attempt', () => erp.received.length === 1);
  await kit.sql`
    select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`;
  answer();
  await delivered();
  expect(erp.received).toHaveLength(1);
  // The relay, the listener and the runner are back.
  await createProduct(kit.database, { locationId: kit.locationId, name: randomBytes(4).toString('hex') });
  await waitFor('the next event', () => erp.received.length === 2);
  answer();
  await delivered();
});

test('an outage of the database in mid-delivery costs neither the event nor a second sending', async () => {
  let answer = () => {};
  const erp = await kit.consumer((_, response) => {
    answer = () => response.end();
  });
  await kit.createEndpoint({ url: erp.url, events: ['product.created'] });
  const proxy = await startProxy(kit.url);
  const worker = await kit.startWorker({ databaseUrl: proxy.url });
  await createProduct(kit.database, { locationId: kit.locationId });
  await waitFor('the attempt', () => erp.received.length === 1);
  const refusedBefore = proxy.refused();
  proxy.cut();
  answer();
  await waitFor('the worker to have tried without success', () => proxy.refused() > refusedBefore + 5);
  expect(await kit.sql('select attempts from webhook_deliveries')).toEqual([{ attempts: 0 }]);
  proxy.mend();
  await delivered();
  expect(erp.received).toHaveLength(1);
  await createProduct(kit.database, { locationId: kit.locationId });
  await waitFor('the next event', () => erp.received.length === 2);
  answer();
  await delivered();
  await worker.stop();
  await proxy.close();
});

test('a runner with a free slot whose looks are not answered is found out, a busy one is not', async () => {
  const [idle, busy, ended] = [new EventEmitter(), new EventEmitter(), new EventEmitter()];
  const runners = [
    livenessOf(idle, 2, { silenceMs: 60 }),
    livenessOf(busy, 1, { silenceMs: 60 }),
    livenessOf(ended, 1, { silenceMs: 60_000 }),
  ];
  busy.emit('job:start');
  // One that asks and is refused is as good as dead: it may never ask for real.
  const asking = setInterval(() => {
    for (const name of ['worker:getJob:start', 'worker:getJob:error']) idle.emit(name);
  }, 1);
  expect(await Promise.race(runners.map(({ over }, index) => over.then(() => index)))).toBe(0);
  clearInterval(asking);
  busy.emit('job:complete');
  ended.emit('pool:release');
  expect(await Promise.all(runners.map(({ over }) => over))).toEqual(['stuck', 'stuck', 'ended']);
  for (const runner of runners) await runner.stop();
});
