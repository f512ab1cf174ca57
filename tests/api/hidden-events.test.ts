import { createApp, startServer } from '@comanda/api';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Permission } from '../../packages/api/src/permissions.ts';
import type { EventType } from '../../packages/api/src/resources/events/types.schema.ts';
import { rotateKey, updateKey } from '../../packages/api/src/resources/keys/store.ts';
import { useConsumer } from '../support/consumer.ts';
import { makeEndpoint } from '../support/endpoints.ts';
import type { TestKey } from '../support/factories.ts';
import { useOrderKitchen } from '../support/orders.ts';
import { useSteppedApi } from '../support/published.ts';
import { openStream } from '../support/sse.ts';
import { waitFor } from '../support/wait.ts';

const api = useSteppedApi();
const consumer = useConsumer();
const kitchen = useOrderKitchen(api);
const ofCook: Permission[] = ['orders:read', 'orders:write', 'events:read'];

const keyOf = (permissions: Permission[], allEventTypes = false): Promise<TestKey> =>
  api.make.key({ permissions, allEventTypes });

interface Page {
  data: { id: string; type: EventType }[];
  pagination: { total: number; next?: string };
}
const feed = async (key?: string, query = '') => {
  const { body } = await api.rest<Page>(`GET /v2/events?limit=200${query}`, key === undefined ? {} : { key });
  return body;
};
/** An order, and so events of orders, payments and stock; what was published then. */
const sell = async () => {
  const { next = '' } = (await feed(undefined, '&after=latest')).pagination;
  await kitchen.place();
  await api.make.product();
  await api.published();
  return (await feed(undefined, `&after=${next}`)).data;
};
const ofOrders = (events: Page['data']) => events.filter(({ type }) => type.startsWith('order.'));

describe('a key that does not see every type', () => {
  test('goes on behind an event that is hidden from it, and its pages count what it sees', async () => {
    const { key } = await keyOf(ofCook);
    const first = await sell();
    const second = await sell();
    const hidden = first.findLast(({ type }) => type.startsWith('product.'))?.id;
    const after = await feed(key, `&after=${hidden}`);
    expect(after.data.map(({ id }) => id)).toEqual(ofOrders(second).map(({ id }) => id));
    expect(after.pagination.total).toBe(ofOrders(second).length);
    const since = await feed(key, '&since=2020-01-01T00:00:00Z');
    expect(since.pagination.total).toBe(ofOrders((await feed()).data).length);
    const page = await api.rest<Page>(`GET /v2/events?limit=1&after=${hidden}`, { key });
    expect(page.body.data).toEqual(ofOrders(second).slice(0, 1));
  });

  test('begins with now behind what it sees, though much that is hidden came since', async () => {
    const { key } = await keyOf(ofCook);
    const sold = await sell();
    for (let n = 0; n < 5; n += 1) await api.make.product();
    await api.published();
    const { next } = (await feed(key, '&after=latest')).pagination;
    expect(next).toBe(ofOrders(sold).at(-1)?.id);
    expect((await feed(key, `&after=${next}`)).data).toEqual([]);
    const stream = await openStream(api.url, key, '/v2/events/stream');
    const more = ofOrders(await sell());
    await waitFor('the order', () => stream.sent.length >= more.length);
    expect(stream.text()).toMatch(new RegExp(`^retry: 1000\nid: ${next}\n`));
    expect(stream.sent.map(({ id }) => id)).toEqual(more.map(({ id }) => id));
    stream.close();
  });

  test('of a cook sees orders alone', async () => {
    const { key } = await keyOf(ofCook);
    await sell();
    await api.client().turns.open.mutate();
    await api.client().turns.close.mutate({});
    await api.published();
    const types = new Set((await feed(key)).data.map(({ type }) => type));
    expect([...types].filter((type) => !type.startsWith('order.'))).toEqual([]);
    const everything = new Set((await feed()).data.map(({ type }) => type));
    for (const type of ['payment.created', 'turn.closed', 'settlement.created', 'product.created'] as const)
      expect(everything).toContain(type);
  });

  test('moves no endpoint to an address of its own, and adds no type that it does not see', async () => {
    const { key } = await keyOf(['orders:read', 'webhooks:write']);
    const endpoint = await makeEndpoint(api, ['order.created', 'payment.completed'], consumer.url);
    const path = `/v2/webhook-endpoints/${endpoint}`;
    const change = async (changes: object) =>
      (await api.rest(`PATCH ${path}`, { key, body: changes })).status;
    expect(await change({ url: `${consumer.url}/mine` })).toBe(403);
    expect(await change({ events: ['order.created', 'payment.completed', 'payment.created'] })).toBe(403);
    expect(await change({ url: `${consumer.url}/mine`, events: ['order.created'] })).toBe(200);
    expect(await change({ events: ['order.created', 'payment.completed'] })).toBe(403);
    expect(await change({ events: ['order.updated'], status: 'disabled' })).toBe(200);
    await api.rest(`DELETE ${path}`);
  });

  test('changes what is left of an endpoint with types that it does not see', async () => {
    const { key } = await keyOf(['orders:read', 'webhooks:write']);
    const events = ['order.created', 'payment.completed', 'payment.created'];
    const path = `/v2/webhook-endpoints/${await makeEndpoint(api, events, consumer.url)}`;
    for (const changes of [
      { status: 'disabled' },
      { url: consumer.url },
      { events: ['payment.completed', 'order.updated'] },
    ])
      expect((await api.rest(`PATCH ${path}`, { key, body: changes })).status).toBe(200);
    await api.rest(`DELETE ${path}`);
  });
});

describe('a key from before event types had permissions', () => {
  test('sees every type, makes endpoints of every type, and says so in the list of keys', async () => {
    const old = await keyOf([...ofCook, 'webhooks:write'], true);
    await sell();
    const answer = await api.rest<Page>('GET /v2/events?limit=200', { key: old.key });
    expect(answer.body).toEqual(await feed());
    expect(answer.headers.get('x-hidden-event-types')).toBeNull();
    const body = { url: consumer.url, events: ['payment.completed'] };
    expect((await api.rest('POST /v2/webhook-endpoints', { key: old.key, body })).status).toBe(201);
    const { data } = await api.client().keys.list.query({ limit: 200 });
    expect(data.find(({ id }) => id === old.id)?.event_types).toBe('all');
    expect(data.find(({ id }) => id === api.key.id)?.event_types).toBe('by_permission');
  });

  test('makes keys that see the types of their permissions alone', async () => {
    const old = await keyOf([...ofCook, 'keys:write'], true);
    const made = await api.client(old.key).keys.create.mutate({ name: 'new', permissions: ofCook });
    expect(made.event_types).toBe('by_permission');
  });

  test('is rotated to one that sees the same', async () => {
    const old = await keyOf(ofCook, true);
    expect((await rotateKey(api.app.database, old.id, 24)).event_types).toBe('all');
  });

  test('is narrowed for good, in every process and on streams that are open', async () => {
    const old = await keyOf(ofCook, true);
    const other = await createApp({
      databaseUrl: api.databaseUrl,
      encryptionKey: 'k'.repeat(32),
      idempotencyTtlHours: 1,
      webhookTargets: 'any',
      webhookAllowCidrs: [],
      logLevel: 'silent',
    });
    const server = await startServer(other, { host: '127.0.0.1', port: 0 });
    onTestFinished(() => server.drain(1_000).then(() => other.close()));
    const stream = await openStream(server.url, old.key, '/v2/events/stream');
    const asked = await openStream(server.url, old.key, '/v2/events/stream?types=payment.created');
    const kept = await openStream(server.url, old.key, '/v2/events/stream?types=order.created');
    const before = await sell();
    await waitFor('all of it', () => stream.sent.length >= before.length);
    const narrowed = await updateKey(api.app.database, old.id, { event_types: 'by_permission' });
    expect(narrowed.event_types).toBe('by_permission');
    expect(await Promise.all([stream.ended, asked.ended])).toEqual([true, true]);
    const lacking = expect.stringContaining('payments:read');
    expect(asked.sent.at(-1)).toMatchObject({ event: 'error', data: lacking });
    const after = ofOrders(await sell());
    await waitFor('the order', () => kept.sent.length >= 2);
    expect(stream.sent).toHaveLength(before.length);
    const last = before.at(-1)?.id ?? '';
    const again = await openStream(server.url, old.key, '/v2/events/stream', { 'last-event-id': last });
    await waitFor('what came since', () => again.sent.length >= after.length);
    expect(again.sent.map(({ id }) => id)).toEqual(after.map(({ id }) => id));
    expect(again.headers.get('x-hidden-event-types')).toContain('payment.created');
    for (const each of [again, kept]) each.close();
    const widened = api.sql`update api_keys set all_event_types = true where id = ${old.id}`;
    await expect(widened).rejects.toThrow(/changed by a command/);
  });
});
