import { describe, expect, onTestFinished, test } from 'vitest';
import {
  OrderTimeline,
  type OrderTimelineEntry,
} from '../../packages/api/src/resources/orders/timeline.schema.ts';
import { dataOf } from '../support/answers.ts';
import { openHand, underDeed } from '../support/by-hand.ts';
import { useConsumer } from '../support/consumer.ts';
import { makeEndpoint } from '../support/endpoints.ts';
import { useOrderKitchen } from '../support/orders.ts';
import { useSteppedApi } from '../support/published.ts';

const api = useSteppedApi();
const kitchen = useOrderKitchen(api);
const consumer = useConsumer(({ body }, response) => {
  // The product of the kitchen may be published when the endpoint is there.
  const isFirst =
    body.type === 'order.created' &&
    consumer.received.filter(({ body: { type } }) => type === body.type).length === 1;
  response.statusCode = isFirst ? 500 : 200;
  response.end();
});

const read = async (id: string) =>
  dataOf(await api.rest(`GET /v2/orders/${id}/timeline`), 200, OrderTimeline);
const only = (entries: OrderTimeline, ...kinds: OrderTimelineEntry['kind'][]) =>
  entries.filter(({ kind }) => kinds.includes(kind));
const moment = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00$/);

describe('GET /v2/orders/{id}/timeline answers 200', () => {
  test('the author and the request of each step of the order, oldest first', async () => {
    const { id, payment } = await kitchen.place();
    const other = await api.make.key({ name: 'Till' });
    const headers = { 'x-request-id': 'cancel-1' };
    const cancel = { body: { reason: 'The guest left.' }, key: other.key, headers };
    await api.sql(`update orders set status = 'ready' where id = $1`, [id]);
    expect((await api.rest(`POST /v2/orders/${id}/cancel`, cancel)).status).toBe(200);
    await api.published();
    const entries = await read(id);
    const [created, ready, canceled] = only(entries, 'created', 'moved');
    const own = { type: 'api_key', id: api.key.id, name: 'test' };
    expect(created).toEqual({
      at: moment,
      kind: 'created',
      status: 'pending',
      by: own,
      request_id: expect.any(String),
    });
    const moved = { at: moment, kind: 'moved' };
    expect(ready).toEqual({ ...moved, from: 'pending', to: 'ready', by: { type: 'database' } });
    expect(canceled).toEqual({
      ...moved,
      from: 'ready',
      to: 'canceled',
      reason: 'The guest left.',
      request_id: 'cancel-1',
      by: { type: 'api_key', id: other.id, name: 'Till' },
    });
    const published = only(entries, 'event').flatMap((entry) => (entry.kind === 'event' ? entry : []));
    expect(published.map(({ event_type, resource_id }) => [event_type, resource_id])).toEqual([
      ['order.created', id],
      ['payment.created', payment.id],
      ['order.status_changed', id],
      ['order.updated', id],
      ['payment.updated', payment.id],
      ['payment.rejected', payment.id],
      ['order.status_changed', id],
      ['order.updated', id],
      ['order.cancelled', id],
    ]);
    const createdBy = created?.kind === 'created' ? created.request_id : '';
    expect(published.slice(0, 2).map(({ request_id }) => request_id)).toEqual([createdBy, createdBy]);
    expect(published.slice(2, 4).map(({ request_id }) => request_id)).toEqual([undefined, undefined]);
    expect(new Set(published.slice(4).map(({ request_id }) => request_id))).toEqual(new Set(['cancel-1']));
    const times = entries.map(({ at }) => Date.parse(at));
    expect(times).toEqual([...times].sort((a, b) => a - b));
  });

  test('every attempt to deliver its events', async () => {
    // The orders of the tests before would be delivered to the new endpoint as well.
    await api.published();
    const endpoint = await makeEndpoint(api, ['order.created', 'product.created'], consumer.url);
    const { id } = await kitchen.place();
    await api.published();
    await api.worker.makeDue();
    await api.published();
    const deliveries = only(await read(id), 'delivery');
    const [event] = only(await read(id), 'event');
    const eventId = event?.kind === 'event' ? event.event_id : '';
    const of = { kind: 'delivery', event_id: eventId, event_type: 'order.created', at: moment };
    const by = { endpoint_id: endpoint, delivery_id: expect.any(String), duration_ms: expect.any(Number) };
    const failed = { status: 'failed', response_code: 500, error: expect.any(String) };
    expect(deliveries).toEqual([
      { ...of, ...by, attempt: 1, ...failed },
      { ...of, ...by, attempt: 2, status: 'delivered', response_code: 200 },
    ]);
    expect(new Set(deliveries.map((entry) => entry.kind === 'delivery' && entry.delivery_id)).size).toBe(1);
    await api.rest(`DELETE /v2/webhook-endpoints/${endpoint}`);
    expect(only(await read(id), 'delivery')).toEqual([]);
  });

  test('what was written by hand as the doing of the database', async () => {
    const [made] = await underDeed<{ id: string }>(
      api.pool,
      'import: one order',
      `insert into orders (location_id, number, status, total, payment_method_id)
       values ($1, 900001, 'closed', 1, $2) returning id`,
      [api.locationId, kitchen.paymentMethodId],
    );
    const [entry] = await read(made?.id ?? '');
    expect(entry).toEqual({
      at: moment,
      kind: 'created',
      status: 'closed',
      by: { type: 'database', name: expect.stringMatching(/_owner by psql$/) },
    });
  });

  test('the person that made and moved it by hand, and the program', async () => {
    const hand = await openHand(api.databaseUrl);
    onTestFinished(() => hand.close());
    const [role] = await hand.sql<{ name: string }>('select session_user::text as name');
    const by = { type: 'database', name: `${role?.name} by psql` };
    const [made] = await hand.sql<{ id: string }>(
      `with made as (insert into orders (location_id, payment_method_id) values ($1, $2) returning location_id, id)
       insert into order_items (location_id, order_id, product_id, quantity)
       select location_id, id, $3, 1 from made returning order_id as id`,
      [api.locationId, kitchen.paymentMethodId, kitchen.productId],
    );
    const id = made?.id ?? '';
    await hand.sql(`update orders set status = 'ready' where id = $1`, [id]);
    await api.sql(`update orders set status = 'closed' where id = $1`, [id]);
    const [created, ready, closed] = only(await read(id), 'created', 'moved');
    expect(created).toEqual({ at: moment, kind: 'created', status: 'pending', by });
    expect(ready).toMatchObject({ to: 'ready', by });
    expect(closed).toMatchObject({ to: 'closed', by: { type: 'database' } });
    expect(closed).not.toHaveProperty('by.name');
  });

  test('a refused move leaves no trace', async () => {
    const { id } = await kitchen.place();
    const route = `PATCH /v2/orders/${id}/status`;
    expect((await api.rest(route, { body: { status: 'closed' } })).status).toBe(409);
    await expect(api.sql`update orders set status = 'closed' where id = ${id}`).rejects.toThrow(
      'cannot move',
    );
    expect(only(await read(id), 'moved')).toEqual([]);
  });
});
