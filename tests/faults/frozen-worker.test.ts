import { setTimeout as sleep } from 'node:timers/promises';
import { addJob, syncJobsKey } from '@comanda/db';
import { afterEach, expect, test, vi } from 'vitest';
import { heartbeats } from '../../packages/db/src/lifetimes.ts';
import { useHand } from '../support/by-hand.ts';
import { createLocation, createProduct } from '../support/factories.ts';
import type { TestProcess } from '../support/processes.ts';
import { waitFor } from '../support/wait.ts';
import { useWorkerKit } from '../worker/kit.ts';
import { createSyncKit } from '../worker/sync-kit.ts';

// A frozen worker (SIGSTOP, a paused machine) keeps the locks of its open transaction.

vi.setConfig({ testTimeout: 180_000 });

const kit = useWorkerKit({ lifetime: 'test' });
const hand = useHand(kit, { lifetime: 'test' });
const frozen: TestProcess[] = [];
afterEach(async () => {
  for (const { pid } of frozen.splice(0)) process.kill(pid, 'SIGCONT');
});

const start = (env: Record<string, string> = {}) => kit.startProcess({ LOG_LEVEL: 'warn', ...env });

const sessions = async (condition: string) =>
  (
    await kit.sql(
      `select from pg_stat_activity where datname = current_database()
       and application_name like 'comanda-worker%' and ${condition}`,
    )
  ).length;

/** Stops the worker while it waits for what `lock` has locked, and then releases the lock: it is frozen in its transaction. */
async function freezeOver(worker: TestProcess, lock: string, id: string, work: () => Promise<unknown>) {
  await hand.sql('begin');
  await hand.sql(lock, [id]);
  await work();
  await waitFor('the worker to wait', async () => (await sessions(`wait_event_type = 'Lock'`)) > 0);
  frozen.push(worker);
  process.kill(worker.pid, 'SIGSTOP');
  await hand.sql('commit');
  await waitFor('it to be frozen', async () => (await sessions(idle)) > 0);
}

const idle = `state like 'idle in transaction%'`;

/** The server lets go of what it holds; it was a minute before. */
const letGo = () =>
  waitFor('its transaction to be ended', async () => (await sessions(idle)) === 0, { timeoutMs: 30_000 });

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
  await letGo();
  await createProduct(kit.database, { locationId: elsewhere });
  const other = await start();
  await waitFor('both events', async () => (await created()).length === 2);
  await thaw(worker);
  expect(await created()).toHaveLength(2);
  expect(await kit.sql('select failures from internal.captured_changes where failures > 0')).toEqual([]);
  expect((await other.stop()).code).toBe(0);
});

test('a worker frozen in a sync job keeps its location for seconds; another applies each item once', async () => {
  const jobs = createSyncKit(kit, kit.locationId);
  await jobs.run([{ external_id: 'known', name: 'Soup', price: 4 }]);
  const [known] = await kit.sql<{ id: string }>('select id from products');
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
  await letGo();
  // A writer of these rows waits no longer.
  await hand.sql('update products set price = 6 where id = $1', [known?.id]);
  const other = await start();
  // The dead of this machine are known at once; this one lives, so only its silence shows it.
  await waitFor('the job to be done', async () => (await jobs.job(id)).status === 'completed', {
    timeoutMs: 60_000,
  });
  await thaw(worker);
  expect(await jobs.job(id)).toMatchObject({ processedItems: 2, successItems: 2, failedItems: 0 });
  expect(await jobs.products()).toMatchObject({ known: { name: 'Stew', price: 5 }, new: { name: 'Bread' } });
  await waitFor('the events', async () => (await created()).length === 2);
  expect((await other.stop()).code).toBe(0);
});

test('a worker that continues claims nothing before its heartbeat is recorded: others may take it for dead until then', async () => {
  await kit.createEndpoint({ url: 'http://127.0.0.1:1/', events: ['product.created'] });
  const worker = await start();
  const tell = () => createProduct(kit.database, { locationId: kit.locationId });
  const attempts = () => kit.sql('select from webhook_attempts');
  await tell();
  await waitFor('a first attempt', async () => (await attempts()).length === 1);
  frozen.push(worker);
  process.kill(worker.pid, 'SIGSTOP');
  // Longer than its beats may be apart.
  await sleep(heartbeats.gapMs + 1_000);
  await hand.sql('begin');
  await hand.sql('select from internal.process_heartbeats for update');
  await tell();
  process.kill(worker.pid, 'SIGCONT');
  await waitFor('the event', async () => (await created()).length === 2);
  await waitFor('its beat to wait', async () => (await sessions(`wait_event_type = 'Lock'`)) > 0);
  await sleep(1_000);
  expect(await kit.sql('select from webhook_deliveries where leased_by is not null')).toEqual([]);
  expect(await attempts()).toHaveLength(1);
  await hand.sql('commit');
  await waitFor('it to go on', async () => (await attempts()).length === 2, { timeoutMs: 30_000 });
  await thaw(worker);
});

test('deliveries that a frozen worker claimed and did not send go to another once its silence is noticed, and are sent once', async () => {
  const erp = await kit.consumer();
  await kit.createEndpoint({ url: erp.url, events: ['product.created'] });
  // One that sends nothing leaves them to the queue.
  const paused = await start({ DELIVERIES: 'paused' });
  for (let product = 0; product < 3; product += 1)
    await createProduct(kit.database, { locationId: kit.locationId });
  await waitFor('all three events', async () => (await created()).length === 3);
  expect((await paused.stop()).code).toBe(0);
  // The worker's claims come with the secrets, so it is frozen in between.
  await hand.sql('begin');
  await hand.sql('lock table internal.webhook_secrets in access exclusive mode');
  const worker = await start();
  const claiming = `wait_event_type = 'Lock' and query like '%claim_due_deliveries%'`;
  await waitFor('the worker to claim', async () => (await sessions(claiming)) > 0);
  frozen.push(worker);
  process.kill(worker.pid, 'SIGSTOP');
  await hand.sql('commit');
  const claimed = await waitFor('its claims', async () => {
    const found = await kit.sql('select id from webhook_deliveries where leased_by is not null');
    return found.length > 0 && found.length;
  });
  const [beat] = await kit.sql<{ at: Date }>`
    select seen_at as at from internal.process_heartbeats where kind = 'worker'`;
  const other = await start();
  const attempts = () =>
    kit.sql<{ at: Date }>('select attempted_at as at from webhook_attempts order by attempted_at desc');
  const made = await waitFor(
    'another to send all',
    async () => (await attempts()).length === 3 && attempts(),
    { timeoutMs: 90_000 },
  );
  // It may live: nothing is taken from it before.
  const silentUntil = (beat?.at.getTime() ?? Number.NaN) + heartbeats.deadMs;
  expect(made.filter(({ at }) => at.getTime() >= silentUntil).length).toBeGreaterThanOrEqual(claimed);
  await thaw(worker);
  expect((await other.stop()).code).toBe(0);
  expect(new Set(erp.received.map(({ headers }) => headers['webhook-id'])).size).toBe(3);
  expect(erp.received).toHaveLength(3);
});
