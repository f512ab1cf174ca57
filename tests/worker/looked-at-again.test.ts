import { newId } from '@comanda/db';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type RecordingConsumer, startConsumer } from '../support/consumer.ts';
import { createProduct } from '../support/factories.ts';
import { waitFor } from '../support/wait.ts';
import { useWorkerKit } from './kit.ts';
import { type DatabaseProxy, startProxy } from './proxy.ts';

vi.setConfig({ testTimeout: 120_000 });
const kit = useWorkerKit({ lifetime: 'test' });
let proxy: DatabaseProxy;
const consumers: RecordingConsumer[] = [];
beforeEach(async () => {
  proxy = await startProxy(kit.url);
});
afterEach(async () => {
  await Promise.all(consumers.splice(0).map((consumer) => consumer.close()));
  // Before its way to the database is gone: it gives back what it holds.
  await kit.stopWorkers();
  await proxy.close();
});

/** A worker that has just claimed a delivery and does not know of it yet: the answer of the database is under way. */
async function claimUnderWay() {
  // The first one hangs, so the worker goes on looking for more.
  const erp = await startConsumer((_, response, nth) => void (nth > 1 && response.end()));
  consumers.push(erp);
  const { id: endpointId } = await kit.createEndpoint({ url: erp.url, events: ['product.created'] });
  await kit.startWorker({ databaseUrl: proxy.url, webhookTimeoutMs: 20_000 });
  await createProduct(kit.database, { locationId: kit.locationId });
  await waitFor('the attempt that hangs', () => erp.received.length === 1);
  // From then on it has a connection for its claims: none can be opened while answers are held back.
  await waitFor('it to look for more', async () => {
    const looks = await kit.sql`
      select from pg_stat_activity where datname = current_database() and query like '%from claim_due_deliveries(%'
      and application_name = 'comanda-worker-attempts'`;
    return looks.length > 0;
  });
  const deliveryId = newId();
  await kit.sql`insert into webhook_deliveries (location_id, id, endpoint_id, event_id, next_attempt_at)
    select location_id, ${deliveryId}, ${endpointId}, event_id, now() + interval '1 hour' from webhook_deliveries where endpoint_id = ${endpointId}`;
  // It is made due when answers are held back; where a look had just been asked for, once more.
  await waitFor(
    'a claim without its answer',
    async () => {
      proxy.swallow('answers');
      const due = `next_attempt_at = now(), leased_by = null, leased_until = null`;
      await kit.sql(`update webhook_deliveries set ${due} where id = $1`, [deliveryId]);
      const claimed = 'select from webhook_deliveries where id = $1 and leased_by is not null';
      const isClaimed = async () => (await kit.sql(claimed, [deliveryId])).length === 1;
      const found = await waitFor('the claim', isClaimed, { timeoutMs: 2_500 }).catch(() => false);
      if (found) return true;
      await kit.sql`
        update webhook_deliveries set next_attempt_at = now() + interval '1 hour' where id = ${deliveryId}`;
      proxy.mend();
      return false;
    },
    { timeoutMs: 60_000 },
  );
  return { erp, endpointId, deliveryId };
}

test('a claim whose answer was a long time coming is looked at again, and sent', async () => {
  const { erp } = await claimUnderWay();
  await new Promise((resolve) => setTimeout(resolve, 150));
  proxy.mend();
  await waitFor('the delivery', () => erp.received.length === 2);
});

test.each([
  ['disabled', `update webhook_endpoints set status = 'disabled' where id = $1`],
  ['deleted', 'delete from webhook_endpoints where id = $1'],
  ['disabled and enabled again', `update webhook_endpoints set status = 'disabled' where id = $1`],
  ['moved to another address', `update webhook_endpoints set url = 'http://127.0.0.1:9/moved' where id = $1`],
  [
    'taken over by another worker',
    `update webhook_deliveries set leased_by = 'another', leased_until = now() + interval '1 hour' where endpoint_id = $1`,
  ],
])('what was claimed before a freeze is not sent after it when it was %s meanwhile', async (how, change) => {
  const { erp, endpointId, deliveryId } = await claimUnderWay();
  await kit.sql(change, [endpointId]);
  if (how === 'disabled and enabled again')
    await kit.sql(`update webhook_endpoints set status = 'active' where id = $1`, [endpointId]);
  await new Promise((resolve) => setTimeout(resolve, 150));
  proxy.mend();
  if (how.startsWith('taken over')) {
    // A further look shows that the answer has come: what it claims is sent.
    const next = newId();
    await kit.sql`insert into webhook_deliveries (location_id, id, endpoint_id, event_id, next_attempt_at)
      select location_id, ${next}, endpoint_id, event_id, now() from webhook_deliveries where id = ${deliveryId}`;
    await waitFor('the next one to be delivered', async () => {
      const done = await kit.sql`select from webhook_deliveries where id = ${next} and status = 'delivered'`;
      return done.length === 1;
    });
    expect(erp.received).toHaveLength(2);
    expect(await kit.sql('select leased_by from webhook_deliveries where id = $1', [deliveryId])).toEqual([
      { leased_by: 'another' },
    ]);
    return;
  }
  await waitFor('the claim to be given back, or to be cleared away', async () => {
    const held = await kit.sql`
      select from webhook_deliveries where id = ${deliveryId} and attempts = 0 and leased_by is not null`;
    return held.length === 0;
  });
  expect(erp.received).toHaveLength(1);
});

test('while the database answers late, no request begins 100 ms after what forbids it', async () => {
  const arrived: { id: string; at: number; signatures: number }[] = [];
  const endpoint = async (id: string) => {
    const consumer = await startConsumer(({ headers }, response) => {
      const signatures = String(headers['webhook-signature']).split(' ').length;
      arrived.push({ id, at: performance.now(), signatures });
      response.end();
    });
    consumers.push(consumer);
    const made = await kit.createEndpoint({ url: consumer.url, events: ['product.created'] });
    await kit.addSecret(made.id, new Date(Date.now() + 3_600_000));
    return made.id;
  };
  const changes = {
    deleted: 'delete from webhook_endpoints where id = $1',
    disabled: `update webhook_endpoints set status = 'disabled' where id = $1`,
    moved: `update webhook_endpoints set url = 'http://127.0.0.1:9/moved' where id = $1`,
    rotated:
      'update internal.webhook_secrets set expires_at = now() where endpoint_id = $1 and expires_at is not null',
  };
  await kit.startWorker({ databaseUrl: proxy.url });
  const late: object[] = [];
  const rest = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
  for (let round = 1; round <= 4; round += 1) {
    const ids = new Map<string, string>();
    for (const how of Object.keys(changes)) ids.set(how, await endpoint(`${how} ${round}`));
    const before = arrived.length;
    let over = false;
    const writing = (async () => {
      for (; !over; await rest(50)) await createProduct(kit.database, { locationId: kit.locationId });
    })();
    // While it is quick: from then on it is known to be near.
    await waitFor('the first webhooks', () => arrived.length >= before + 4);
    proxy.lag(500);
    await rest(1_000);
    const ended = new Map<string, number>();
    for (const [how, change] of Object.entries(changes)) {
      await rest(150 + 40 * round);
      await kit.sql(change, [ids.get(how)]);
      ended.set(`${how} ${round}`, performance.now());
    }
    await rest(700);
    proxy.lag(0);
    over = true;
    await writing;
    // 100 ms, and as much for a busy machine: what is sent by a look that was answered late comes up to 500 ms later.
    const forbidden = ({ id, at, signatures }: (typeof arrived)[number]) =>
      at > (ended.get(id) ?? Number.POSITIVE_INFINITY) + 200 && (!id.startsWith('rotated') || signatures > 1);
    late.push(...arrived.filter(forbidden));
    await kit.sql('delete from webhook_endpoints');
  }
  expect(late).toEqual([]);
});

test('webhooks are sent even so when each answer of the database takes longer than a look counts', async () => {
  const erp = await startConsumer();
  consumers.push(erp);
  await kit.createEndpoint({ url: erp.url, events: ['product.created'] });
  proxy.lag(100);
  await kit.startWorker({ databaseUrl: proxy.url });
  await createProduct(kit.database, { locationId: kit.locationId });
  await waitFor('the webhook', () => erp.received.length === 1, { timeoutMs: 30_000 });
});
