import { addJob, syncJobsKey } from '@comanda/db';
import { beforeEach, expect, test } from 'vitest';
import { sweep } from '../../packages/worker/src/sweeper.ts';
import { openHand } from '../support/by-hand.ts';
import { useSteppedWorker } from '../support/stepped-worker.ts';
import { waitFor } from '../support/wait.ts';
import { useSharedKit } from './kit.ts';
import { createSyncKit, type SyncKit } from './sync-kit.ts';

const kit = useSharedKit();
const worker = useSteppedWorker(kit);
let jobs: SyncKit;
beforeEach(async () => {
  jobs = createSyncKit(kit, kit.locationId);
});

const items = [{ external_id: 'a', name: 'A', price: 1 }];

const enqueue = () =>
  addJob(
    kit.database,
    'run-sync-jobs',
    { locationId: kit.locationId },
    { jobKey: syncJobsKey(kit.locationId) },
  );

const queued = () =>
  kit.sql(`select attempts, max_attempts from graphile_worker.jobs where task_identifier = 'run-sync-jobs'`);

const publishedOf = async (id: string) =>
  (await kit.events()).filter(({ resourceId }) => resourceId === id).map(({ body }) => body.data.status);

test('events, last part: a sync job whose last try died with its worker ends as failed, and is published', async () => {
  const id = await jobs.insertJob(items);
  await enqueue();
  await kit.sql('update sync_jobs set tries = 24');
  const hand = await openHand(kit.url);
  await hand.sql('begin');
  await hand.sql('lock table products in access exclusive mode');
  const dying = await kit.startProcess();
  await waitFor('its last try', async () => (await kit.count('sync_jobs where tries = 25')) === 1);
  await dying.stop('SIGKILL');
  await hand.sql('rollback');
  await hand.close();
  await worker.turn();
  expect(await jobs.job(id)).toMatchObject({
    status: 'failed',
    error: 'The job was stopped by a fault on our side; what was applied stays applied.',
    items: [{ external_id: 'a' }],
  });
  expect(await publishedOf(id)).toEqual(['failed']);
  expect(await queued()).toEqual([]);
});

test('events, last part: a sync job without a job of the queue is queued again, and applied once', async () => {
  const id = await jobs.insertJob(items);
  await worker.turn();
  expect(await jobs.job(id)).toMatchObject({ status: 'completed', successItems: 1 });
  expect(await publishedOf(id)).toEqual(['completed']);
  expect((await kit.events()).filter(({ type }) => type === 'product.created')).toHaveLength(1);
  expect(await queued()).toEqual([]);
});

test('sync jobs of a location that waits, is under way, or is tried again later are left to its job of the queue', async () => {
  for (let job = 0; job < 3; job += 1) await jobs.insertJob(items);
  const key = syncJobsKey(kit.locationId);
  const set = (change: string) =>
    kit.sql(`update graphile_worker._private_jobs set ${change} where key = $1 returning id::int`, [key]);
  await enqueue();
  const states = [
    `run_at = now() + interval '1 hour', attempts = max_attempts - 1`,
    `attempts = max_attempts, locked_at = now(), locked_by = 'a worker'`,
  ];
  for (const state of states) {
    await set(state);
    expect(await sweep(kit.database, undefined), state).toMatchObject({ syncJobs: 0 });
  }
  // One that began a job is known by that, when another has taken its key, too.
  const [running] = await set('key = null');
  await kit.sql`
    update sync_jobs set status = 'processing', queue_job = ${running?.id} where id = (select min(id::text)::uuid from sync_jobs)`;
  expect(await sweep(kit.database, undefined)).toMatchObject({ syncJobs: 0 });
  expect(await queued()).toHaveLength(1);
  // It is gone, and the others with it.
  await kit.sql('delete from graphile_worker._private_jobs');
  await kit.sql(`update sync_jobs set due_at = now() + interval '1 hour'`);
  expect(await sweep(kit.database, undefined)).toMatchObject({ syncJobs: 0 });
  await kit.sql('update sync_jobs set due_at = null');
  expect(await sweep(kit.database, undefined)).toMatchObject({ syncJobs: 1 });
  expect(await queued()).toHaveLength(1);
});
