import { addJob, syncJobsKey } from '@comanda/db';
import { afterEach, expect, test, vi } from 'vitest';
import { heartbeats } from '../../packages/db/src/lifetimes.ts';
import { sweep } from '../../packages/worker/src/sweeper.ts';
import { useHand } from '../support/by-hand.ts';
import { createLocation, createProduct } from '../support/factories.ts';
import type { TestProcess } from '../support/processes.ts';
import { stepWorker } from '../support/stepped-worker.ts';
import { waitFor } from '../support/wait.ts';
import { useSharedKit } from '../worker/kit.ts';
import { createSyncKit } from '../worker/sync-kit.ts';

// A frozen worker (SIGSTOP, a paused machine) keeps the locks of its open transaction.

vi.setConfig({ testTimeout: 60_000 });

const kit = useSharedKit();
const hand = useHand(kit);
const frozen: TestProcess[] = [];
afterEach(async () => {
  await hand.sql('rollback');
  for (const { pid } of frozen.splice(0)) process.kill(pid, 'SIGCONT');
});

const start = () => kit.startProcess({ LOG_LEVEL: 'warn' });

const sessions = (condition: string) =>
  kit.count(
    `pg_stat_activity where datname = current_database() and application_name like 'comanda-worker%' and ${condition}`,
  );

/** Stops the worker as soon as a session of it waits for what the hand has locked, and releases the lock. */
async function freezeAt(worker: TestProcess, waiting = `wait_event_type = 'Lock'`) {
  await waitFor('the worker to wait', async () => (await sessions(waiting)) > 0);
  frozen.push(worker);
  process.kill(worker.pid, 'SIGSTOP');
  await hand.sql('commit');
}

/** The same in a transaction, which the server ends after seconds; it was a minute before. */
async function freezeOver(worker: TestProcess, lock: string, id: string, work: () => Promise<unknown>) {
  const idle = `state like 'idle in transaction%'`;
  await hand.sql('begin');
  await hand.sql(lock, [id]);
  await work();
  await freezeAt(worker);
  await waitFor('it to be frozen', async () => (await sessions(idle)) > 0);
  await waitFor('its transaction to be ended', async () => (await sessions(idle)) === 0, {
    timeoutMs: 30_000,
  });
}

/** Its last beat, and what it has locked in the queue, are so much older. */
async function age({ pid }: TestProcess, ms: number): Promise<void> {
  const seconds = ms / 1_000;
  await kit.sql`update internal.process_heartbeats set seen_at = now() - make_interval(secs => ${seconds}) where pid = ${pid}`;
  await kit.sql`update graphile_worker._private_jobs set locked_at = now() - make_interval(secs => ${seconds}) where locked_at is not null`;
}

/** It continues and ends without an error. */
async function thaw(worker: TestProcess): Promise<void> {
  frozen.splice(frozen.indexOf(worker), 1);
  process.kill(worker.pid, 'SIGCONT');
  expect((await worker.stop()).code).toBe(0);
  expect(worker.output()).not.toMatch(/set aside|given up/);
}

const created = async () => (await kit.events()).filter(({ type }) => type === 'product.created');

test('a worker frozen while it publishes holds up the others for seconds; nothing is doubled or lost', async () => {
  await kit.createEndpoint({ url: 'http://127.0.0.1:1/', events: ['product.created'] });
  const elsewhere = await createLocation(kit.database);
  const worker = await start();
  // Its events are numbered there.
  await kit.database.pool.query(
    `insert into internal.location_counters (location_id, name) values ($1, 'event')`,
    [kit.locationId],
  );
  const lock = 'select from internal.location_counters where location_id = $1 for update';
  await freezeOver(worker, lock, kit.locationId, () =>
    createProduct(kit.database, { locationId: kit.locationId }),
  );
  await createProduct(kit.database, { locationId: elsewhere });
  const other = await stepWorker(kit);
  await other.turn();
  expect(await created()).toHaveLength(2);
  await thaw(worker);
  await other.turn();
  expect(await created()).toHaveLength(2);
  expect(await kit.sql('select failures from internal.captured_changes where failures > 0')).toEqual([]);
});

test('a worker frozen in a sync job keeps its location for seconds; another applies each item once', async () => {
  const jobs = createSyncKit(kit, kit.locationId);
  await jobs.run([{ external_id: 'known', name: 'Soup', price: 4 }]);
  const [known] = await kit.sql<{
    id: string;
  }>`select id from products where location_id = ${kit.locationId}`;
  const items = [
    { external_id: 'known', name: 'Stew', price: 5 },
    { external_id: 'new', name: 'Bread', price: 1 },
  ];
  const worker = await start();
  let id = '';
  const lock = 'select from products where id = $1 for update';
  await freezeOver(worker, lock, known?.id ?? '', async () => {
    id = await jobs.insertJob(items);
    const { locationId } = kit;
    await addJob(kit.database, 'run-sync-jobs', { locationId }, { jobKey: syncJobsKey(locationId) });
  });
  // A writer of these rows waits no longer.
  await hand.sql('update products set price = 6 where id = $1', [known?.id]);
  const other = await stepWorker(kit);
  // The dead of this machine are known at once; this one lives, so only its silence shows it.
  await age(worker, heartbeats.deadMs - 1_000);
  await sweep(kit.database, other.id);
  await other.turn();
  expect(await jobs.job(id)).toMatchObject({ status: 'processing', processedItems: 0 });
  await age(worker, heartbeats.deadMs + 1_000);
  await sweep(kit.database, other.id);
  await other.turn();
  const done = { status: 'completed', processedItems: 2, successItems: 2, failedItems: 0 };
  expect(await jobs.job(id)).toMatchObject(done);
  await thaw(worker);
  await other.turn();
  expect(await jobs.job(id)).toMatchObject(done);
  expect(await jobs.products()).toMatchObject({ known: { name: 'Stew', price: 5 }, new: { name: 'Bread' } });
  expect(await created()).toHaveLength(2);
});

test('a worker that continues claims nothing before its heartbeat is recorded: others may take it for dead until then', async () => {
  const { id } = await kit.createEndpoint({ url: 'http://127.0.0.1:1/', events: ['product.created'] });
  const worker = await stepWorker(kit);
  const tell = () => createProduct(kit.database, { locationId: kit.locationId });
  await tell();
  await worker.turn();
  expect(await kit.attempts(id)).toHaveLength(1);
  await hand.sql('begin');
  await hand.sql('select from internal.process_heartbeats for update');
  await tell();
  // Longer than its beats may be apart.
  worker.clock.advance(heartbeats.gapMs + 1_000);
  await worker.begin();
  expect(await created()).toHaveLength(2);
  await waitFor('its beat to wait', async () => (await sessions(`wait_event_type = 'Lock'`)) > 0);
  for (let round = 0; round < 5; round += 1) await worker.begin();
  expect(await kit.count('webhook_deliveries where leased_by is not null')).toBe(0);
  expect(await kit.attempts(id)).toHaveLength(1);
  await hand.sql('commit');
  await worker.turn();
  expect(await kit.count('webhook_attempts')).toBe(2);
});

test('deliveries that a frozen worker claimed and did not send go to another once its silence is noticed, and are sent once', async () => {
  const erp = await kit.consumer();
  await kit.createEndpoint({ url: erp.url, events: ['product.created'] });
  // One that sends nothing leaves them to the queue.
  const paused = await stepWorker(kit, { deliveries: 'paused' });
  for (let product = 0; product < 3; product += 1)
    await createProduct(kit.database, { locationId: kit.locationId });
  await paused.turn();
  expect(await kit.statuses()).toEqual(['pending', 'pending', 'pending']);
  // The worker's claims come with the secrets, so it is frozen in between.
  await hand.sql('begin');
  await hand.sql('lock table internal.webhook_secrets in access exclusive mode');
  const worker = await start();
  await freezeAt(worker, `wait_event_type = 'Lock' and query like '%claim_due_deliveries%'`);
  const claims = () => kit.count('webhook_deliveries where leased_by is not null');
  const claimed = await waitFor('its claims', claims);
  const other = await stepWorker(kit);
  // It may live: nothing is taken from it before.
  await age(worker, heartbeats.deadMs - 1_000);
  await sweep(kit.database, other.id);
  await other.turn();
  expect(await claims()).toBe(claimed);
  expect(erp.received.length).toBeLessThanOrEqual(3 - claimed);
  await age(worker, heartbeats.deadMs + 1_000);
  await sweep(kit.database, other.id);
  await other.turn();
  expect(await kit.statuses()).toEqual(['delivered', 'delivered', 'delivered']);
  await thaw(worker);
  expect(new Set(erp.received.map(({ headers }) => headers['webhook-id'])).size).toBe(3);
  expect(erp.received).toHaveLength(3);
});
