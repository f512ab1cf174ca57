import type { Grant } from '@comanda/api/services';
import { describe, expect, it } from 'vitest';
import { OrderOverview } from '../../packages/api/src/resources/orders/overview.schema.ts';
import { useHand } from '../support/by-hand.ts';
import { useConsumer } from '../support/consumer.ts';
import { makeEndpoint } from '../support/endpoints.ts';
import { auditOf, refused } from '../support/money.ts';
import { useOrderKitchen } from '../support/orders.ts';
import { useSteppedApi } from '../support/published.ts';
import { parseStrict } from '../support/strict.ts';

// The questions and actions of a person at the desk, by the typed client.

const api = useSteppedApi();
const hand = useHand(api);
const kitchen = useOrderKitchen(api);
const consumer = useConsumer((_, response) => {
  response.statusCode = status;
  response.end();
});
let status = 200;

const desk = (key?: string) => api.client(key);
const keyWith = (...permissions: Grant[]) => api.make.key({ name: 'app: Ana', permissions });
const look = async (wanted: { id?: string; number?: number; external_id?: string }, key?: string) =>
  parseStrict(OrderOverview, await desk(key).orders.overview.query(wanted));

const endpoint = (events?: string[]) => makeEndpoint(api, events, consumer.url);

/** The one delivery of a new order to a new endpoint, once it has reached `end`. */
async function delivered(end: 'delivered' | 'dead') {
  status = end === 'dead' ? 500 : 200;
  // An order of the test before, published only now, would be delivered to the new endpoint as well.
  await api.published();
  const endpointId = await endpoint();
  const order = await kitchen.place();
  for (let attempt = 1; attempt <= 5; attempt += 1) {
    await api.published();
    await api.worker.makeDue();
  }
  const { deliveries } = await look({ id: order.id });
  const delivery = deliveries.find((each) => each.endpoint_id === endpointId && each.status === end);
  if (delivery === undefined) throw new Error(`no delivery is ${end}`);
  status = 200;
  return { endpointId, order, delivery };
}

describe('orders.overview', () => {
  it('finds an order by its id, its number and the external id, and returns all of it', async () => {
    const turn = await desk().turns.open.mutate();
    const { endpointId, order } = await delivered('delivered');
    const found = await look({ id: order.id });
    expect(found.order).toEqual(await desk().orders.get.query({ id: order.id, include: ['snapshot'] }));
    expect(found.payment).toMatchObject({ id: order.payment.id, order_id: order.id, amount: order.total });
    expect(found.turn).toMatchObject({ id: turn.id, status: 'open' });
    expect(found.timeline.map(({ kind }) => kind)).toEqual(['created', 'event', 'event', 'delivery']);
    expect(found.deliveries).toEqual([
      expect.objectContaining({
        endpoint_id: endpointId,
        endpoint_url: consumer.url,
        event_type: 'order.created',
        status: 'delivered',
        attempts: 1,
        response_code: 200,
        can_retry: true,
      }),
    ]);
    const moves = { moves: ['ready', 'canceled'], payment_moves: ['completed', 'rejected'] };
    expect(found.possible).toEqual({ ...moves, another_payment: false, refund: 0 });
    expect(found.payments).toEqual([found.payment]);
    const { number, external_id = '' } = found.order;
    expect((await look({ number })).order.id).toBe(order.id);
    expect((await look({ external_id })).order.id).toBe(order.id);
    await desk().turns.close.mutate();
    await desk().webhookEndpoints.delete.mutate({ id: endpointId });
  });

  it('offers nothing that would be refused: by the status of the order, and by what the key may', async () => {
    const { id } = await kitchen.place();
    const reader = await keyWith('orders:read');
    const none = { moves: [], payment_moves: [], another_payment: false, refund: 0 };
    expect((await look({ id }, reader.key)).possible).toEqual(none);
    const { payment } = await look({ id });
    await desk().payments.reject.mutate({ id: payment.id });
    expect((await look({ id })).possible).toMatchObject({ another_payment: true, payment_moves: [] });
    expect((await look({ id }, reader.key)).possible).toEqual(none);
    await desk().orders.cancel.mutate({ id });
    expect((await look({ id })).possible).toEqual(none);
  });

  it('knows no order of another location, none that is not there, and takes one name at a time', async () => {
    const { token: key } = await api.place();
    const { id, number } = await kitchen.place();
    for (const wanted of [{ id }, { number }, { external_id: 'nobody' }, { id: 'nothing' }])
      expect((await refused(desk(key).orders.overview.query(wanted))).code).toBe('resource_not_found');
    for (const wanted of [{}, { id, number }])
      expect((await refused(desk().orders.overview.query(wanted))).code).toBe('validation_error');
  });
});

describe('deliveries.retry', () => {
  it.each(['dead', 'delivered'] as const)('sends again what is %s, and says so in the audit', async (end) => {
    const { endpointId, order, delivery } = await delivered(end);
    const before = consumer.received.length;
    const clerk = await keyWith('deliveries:retry');
    const made = await desk(clerk.key).deliveries.retry.mutate({ id: delivery.id });
    expect(made).toMatchObject({ event_id: delivery.event_id, endpoint_id: endpointId, replayed: true });
    await api.published();
    expect(consumer.received).toHaveLength(before + 1);
    expect(consumer.received.at(-1)?.headers['x-comanda-event-id']).toBe(delivery.event_id);
    const shown = (await look({ id: order.id })).deliveries.map(({ id, can_retry }) => [id, can_retry]);
    expect(shown).toEqual([
      [delivery.id, undefined],
      [made.id, true],
    ]);
    expect(await auditOf(api.app.database, made.id)).toEqual([
      expect.objectContaining({ operation: 'deliveries.retry', apiKeyId: clerk.id }),
    ]);
    await desk().webhookEndpoints.delete.mutate({ id: endpointId });
  });

  it('takes an entry of the log of the endpoint as well', async () => {
    const { endpointId, delivery } = await delivered('delivered');
    const log = await desk().webhookEndpoints.deliveries.query({ id: endpointId });
    const made = await desk().deliveries.retry.mutate({ id: log.data[0]?.id ?? '' });
    expect(made.event_id).toBe(delivery.event_id);
    await desk().webhookEndpoints.delete.mutate({ id: endpointId });
  });

  it('refuses what is on its way, a disabled endpoint, and what is not there', async () => {
    const { endpointId, delivery } = await delivered('delivered');
    const retry = (id = delivery.id) => refused(desk().deliveries.retry.mutate({ id }));
    const waiting = `insert into webhook_deliveries (location_id, endpoint_id, event_id, next_attempt_at, replayed)
      values ($1, $2, $3, now() + interval '1 hour', true)`;
    await api.sql(waiting, [api.locationId, endpointId, delivery.event_id]);
    expect(await retry()).toEqual({ code: 'conflict', message: expect.stringMatching(/on its way/) });
    await desk().webhookEndpoints.update.mutate({ id: endpointId, status: 'disabled' });
    expect(await retry()).toEqual({ code: 'conflict', message: expect.stringMatching(/disabled/) });
    await desk().webhookEndpoints.update.mutate({ id: endpointId, status: 'active' });
    expect((await retry(endpointId)).code).toBe('resource_not_found');
    expect((await retry('nothing')).code).toBe('resource_not_found');
    // Deliveries pending while it was disabled are dropped.
    expect((await desk().deliveries.retry.mutate({ id: delivery.id })).status).toBe('pending');
    await desk().webhookEndpoints.delete.mutate({ id: endpointId });
  });
});

describe('syncJobs.retry', () => {
  const sync = (items: object[], idempotencyKey: string) =>
    desk().syncJobs.startProducts.mutate({ items: items as never, idempotencyKey });
  const ended = async (job_id: string) => {
    await api.published();
    return desk().syncJobs.get.query({ id: job_id });
  };

  it('starts a job over of which nothing could be applied', async () => {
    const item = { external_id: 'mate', name: 'Mate', price: 3, category_external_ids: ['teas'] };
    const { job_id } = await sync([item], 'teas-missing');
    expect(await ended(job_id)).toMatchObject({ status: 'failed', failed_items: 1 });
    await api.make.category({ name: 'Teas', externalId: 'teas' });
    const clerk = await keyWith('jobs:retry');
    const queued = await desk(clerk.key).syncJobs.retry.mutate({ id: job_id });
    const fresh = { status: 'queued', processed_items: 0, failed_items: 0, errors: [] };
    expect(queued).toMatchObject({ job_id, ...fresh });
    expect(await ended(job_id)).toMatchObject({ status: 'completed', success_items: 1, failed_items: 0 });
    expect(await auditOf(api.app.database, job_id)).toEqual([
      expect.objectContaining({ operation: 'syncJobs.retry', apiKeyId: clerk.id }),
    ]);
    const again = await refused(desk().syncJobs.retry.mutate({ id: job_id }));
    expect(again).toEqual({ code: 'conflict', message: expect.stringMatching(/completed/) });
  });

  it('goes on behind what was applied when a fault had stopped it', async () => {
    const items = ['a', 'b'].map((name) => ({ external_id: `on-${name}`, name, price: 1 }));
    const { job_id } = await sync(items, 'stopped');
    await ended(job_id);
    // As a fault leaves it: the first item was applied, the second was not.
    await api.sql`update sync_jobs set status = 'failed', processed_items = 1, success_items = 1, items = ${JSON.stringify(items)} where id = ${job_id}`;
    await hand.sql('delete from products where external_id = $1', ['on-b']);
    await hand.sql(`update products set name = 'edited since' where external_id = $1`, ['on-a']);
    await desk().syncJobs.retry.mutate({ id: job_id });
    expect(await ended(job_id)).toMatchObject({ status: 'completed', success_items: 2 });
    const { data } = await desk().products.list.query({ search: 'on-' });
    expect(data.map(({ name }) => name).sort()).toEqual(['b', 'edited since']);
  });
});

it('the audit of endpoints: a rotated secret and a replay are in the audit with their key, the secret is not', async () => {
  const id = await endpoint();
  const { secret } = await desk().webhookEndpoints.rotateSecret.mutate({ id });
  await desk().webhookEndpoints.replay.mutate({ id, since: '2026-01-01T00:00:00Z' });
  const entries = await auditOf(api.app.database, id);
  expect(entries.map(({ operation, apiKeyId }) => [operation, apiKeyId])).toEqual([
    ['webhookEndpoints.rotateSecret', api.key.id],
    ['webhookEndpoints.replay', api.key.id],
  ]);
  expect(JSON.stringify(entries)).not.toContain(secret);
});
