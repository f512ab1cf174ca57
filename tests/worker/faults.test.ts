import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { EventEmitter } from 'node:events';
import { openDatabase, pidSpace, startHeartbeat } from '@comanda/db';
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

describe('the sweeper', () => {
  const overdue = async () => {
    const erp = await kit.consumer();
    await kit.createEndpoint({ url: erp.url, events: ['product.created'] });
    const worker = await kit.startWorker();
    await createProduct(kit.database, { locationId: kit.locationId });
    await waitFor(
      'the delivery',
      async () => (await kit.sql(`select 1 from webhook_deliveries where status = 'delivered'`)).length === 1,
    );
    await worker.stop();
    await kit.sql`
      update webhook_deliveries set status = 'pending', attempts = 0, next_attempt_at = now() - interval '1 minute'`;
    await kit.sql('delete from webhook_attempts');
    await kit.sql('select graphile_worker.complete_jobs(array(select id from graphile_worker.jobs))');
    return erp;
  };

  test('queues the job that is missing for a due delivery, once', async () => {
    const erp = await overdue();
    expect(await sweep(kit.database, undefined)).toMatchObject({ claims: 0, endpoints: 1 });
    expect(await sweep(kit.database, undefined)).toMatchObject({ claims: 0, endpoints: 1 });
    expect(await kit.sql('select task_identifier from graphile_worker.jobs')).toHaveLength(1);
    await kit.startWorker();
    await delivered();
    expect(erp.received).toHaveLength(2);
  });

  test('frees at once what a process of this machine held that is dead, and nothing of the living', async () => {
    await overdue();
    const dead = spawnSync(process.execPath, ['--version']).pid;
    const beat = (id: string, pid: number, space: string | undefined) =>
      kit.sql`
        insert into internal.process_heartbeats (id, kind, host, pid, pid_space) values (${id}, 'worker', 'here', ${pid}, ${space})`;
    const claim = (by: string) =>
      kit.sql`update webhook_deliveries set leased_by = ${by}, leased_until = now() + interval '1 minute'`;
    await beat('lives', process.pid, pidSpace());
    await beat('died elsewhere', dead, 'elsewhere');
    for (const id of ['lives', 'died elsewhere']) {
      await claim(id);
      expect(await sweep(kit.database, undefined), id).toMatchObject({ claims: 0 });
    }
    await beat('died here', dead, pidSpace());
    await claim('died here');
    expect(await sweep(kit.database, undefined)).toMatchObject({ claims: 1, endpoints: 1 });
    expect(await kit.sql('select id from internal.process_heartbeats order by id')).toEqual([
      { id: 'died elsewhere' },
      { id: 'lives' },
    ]);
  });

  test('leaves the claims of the living, and of anybody while it may not judge', async () => {
    await overdue();
    const heartbeat = await startHeartbeat(kit.database, 'worker');
    const claim = (by: string) =>
      kit.sql`update webhook_deliveries set leased_by = ${by}, leased_until = now() + interval '1 minute'`;
    await claim(heartbeat.id);
    expect(await sweep(kit.database, heartbeat.id)).toMatchObject({ claims: 0, endpoints: 0 });
    await claim('worker-of-yesterday');
    expect(await sweep(kit.database, undefined)).toMatchObject({ claims: 0, endpoints: 0 });
    expect(await sweep(kit.database, heartbeat.id)).toMatchObject({ claims: 1, endpoints: 1 });
    await heartbeat.stop();
  });

  test('frees jobs that a dead pool has locked, not those of a living one', async () => {
    const heartbeat = await startHeartbeat(kit.database, 'worker');
    await heartbeat.add('pool-living', 'worker_pool');
    await kit.sql`
      select graphile_worker.add_job('sync-products', job_key := k) from unnest(array['a', 'b']) k`;
    await kit.sql`update graphile_worker._private_jobs set locked_at = now() - interval '1 minute',
      locked_by = case key when 'a' then 'pool-living' else 'pool-dead' end`;
    await sweep(kit.database, heartbeat.id);
    expect(await kit.sql('select key, locked_by from graphile_worker.jobs order by key')).toEqual([
      { key: 'a', locked_by: 'pool-living' },
      { key: 'b', locked_by: null },
    ]);
    await heartbeat.stop();
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
