import { afterEach, describe, expect, test } from 'vitest';
import {
  type WebhookDelivery,
  WebhookDeliveryPage,
  WebhookReplayed,
} from '../../packages/api/src/resources/webhook-endpoints/schema.ts';
import { dataOf, refusalOf } from '../support/answers.ts';
import { underDeed } from '../support/by-hand.ts';
import { useConsumer } from '../support/consumer.ts';
import { makeEndpoint } from '../support/endpoints.ts';
import { useSteppedApi } from '../support/published.ts';
import { parseStrict } from '../support/strict.ts';

const since = '2020-01-01T00:00:00Z';
const api = useSteppedApi();
const consumer = useConsumer((_, response) => {
  response.statusCode = status;
  response.end();
});
let status = 200;
afterEach(() => {
  status = 200;
});

/** All attempts fail that are left to what waits. */
async function die(): Promise<void> {
  for (let attempt = 2; attempt <= 5; attempt += 1) {
    await api.worker.makeDue();
    await api.worker.turn();
  }
}

/** A location of its own with an endpoint, and what it can be asked. */
async function kitchen(events = ['product.created', 'catalog.updated']) {
  const { locationId, rest, make } = await api.place();
  const register = (types = events) => makeEndpoint({ rest }, types, consumer.url);
  const id = await register();
  const ask = (body: object, endpoint = id) =>
    rest(`POST /v2/webhook-endpoints/${endpoint}/replay`, { body });
  const replayed = async (body: object, endpoint = id) =>
    dataOf(await ask(body, endpoint), 202, WebhookReplayed).replayed;
  const log = async (query = '', endpoint = id): Promise<WebhookDelivery[]> => {
    const answer = await rest(`GET /v2/webhook-endpoints/${endpoint}/deliveries?limit=200${query}`);
    return parseStrict(WebhookDeliveryPage, answer.body).data;
  };
  /** The attempts, of which there are so many once everything due is delivered. */
  const logged = async (count: number, query: string, endpoint = id) => {
    await api.worker.turn();
    const found = await log(query, endpoint);
    expect(found).toHaveLength(count);
    return found;
  };
  const product = async () => {
    await make.product();
    await api.published();
  };
  return { locationId, rest, id, register, ask, replayed, log, logged, product };
}

describe('POST /v2/webhook-endpoints/{id}/replay answers 202', () => {
  test('and delivers again what is dead, which stays dead', async () => {
    const { replayed, logged, log, product } = await kitchen(['product.created']);
    status = 500;
    await product();
    await product();
    await die();
    const dead = await logged(2, '&status=dead');
    status = 200;
    expect(await replayed({ since })).toBe(2);
    const delivered = await logged(2, '&status=delivered');
    const ids = (entries: WebhookDelivery[]) => entries.map(({ event_id }) => event_id).sort();
    expect(ids(delivered)).toEqual(ids(dead));
    expect(delivered.map(({ attempt }) => attempt)).toEqual([1, 1]);
    expect(await log('&status=dead')).toEqual(dead);
    // They arrived: there is nothing left to send again.
    expect(await replayed({ since })).toBe(0);
    expect(await replayed({ since, only: 'failed' })).toBe(0);
  });

  test('and sends the same body with the same event id', async () => {
    const { replayed, logged, product } = await kitchen(['product.created']);
    await product();
    const [first] = await logged(1, '&status=delivered');
    expect(await replayed({ since, only: 'all' })).toBe(1);
    await logged(2, '&status=delivered');
    const sent = consumer.received.filter(({ headers }) => headers['webhook-id'] === first?.event_id);
    expect(sent).toHaveLength(2);
    expect(sent[0]?.text).toBe(sent[1]?.text);
    expect(sent.map(({ headers }) => headers['x-comanda-attempt'])).toEqual(['1', '1']);
  });

  test('and brings a retry that still waits forward, so that it is not sent twice', async () => {
    const { locationId, id, replayed, logged, log, product } = await kitchen(['product.created']);
    await product();
    await logged(1, '&status=delivered');
    // Its state after the fourth failure of the usual schedule: nothing is due for an hour.
    await api.sql`update webhook_deliveries set status = 'failed', next_attempt_at = now() + interval '1 hour'
      where location_id = ${locationId} and endpoint_id = ${id}`;
    expect((await log())[0]?.next_attempt_at).toBeDefined();
    expect(await replayed({ since })).toBe(1);
    await logged(2, '&status=delivered');
    const rows = await api.sql`select status, next_attempt_at is not null as waits from webhook_deliveries
      where location_id = ${locationId} and endpoint_id = ${id} order by created_at, id`;
    expect(rows).toEqual([
      { status: 'dropped', waits: false },
      { status: 'delivered', waits: false },
    ]);
    expect((await log()).filter(({ next_attempt_at }) => next_attempt_at !== undefined)).toEqual([]);
  });

  test('and fills a new endpoint with what was published before it was made', async () => {
    const { register, replayed, logged, product } = await kitchen();
    await product();
    const late = await register(['product.created']);
    expect(await replayed({ since }, late)).toBe(0);
    expect(await replayed({ since, only: 'all' }, late)).toBe(1);
    await logged(1, '&status=delivered', late);
  });

  test('and keeps to the types and the window that are asked for', async () => {
    const { locationId, replayed, product, logged } = await kitchen();
    await product();
    await api.make.category({ locationId });
    await api.published();
    await logged(2, '&status=delivered');
    const rows = await api.sql<{ type: string; at: Date }>`select type, created_at as at from events
      where location_id = ${locationId} order by number`;
    const types = rows.map(({ type }) => type);
    expect(types).toEqual(['product.created', 'catalog.updated']);
    const [first, last] = [rows[0]?.at ?? new Date(), rows[1]?.at ?? new Date()];
    const all = { since, only: 'all' };
    expect(await replayed({ ...all, until: first.toISOString() })).toBe(1);
    await logged(3, '&status=delivered');
    expect(await replayed({ ...all, since: last.toISOString(), event_types: ['product.created'] })).toBe(0);
    expect(await replayed({ ...all, since: last.toISOString() })).toBe(1);
    await logged(4, '&status=delivered');
    const before = new Date(first.getTime() - 1).toISOString();
    expect(await replayed({ ...all, until: before })).toBe(0);
  });

  test('and never makes two of what is on its way, however often it is asked at once', async () => {
    const { id, replayed, product } = await kitchen(['product.created']);
    status = 500;
    for (let n = 0; n < 3; n++) await product();
    await die();
    const counts = await Promise.all(Array.from({ length: 6 }, () => replayed({ since })));
    const rows = await api.sql<{ made: number }>`select count(*)::int as made from webhook_deliveries
      where endpoint_id = ${id}`;
    const sum = counts.reduce((total, count) => total + count, 0);
    expect(rows[0]?.made).toBe(3 + sum);
    // Nothing is sent between the calls: one of them wins.
    expect(counts.toSorted()).toEqual([0, 0, 0, 0, 0, 3]);
  });
});

describe('POST /v2/webhook-endpoints/{id}/replay refuses', () => {
  test('a disabled endpoint with 409', async () => {
    const { id, rest, ask } = await kitchen();
    await rest(`PATCH /v2/webhook-endpoints/${id}`, { body: { status: 'disabled' } });
    refusalOf(await ask({ since }), 409, 'conflict');
  });

  test.each<[string, object, string]>([
    ['no since', {}, 'since'],
    ['a since that is no timestamp', { since: '2026-01-01' }, 'since'],
    ['a since after until', { since, until: '2019-12-31T23:59:59Z' }, 'since'],
    ['no event types', { since, event_types: [] }, 'event_types'],
    ['an unknown event type', { since, event_types: ['order.eaten'] }, 'event_types[0]'],
    ['a type it is not subscribed to', { since, event_types: ['order.created'] }, 'event_types[0]'],
    ['another selection', { since, only: 'some' }, 'only'],
  ])('%s with 422', async (_, body, field) => {
    const { ask } = await kitchen();
    const message = refusalOf(await ask(body), 422, 'validation_error');
    expect(message.startsWith(`${field}: `), message).toBe(true);
  });

  test('more than 10,000 events with 422, and sends none of them', async () => {
    const { locationId, id, ask, replayed } = await kitchen(['product.created']);
    await api.sql`insert into events (location_id, id, number, type, resource_id, body, created_at)
      select ${locationId}, uuid_v7(), n, 'product.created', uuid_v7(), '{}', now() from generate_series(1, 10001) n`;
    const message = refusalOf(await ask({ since, only: 'all' }), 422, 'validation_error');
    expect(message).toContain('10000');
    const rows = await api.sql('select from webhook_deliveries where endpoint_id = $1', [id]);
    expect(rows).toEqual([]);
    const excess = 'delete from events where location_id = $1 and number = 10001';
    await underDeed(api.pool, 'repair: one too many', excess, [locationId]);
    expect(await replayed({ since, only: 'all' })).toBe(10_000);
    // Enough of them: the consumer has other things to do.
    await api.sql('delete from webhook_endpoints where id = $1', [id]);
  });
});
