import { addJob, syncJobKey } from '@comanda/db';
import { beforeEach, expect, test, vi } from 'vitest';
import { sweep } from '../../packages/worker/src/sweeper.ts';
import { openHand } from '../support/by-hand.ts';
import { startProcess } from '../support/processes.ts';
import { waitFor } from '../support/wait.ts';
import { useWorkerKit } from './kit.ts';
import { createSyncKit, type SyncKit } from './sync-kit.ts';

vi.setConfig({ testTimeout: 90_000 });

const kit = useWorkerKit({ lifetime: 'test' });
let jobs: SyncKit;
beforeEach(async () => {
  jobs = createSyncKit(kit, kit.locationId);
});

const items = [{ external_id: 'a', name: 'A', price: 1 }];

const enqueue = (jobId: string) =>
  addJob(kit.database, 'sync-products', { locationId: kit.locationId, jobId }, { jobKey: syncJobKey(jobId) });

const queued = () =>
  kit.sql(`select attempts, max_attempts from graphile_worker.jobs where task_identifier = 'sync-products'`);

const ended = (id: string) =>
  waitFor('the job to end', async () => (await jobs.job(id)).completedAt !== null && jobs.job(id), {
    timeoutMs: 40_000,
  });

const toldOf = (id: string) =>
  waitFor('the event', async () => {
    const found = (await kit.events()).filter(({ resourceId }) => resourceId === id);
    return found.length > 0 && found.map(({ body }) => body.data.status);
  });

test('events, last part: a sync job whose last try died with its worker ends as failed, and is told', async () => {
  const id = await jobs.insertJob(items);
  await enqueue(id);
  await kit.sql('update graphile_worker._private_jobs set attempts = max_attempts - 1');
  const hand = await openHand(kit.url);
  await hand.sql('begin');
  await hand.sql('select from sync_jobs where id = $1 for update', [id]);
  const env = { DATABASE_URL: kit.url, ENCRYPTION_KEY: kit.encryptionKey };
  const worker = await startProcess({ entry: 'worker', env });
  await waitFor('its last try', async () => {
    const found = await kit.sql(
      `select from graphile_worker.jobs where attempts = max_attempts and locked_at is not null`,
    );
    return found.length === 1;
  });
  await worker.stop('SIGKILL');
  await hand.sql('rollback');
  await hand.close();
  await kit.startWorker();
  expect(await ended(id)).toMatchObject({
    status: 'failed',
    error: 'The job was stopped by a fault on our side; what was applied stays applied.',
    items: [{ external_id: 'a' }],
  });
  expect(await toldOf(id)).toEqual(['failed']);
  expect(await queued()).toEqual([]);
});

test('events, last part: a sync job without a job of the queue is queued again, and applied once', async () => {
  const id = await jobs.insertJob(items);
  await kit.startWorker();
  expect(await ended(id)).toMatchObject({ status: 'completed', successItems: 1 });
  expect(await toldOf(id)).toEqual(['completed']);
  expect((await kit.events()).filter(({ type }) => type === 'product.created')).toHaveLength(1);
  expect(await waitFor('the queue', async () => (await queued()).length === 0)).toBe(true);
});

test('a sync job that waits, is under way, or is tried again later is left to its job of the queue', async () => {
  const [waits, runs, comesAgain] = [
    await jobs.insertJob(items),
    await jobs.insertJob(items),
    await jobs.insertJob(items),
  ];
  for (const id of [waits, runs, comesAgain]) await enqueue(id);
  const set = (id: string, change: string) =>
    kit.sql(`update graphile_worker._private_jobs set ${change} where key = $1`, [syncJobKey(id)]);
  await set(runs, `attempts = max_attempts, locked_at = now(), locked_by = 'a worker'`);
  await set(comesAgain, `attempts = max_attempts - 1, run_at = now() + interval '1 hour'`);
  expect(await sweep(kit.database, undefined)).toMatchObject({ syncJobs: 0 });
  for (const id of [waits, runs, comesAgain]) expect((await jobs.job(id)).status).toBe('queued');
  expect(await queued()).toHaveLength(3);
});
