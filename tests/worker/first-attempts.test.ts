import { expect, onTestFinished, test } from 'vitest';
import { fullWidth } from '../../packages/worker/src/deliveries/limits.ts';
import { useHand } from '../support/by-hand.ts';
import type { RecordingConsumer } from '../support/consumer.ts';
import { createLocation, createProduct } from '../support/factories.ts';
import { stepWorker, useSteppedWorker } from '../support/stepped-worker.ts';
import { waitFor } from '../support/wait.ts';
import { holdPublishing } from './held-publishing.ts';
import { useSharedKit } from './kit.ts';
import { startProxy } from './proxy.ts';

// A first attempt has no job and no claim of its own: its delivery is made as claimed by the worker that publishes it.

const kit = useSharedKit();
const worker = useSteppedWorker(kit);
const hand = useHand(kit);

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
  const before = await jobsMade();
  for (let made = 1; made <= 3; made += 1) {
    await change();
    await worker.turn();
    expect(await delivered()).toBe(made);
  }
  expect(await jobsMade()).toBe(before);
  expect(new Set(idsOf(erp)).size).toBe(3);
});

test('a first attempt that fails has its retry scheduled, by a job', async () => {
  const erp = await kit.consumer((_, response) => response.writeHead(500).end());
  const { id } = await kit.createEndpoint({ url: erp.url, events: ['product.created'] });
  await change();
  await worker.turn();
  expect(await kit.statuses()).toEqual(['failed']);
  expect(await jobs()).toBe(1);
  const [delivery] = await kit.sql<{ seconds: number; leased_by: string | null }>`
    select extract(epoch from next_attempt_at - now())::float8 as seconds, leased_by from webhook_deliveries`;
  expect(delivery?.leased_by).toBeNull();
  expect(delivery?.seconds).toBeGreaterThan(30);
  expect(await kit.attempts(id)).toMatchObject([{ attempt: 1, status: 'failed', response_code: 500 }]);
  // A further event does not wait for the retry.
  await change();
  await worker.turn();
  expect(erp.received).toHaveLength(2);
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
    const publishing = await holdPublishing(kit, hand, { publish: worker.begin });
    await kit.sql(sql, how.startsWith('moved') ? [id, moved.url] : [id]);
    // Longer than an address may be old.
    worker.clock.advance(150);
    await hand.sql('commit');
    await publishing.ended;
    await worker.turn();
    expect(await kit.events()).toHaveLength(1);
    expect(await claimed()).toBe(0);
    if (how.startsWith('moved')) expect(await kit.statuses()).toEqual(['delivered']);
    expect(old.received).toHaveLength(0);
    expect(moved.received).toHaveLength(how.startsWith('moved') ? 1 : 0);
  },
);

test('what older deliveries wait before is not sent before them', async () => {
  const erp = await kit.consumer();
  await kit.createEndpoint({ url: erp.url, events: ['product.created'] });
  const paused = await stepWorker(kit, { deliveries: 'paused' });
  await change();
  await paused.turn();
  expect(await kit.statuses()).toEqual(['pending']);
  // Without its job only the newer one makes anybody look.
  await kit.sql('delete from graphile_worker._private_jobs');
  await change();
  await worker.turn();
  expect(idsOf(erp)).toEqual((await kit.events()).map(({ id }) => id));
});

test('an endpoint that hangs holds its slots and no more, and blocks no other; all events arrive once it answers', async () => {
  // No attempt ends by itself while the changes are made.
  const patient = await stepWorker(kit, { webhookTimeoutMs: 60_000 });
  const hanging: (() => void)[] = [];
  let hangs = true;
  const slow = await kit.consumer((_, response) => {
    if (hangs) hanging.push(() => response.end());
    else response.end();
  });
  const fast = await kit.consumer();
  const { id } = await kit.createEndpoint({ url: slow.url, events: ['product.created'] });
  await kit.createEndpoint({ url: fast.url, events: ['product.created'] });
  const changes = 3 * fullWidth;
  for (let made = 0; made < changes; made += 1) {
    await change();
    await patient.begin();
  }
  await fast.arrived(changes);
  await waitFor('what waits to be given back', async () => (await claimed()) <= fullWidth);
  expect(slow.received.length).toBeLessThanOrEqual(fullWidth);
  hangs = false;
  for (const answer of hanging) answer();
  await patient.turn();
  expect(await delivered()).toBe(2 * changes);
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
  const second = await stepWorker(kit);
  for (let made = 0; made < 60; made += 1) {
    await change(made % 2 === 0 ? kit.locationId : other);
    await Promise.all([worker.begin(), second.begin()]);
  }
  await Promise.all([worker.turn(), second.turn()]);
  expect(await delivered()).toBe(60);
  expect(erp.received).toHaveLength(60);
  expect(new Set(idsOf(erp)).size).toBe(60);
  expect(await kit.count('webhook_attempts')).toBe(60);
});

test('a stop gives back what was claimed and not sent, and another worker sends it at once', async () => {
  const erp = await kit.consumer();
  await kit.createEndpoint({ url: erp.url, events: ['product.created'] });
  const leaving = await stepWorker(kit);
  await holdPublishing(kit, hand, { publish: leaving.begin });
  // The deliveries have stopped by then; the relay waits for its round.
  const stopped = leaving.stop();
  await hand.sql('commit');
  await stopped;
  expect(erp.received).toHaveLength(0);
  expect(await kit.sql('select status, attempts, leased_by from webhook_deliveries')).toEqual([
    { status: 'pending', attempts: 0, leased_by: null },
  ]);
  expect(await jobs()).toBe(1);
  await worker.turn();
  expect(await kit.statuses()).toEqual(['delivered']);
  expect(erp.received).toHaveLength(1);
});

test('a commit whose answer is lost leaves no delivery claimed and forgotten', async () => {
  const erp = await kit.consumer();
  await kit.createEndpoint({ url: erp.url, events: ['product.created'] });
  const proxy = await startProxy(kit.url);
  onTestFinished(proxy.close);
  const cutOff = await stepWorker({ ...kit, url: proxy.url });
  const publishing = await holdPublishing(kit, hand, { publish: cutOff.begin });
  proxy.swallow('answers');
  await hand.sql('commit');
  await waitFor('the commit', async () => (await claimed()) === 1);
  proxy.cut();
  proxy.mend();
  await expect(publishing.ended).rejects.toThrow();
  await cutOff.turn();
  expect(await kit.statuses()).toEqual(['delivered']);
  expect(erp.received).toHaveLength(1);
});

test('a delivery whose row is locked keeps no other endpoint from being recorded', async () => {
  const answers: (() => void)[] = [];
  const wait = () => kit.consumer((_, response) => answers.push(() => response.end()));
  const [first, second] = [await wait(), await wait()];
  const { id } = await kit.createEndpoint({ url: first.url, events: ['product.created'] });
  await kit.createEndpoint({ url: second.url, events: ['product.created'] });
  await change();
  await worker.begin();
  await Promise.all([first.arrived(1), second.arrived(1)]);
  await hand.sql('begin');
  await hand.sql('select from webhook_deliveries where endpoint_id = $1 for update', [id]);
  for (const answer of answers) answer();
  await waitFor('the other to be recorded', async () => (await delivered()) === 1, { timeoutMs: 5_000 });
  await hand.sql('commit');
  await worker.turn();
  expect(await delivered()).toBe(2);
  expect(await kit.count('webhook_attempts')).toBe(2);
});
