import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { fullWidth } from '../../packages/worker/src/deliveries/width.ts';
import { useHand } from '../support/by-hand.ts';
import type { RecordingConsumer } from '../support/consumer.ts';
import { createLocation, createProduct } from '../support/factories.ts';
import { waitFor } from '../support/wait.ts';
import { holdPublishing } from './held-publishing.ts';
import { useWorkerKit } from './kit.ts';
import { startProxy } from './proxy.ts';

// A first attempt has no job and no claim of its own: its delivery is made as claimed by the worker that publishes it.

vi.setConfig({ testTimeout: 90_000 });
const kit = useWorkerKit({ lifetime: 'test' });
const hand = useHand(kit, { lifetime: 'test' });

const change = (locationId = kit.locationId) => createProduct(kit.database, { locationId });
const delivered = () => kit.count(`webhook_deliveries where status = 'delivered'`);
const claimed = () => kit.count('webhook_deliveries where leased_by is not null');
const idsOf = ({ received }: RecordingConsumer) => received.map(({ headers }) => headers['webhook-id']);
const jobs = () => kit.count(`graphile_worker.jobs where task_identifier = 'deliver-webhooks'`);
/** How many jobs there were, those that are done included. */
const jobsMade = async () => {
  const [row] = await kit.sql<{ n: number }>`select sum(coalesce(last_value, 0))::int as n from pg_sequences
    where schemaname = 'graphile_worker' and sequencename like '%jobs_id%'`;
  if (row?.n === undefined || row.n === null) throw new Error('the queue counts its jobs elsewhere');
  return row.n;
};

test('a change that comes alone is delivered without a job', async () => {
  const erp = await kit.consumer();
  await kit.createEndpoint({ url: erp.url, events: ['product.created'] });
  await kit.startWorker();
  const before = await jobsMade();
  for (let made = 1; made <= 3; made += 1) {
    await change();
    await waitFor(`delivery ${made}`, async () => (await delivered()) === made);
  }
  expect(await jobsMade()).toBe(before);
  expect(new Set(idsOf(erp)).size).toBe(3);
});

test('a first attempt that fails has its retry scheduled, by a job', async () => {
  const erp = await kit.consumer((_, response) => response.writeHead(500).end());
  const { id } = await kit.createEndpoint({ url: erp.url, events: ['product.created'] });
  await kit.startWorker({ webhookRetryDelaysSeconds: [3_600, 1, 1, 1] });
  await change();
  await kit.settled('failed');
  await waitFor('the job of its retry', async () => (await jobs()) === 1);
  const [delivery] = await kit.sql<{ seconds: number; leased_by: string | null }>`
    select extract(epoch from next_attempt_at - now())::float8 as seconds, leased_by from webhook_deliveries`;
  expect(delivery?.leased_by).toBeNull();
  expect(delivery?.seconds).toBeGreaterThan(3_500);
  expect(await kit.attempts(id)).toMatchObject([{ attempt: 1, status: 'failed', response_code: 500 }]);
  // A further event does not wait for the retry.
  await change();
  await waitFor('the next first attempt', () => erp.received.length === 2);
});

test.each([
  ['disabled', `update webhook_endpoints set status = 'disabled' where id = $1`],
  ['deleted', 'delete from webhook_endpoints where id = $1'],
  ['moved to another address', `update webhook_endpoints set url = $2 where id = $1`],
])(
  'an endpoint that is %s between the making of a delivery and its attempt gets nothing there',
  async (how, sql) => {
    const [old, moved] = [await kit.consumer(), await kit.consumer()];
    const { id } = await kit.createEndpoint({ url: old.url, events: ['product.created'] });
    await kit.startWorker();
    await holdPublishing(kit, hand, async () => {
      await kit.sql(sql, how.startsWith('moved') ? [id, moved.url] : [id]);
      // Longer than an address may be old.
      await sleep(150);
    });
    await hand.sql('commit');
    await waitFor('the event', async () => (await kit.events()).length === 1);
    // Of one that is gone it may stay for ten minutes: the clearing makes a last pass then.
    await waitFor('its claim to be given back', async () => {
      const held = await kit.sql('select from webhook_deliveries where leased_by is not null');
      return held.length === 0;
    });
    if (how.startsWith('moved')) await kit.settled('delivered');
    expect(old.received).toHaveLength(0);
    expect(moved.received).toHaveLength(how.startsWith('moved') ? 1 : 0);
  },
);

test('what older deliveries wait before is not sent before them', async () => {
  const erp = await kit.consumer();
  await kit.createEndpoint({ url: erp.url, events: ['product.created'] });
  await kit.startWorker({ deliveries: 'paused' });
  await change();
  await waitFor('the older one', async () => (await kit.count('webhook_deliveries')) === 1);
  await kit.stopWorkers();
  // Without its job only the newer one makes anybody look.
  await kit.sql('delete from graphile_worker._private_jobs');
  await kit.startWorker();
  await change();
  await waitFor('both', () => erp.received.length === 2);
  expect(idsOf(erp)).toEqual((await kit.events()).map(({ id }) => id));
});

test('an endpoint that hangs holds its slots and no more, and blocks no other; all events arrive once it answers', async () => {
  const hanging: (() => void)[] = [];
  let hangs = true;
  const slow = await kit.consumer((_, response) => {
    if (hangs) hanging.push(() => response.end());
    else response.end();
  });
  const fast = await kit.consumer();
  const { id } = await kit.createEndpoint({ url: slow.url, events: ['product.created'] });
  await kit.createEndpoint({ url: fast.url, events: ['product.created'] });
  await kit.startWorker({ webhookTimeoutMs: 30_000 });
  const changes = 3 * fullWidth;
  for (let made = 0; made < changes; made += 1) {
    await change();
    await sleep(10);
  }
  await waitFor('the other endpoint to have all', () => fast.received.length === changes);
  await waitFor('what waits to be given back', async () => (await claimed()) <= fullWidth);
  expect(slow.received.length).toBeLessThanOrEqual(fullWidth);
  hangs = false;
  for (const answer of hanging) answer();
  await waitFor('the rest', async () => (await delivered()) === 2 * changes, { timeoutMs: 30_000 });
  expect(idsOf(slow)).toHaveLength(changes);
  expect(new Set(idsOf(slow)).size).toBe(changes);
  expect(await kit.count(`webhook_attempts where endpoint_id = '${id}' and status = 'delivered'`)).toBe(
    changes,
  );
});

test('two workers send nothing twice while changes trickle at two locations', async () => {
  const erp = await kit.consumer();
  const other = await createLocation(kit.database);
  for (const locationId of [kit.locationId, other])
    await kit.createEndpoint({ url: erp.url, events: ['product.created'], locationId });
  await Promise.all([kit.startWorker(), kit.startWorker()]);
  for (let made = 0; made < 60; made += 1) {
    await change(made % 2 === 0 ? kit.locationId : other);
    await sleep(made % 10 === 0 ? 150 : 8);
  }
  await waitFor('all to be recorded', async () => (await delivered()) === 60);
  expect(erp.received).toHaveLength(60);
  expect(new Set(idsOf(erp)).size).toBe(60);
  expect(await kit.count('webhook_attempts')).toBe(60);
});

test('a stop gives back what was claimed and not sent, and another worker sends it at once', async () => {
  const erp = await kit.consumer();
  await kit.createEndpoint({ url: erp.url, events: ['product.created'] });
  await kit.startWorker();
  let stopped: Promise<void> = Promise.resolve();
  await holdPublishing(kit, hand, async () => {
    stopped = kit.stopWorkers();
    // The deliveries have stopped by then; the relay waits for its round.
    await sleep(300);
  });
  await hand.sql('commit');
  await stopped;
  expect(erp.received).toHaveLength(0);
  expect(await kit.sql('select status, attempts, leased_by from webhook_deliveries')).toEqual([
    { status: 'pending', attempts: 0, leased_by: null },
  ]);
  expect(await jobs()).toBe(1);
  await kit.startWorker();
  await kit.settled('delivered');
  expect(erp.received).toHaveLength(1);
});

test('a commit whose answer is lost leaves no delivery claimed and forgotten', async () => {
  const erp = await kit.consumer();
  await kit.createEndpoint({ url: erp.url, events: ['product.created'] });
  const proxy = await startProxy(kit.url);
  await kit.startWorker({ databaseUrl: proxy.url });
  await holdPublishing(kit, hand, async () => proxy.swallow('answers'));
  await hand.sql('commit');
  await waitFor('the commit', async () => (await claimed()) === 1);
  proxy.cut();
  proxy.mend();
  const mendedAt = performance.now();
  await waitFor('the delivery', () => erp.received.length === 1, { timeoutMs: 15_000 });
  expect(performance.now() - mendedAt).toBeLessThan(10_000);
  await kit.settled('delivered');
  expect(erp.received).toHaveLength(1);
  await kit.stopWorkers();
  await proxy.close();
});

test('a delivery whose row is locked keeps no other endpoint from being recorded', async () => {
  const answers: (() => void)[] = [];
  const wait = () => kit.consumer((_, response) => answers.push(() => response.end()));
  const [first, second] = [await wait(), await wait()];
  const { id } = await kit.createEndpoint({ url: first.url, events: ['product.created'] });
  await kit.createEndpoint({ url: second.url, events: ['product.created'] });
  await kit.startWorker();
  await change();
  await waitFor('both attempts', () => answers.length === 2);
  await hand.sql('begin');
  await hand.sql('select from webhook_deliveries where endpoint_id = $1 for update', [id]);
  for (const answer of answers) answer();
  await waitFor('the other to be recorded', async () => (await delivered()) === 1, { timeoutMs: 5_000 });
  await hand.sql('commit');
  await waitFor('its own record', async () => (await delivered()) === 2);
  expect(await kit.count('webhook_attempts')).toBe(2);
});
