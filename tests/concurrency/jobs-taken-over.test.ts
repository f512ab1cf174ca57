import { setTimeout } from 'node:timers/promises';
import { beginSyncJob } from '@comanda/api/services';
import { addJob, syncJobsKey } from '@comanda/db';
import { beforeEach, expect, test, vi } from 'vitest';
import { useHand } from '../support/by-hand.ts';
import { createLocation } from '../support/factories.ts';
import { atLocks } from '../support/sql.ts';
import { waitFor } from '../support/wait.ts';
import { useWorkerKit } from '../worker/kit.ts';
import { createSyncKit, type SyncKit } from '../worker/sync-kit.ts';

// One sync job of a location is under way at a time, and the queue shows which; what dies, fails or was queued otherwise is
// gone on with.

vi.setConfig({ testTimeout: 120_000 });

const kit = useWorkerKit({ lifetime: 'test' });
const hand = useHand(kit, { lifetime: 'test' });
let jobs: SyncKit;
beforeEach(() => {
  jobs = createSyncKit(kit, kit.locationId);
});

const item = (name: string | null) => [{ external_id: `of ${name}`, name, price: 1 }];

/** A job of the queue that a worker has locked; its id. */
async function taken(locationId = kit.locationId): Promise<string> {
  const id = await addJob(kit.database, 'run-sync-jobs', { locationId });
  await kit.sql`update graphile_worker._private_jobs set locked_at = now(), locked_by = 'w' where id = ${id}`;
  return id;
}

const begin = (queueJob: string, locationId = kit.locationId) =>
  beginSyncJob(kit.database, locationId, queueJob);

test('of many that begin a job of one location at once one does, and the others leave it to that one', async () => {
  for (const name of ['a', 'b', 'c']) await jobs.insertJob(item(name));
  const takers = await Promise.all(Array.from({ length: 8 }, () => taken()));
  const begun = (await Promise.all(takers.map((id) => begin(id)))).filter((job) => job !== undefined);
  expect(begun).toHaveLength(1);
  for (const id of takers) {
    const [row] = await kit.sql(`select from sync_jobs where queue_job = $1`, [id]);
    if (row === undefined) expect(await begin(id)).toBeUndefined();
  }
});

test('a job that is seen late, with an earlier time of creation, is not begun while another one is being begun', async () => {
  const later = await jobs.insertJob(item('later'));
  const [first, second] = [await taken(), await taken()];
  // The beginning of the one job is held open before its end.
  await hand.sql('begin');
  await hand.sql('select from sync_jobs where id = $1 for update', [later]);
  const beginning = begin(first);
  await waitFor('the first to wait', async () => (await atLocks(kit.sql, 'with due as%')) > 0);
  const earlier = await jobs.insertJob(item('earlier'));
  await kit.sql`update sync_jobs set created_at = created_at - interval '1 minute' where id = ${earlier}`;
  const beside = begin(second);
  await setTimeout(200);
  await hand.sql('commit');
  expect(await beginning).toMatchObject({ id: later });
  expect(await beside).toBeUndefined();
});

test('what a worker had begun is taken over when its job of the queue is unlocked, done or gone', async () => {
  const elsewhere = await createLocation(kit.database);
  const first = await jobs.insertJob(item('a'));
  await jobs.insertJob(item('b'));
  const unlock = 'update graphile_worker._private_jobs set locked_at = null, locked_by = null where id = $1';
  const ends = [unlock, 'delete from graphile_worker._private_jobs where id = $1'];
  let holder = await taken();
  expect(await begin(holder)).toMatchObject({ id: first, tries: 1 });
  for (const [index, end] of ends.entries()) {
    const next = await taken();
    expect(await begin(next)).toBeUndefined();
    await kit.sql(end, [holder]);
    expect(await begin(next)).toMatchObject({ id: first, tries: index + 2 });
    holder = next;
  }
  // In another database that number is another location's job.
  await kit.sql(
    `update graphile_worker._private_jobs set payload = json_build_object('locationId', $2::text) where id = $1`,
    [holder, elsewhere],
  );
  expect(await begin(await taken())).toMatchObject({ id: first, tries: 4 });
});

test('a job that fails is tried again later, and the others of its location go before it', async () => {
  const broken = await jobs.insertJob(item(null));
  const good = [];
  for (const name of ['a', 'b', 'c']) good.push(await jobs.insertJob(item(name)));
  await kit.startWorker();
  for (const id of good)
    await waitFor('the good ones', async () => (await jobs.job(id)).status === 'completed');
  expect(await jobs.job(broken)).toMatchObject({ status: 'processing', completedAt: null });
  // Time passes until it has no try left.
  await waitFor(
    'it to fail',
    async () => {
      await kit.sql(`update sync_jobs set due_at = now() where due_at is not null`);
      await kit.sql(`update graphile_worker._private_jobs set run_at = now() where locked_at is null`);
      return (await jobs.job(broken)).status === 'failed';
    },
    { timeoutMs: 60_000 },
  );
  expect(await kit.sql('select tries from sync_jobs where id = $1', [broken])).toEqual([{ tries: 4 }]);
});

test('what is queued as a job ends is not forgotten: ends and beginnings meet at every moment', async () => {
  // Without the sweeper, which would find what is forgotten.
  await hand.sql(`select pg_advisory_lock(hashtextextended('comanda sweeper', 0))`);
  await kit.startWorker();
  for (let job = 0; job < 60; job += 1) {
    const id = await jobs.insertJob(item(`${job}`));
    const { locationId } = kit;
    await addJob(
      kit.database,
      'run-sync-jobs',
      { locationId },
      { jobKey: syncJobsKey(locationId), keepsPlace: true },
    );
    // Every other one comes while the one before is under way, or has just ended.
    if (job % 2 === 0)
      await waitFor('it to begin', async () => (await jobs.job(id)).startedAt !== null, { intervalMs: 1 });
  }
  await waitFor('all to end', async () => {
    const open = await kit.sql(`select from sync_jobs where status <> 'completed'`);
    return open.length === 0;
  });
});
