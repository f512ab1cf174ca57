import { setTimeout as sleep } from 'node:timers/promises';
import { newId } from '@comanda/db';
import { describe, expect, test } from 'vitest';
import { EventPage, type FeedEvent } from '../../packages/api/src/resources/events/schema.ts';
import { refusalOf } from '../support/answers.ts';
import { underDeed } from '../support/by-hand.ts';
import { makeEndpoint } from '../support/endpoints.ts';
import { createOrderKitchen, placeOrder } from '../support/orders.ts';
import { useSteppedApi } from '../support/published.ts';
import { openSession } from '../support/session.ts';
import { type SteppedWorker, stepWorker } from '../support/stepped-worker.ts';
import { parseStrict } from '../support/strict.ts';

const api = useSteppedApi();

/** A location of its own, a key, and the feed as it reads it. */
async function kitchen() {
  const { locationId, token: key } = await api.place();
  const feed = async (query = '') => {
    const answer = await api.rest(`GET /v2/events?${query}`, { key });
    expect(answer.status, answer.text).toBe(200);
    return { ...parseStrict(EventPage, answer.body), text: answer.text };
  };
  const product = (name: string) => api.make.product({ locationId, name });
  return { locationId, key, feed, product };
}

/** Bodies as they are stored, and sent to endpoints of v2. */
async function storedBodies(locationId: string): Promise<string[]> {
  const rows = await api.sql<{ body: string }>`select body from events where location_id = ${locationId}
    order by number`;
  return rows.map(({ body }) => body);
}

describe('GET /v2/events answers 200', () => {
  test('the bodies exactly as they are sent, in the order of publication', async () => {
    const { locationId, feed, product } = await kitchen();
    for (const name of ['A', 'B', 'C']) {
      await product(name);
      await api.published();
    }
    const { data, pagination, text } = await feed();
    const stored = await storedBodies(locationId);
    const page = `"pagination":{"limit":50,"offset":0,"total":${stored.length}}`;
    expect(text).toBe(`{"data":[${stored.join(',')}],${page}}`);
    const created = data.flatMap((event) => (event.type === 'product.created' ? event.data.name : []));
    expect(created).toEqual(['A', 'B', 'C']);
    expect(pagination.total).toBe(data.length);
  });

  test('what follows the last event that was read, and how much that is', async () => {
    const { feed, product } = await kitchen();
    for (let n = 0; n < 5; n++) await product(`P${n}`);
    await api.published();
    const whole = (await feed()).data;
    const seen: FeedEvent[] = [];
    for (let left = whole.length; left > 0; ) {
      const after = seen.at(-1)?.id;
      const { data, pagination } = await feed(`limit=2${after === undefined ? '' : `&after=${after}`}`);
      expect(pagination).toEqual({ limit: 2, offset: 0, total: left });
      expect(data).toHaveLength(Math.min(2, left));
      seen.push(...data);
      left -= data.length;
    }
    expect(seen).toEqual(whole);
    const end = await feed(`after=${whole.at(-1)?.id}`);
    expect(end).toMatchObject({ data: [], pagination: { limit: 50, offset: 0, total: 0 } });
  });

  test('only the types that are asked for, in one order', async () => {
    const { feed, product } = await kitchen();
    for (let n = 0; n < 3; n++) {
      await product(`P${n}`);
      await api.published();
    }
    const whole = (await feed()).data;
    for (const types of [['product.created'], ['catalog.updated', 'product.created'], ['order.created']]) {
      const wanted = whole.filter(({ type }) => types.includes(type));
      const first = await feed(`types=${types.join(',')}&limit=2`);
      expect(first).toMatchObject({ data: wanted.slice(0, 2), pagination: { total: wanted.length } });
      if (wanted.length < 2) continue;
      // Repeated, as some generated clients send lists.
      const repeated = types.map((type) => `types=${type}`).join('&');
      const rest = await feed(`${repeated}&after=${first.data.at(-1)?.id}`);
      expect(rest).toMatchObject({ data: wanted.slice(2), pagination: { total: wanted.length - 2 } });
    }
  });

  test('orders, payments and test events with the data of their types', async () => {
    const { id } = await placeOrder(api, await createOrderKitchen(api));
    await api.rest(`POST /v2/webhook-endpoints/${await makeEndpoint(api)}/test`);
    await api.published();
    const answer = await api.rest('GET /v2/events?types=order.created,payment.created,webhook.test');
    const { data } = parseStrict(EventPage, answer.body);
    expect(data.map(({ type }) => type)).toEqual(['order.created', 'payment.created', 'webhook.test']);
    expect(data[0]?.type === 'order.created' && data[0].data.id).toBe(id);
  });

  test('nothing that is older than 30 days', async () => {
    const { locationId, feed, product } = await kitchen();
    await product('old');
    await api.published();
    const old = (await feed()).data;
    const aged = `update events set created_at = created_at - interval '30 days 1 minute' where location_id = $1`;
    await underDeed(api.pool, 'repair: a test ages events', aged, [locationId]);
    expect(await feed()).toMatchObject({ data: [], pagination: { total: 0 } });
    await product('new');
    await api.published();
    const { data } = await feed('types=product.created');
    expect(data.map((event) => event.type === 'product.created' && event.data.name)).toEqual(['new']);
    // A consumer that read them knows their ids, and reads on from there.
    expect((await feed(`after=${old.at(-1)?.id}`)).data[0]?.id).toBe((await feed()).data[0]?.id);
  });

  test('the same through the typed client', async () => {
    const { key, feed, product } = await kitchen();
    await product('A');
    await api.published();
    const { text: _, ...expected } = await feed('types=product.created&limit=3');
    const input = { types: ['product.created' as const], limit: 3 };
    expect(await api.client(key).events.list.query(input)).toEqual(expected);
  });
});

test('GET /v2/events from a moment begins with the first event of that moment or later, also before one that was published three hours late', async () => {
  const { locationId, feed, product } = await kitchen();
  for (let n = 0; n < 9; n += 1) {
    await product(`P${n}`);
    await api.published();
  }
  // Published twenty minutes apart.
  const rows = await underDeed<{ number: number; created_at: Date }>(
    api.pool,
    'repair: a test ages events',
    `update events e set published_at = at, created_at = at - case when e.number = 5 then interval '3 hours' else '0' end
       from events same cross join lateral (select now() - interval '20 minutes' * (20 - same.number) as at) p
       where e.location_id = $1 and same.location_id = $1 and same.number = e.number returning e.number::int, e.created_at`,
    [locationId],
  );
  const moments = rows
    .toSorted((one, other) => one.number - other.number)
    .map(({ created_at }) => created_at.getTime());
  const whole = (await feed()).data;
  for (const moment of moments) {
    const skipped = moments.findIndex((each) => each >= moment);
    const { data, pagination } = await feed(`since=${new Date(moment).toISOString()}&limit=2`);
    expect(data, `${skipped}`).toEqual(whole.slice(skipped, skipped + 2));
    expect(pagination.total).toBe(whole.length - skipped);
  }
  const none = await feed(`since=${new Date().toISOString()}`);
  expect(none).toMatchObject({ data: [], pagination: { total: 0 } });
  expect((await feed('since=0001-01-01T00:00:00Z')).data).toEqual(whole);
});

describe('GET /v2/events?after=latest', () => {
  test('returns no event, and the position from which all later events are read', async () => {
    const { feed, product } = await kitchen();
    await product('old');
    await api.published();
    const { data, pagination } = await feed('after=latest');
    expect({ data, pagination }).toEqual({
      data: [],
      pagination: { limit: 50, offset: 0, total: 0, next: (await feed()).data.at(-1)?.id },
    });
    await product('new');
    await api.published();
    const read = (await feed(`after=${pagination.next}&types=product.created`)).data;
    expect(read.map((event) => event.type === 'product.created' && event.data.name)).toEqual(['new']);
  });

  test('has a place before the first event of all', async () => {
    const { feed, product } = await kitchen();
    const { next } = (await feed('after=latest')).pagination;
    expect((await feed(`after=${next}`)).data).toEqual([]);
    await product('first');
    await api.published();
    expect((await feed(`after=${next}`)).data).toEqual((await feed()).data);
    expect((await feed()).data).not.toEqual([]);
  });
});

describe('GET /v2/events answers 422', () => {
  test.each([
    ['after=not-an-id', 'after'],
    [`after=${newId()}`, 'after'],
    ['types=order.created,order.eaten', 'types[1]'],
    ['types=', 'types[0]'],
    ['since=yesterday', 'since'],
    ['since=2026-01-01T00:00:00Z&after=latest', 'since'],
    ['limit=201', 'limit'],
    ['limit=0', 'limit'],
  ])('to %s, naming %s', async (query, field) => {
    const { key } = await kitchen();
    const message = refusalOf(await api.rest(`GET /v2/events?${query}`, { key }), 422, 'validation_error');
    expect(message.startsWith(`${field}: `), message).toBe(true);
  });

  test('to an event of another location as to one that is not there', async () => {
    const [own, other] = await Promise.all([kitchen(), kitchen()]);
    await other.product('theirs');
    await api.published();
    const [event] = (await other.feed()).data;
    refusalOf(await api.rest(`GET /v2/events?after=${event?.id}`, { key: own.key }), 422, 'validation_error');
  });
});

test('under concurrent writers and three relays, a consumer sees every event once, in order', async () => {
  const { locationId, feed } = await kitchen();
  const at = { url: api.databaseUrl, encryptionKey: api.encryptionKey };
  const relays = [api.worker, await stepWorker(at), await stepWorker(at)];
  const writers = 6;
  const each = 25;
  let written = false;
  let published = false;

  // Transactions that begin early and commit late, so that captured order and committed order differ.
  async function write(writer: number): Promise<void> {
    const client = await openSession(api.databaseUrl);
    for (let n = 0; n < each; n++) {
      await client.query('begin');
      const insert = 'insert into products (location_id, sku, name, price) values ($1, $2, $2, 1)';
      await client.query(insert, [locationId, `w${writer}-${n}`]);
      await sleep((writer * 7 + n * 3) % 20);
      await client.query('commit');
    }
  }

  const seen: FeedEvent[] = [];
  async function consume(): Promise<void> {
    for (;;) {
      const over = published;
      const after = seen.at(-1)?.id;
      const { data } = await feed(`limit=7${after === undefined ? '' : `&after=${after}`}`);
      seen.push(...data);
      if (over && data.length === 0) return;
    }
  }

  const publish = async (relay: SteppedWorker) => {
    while (!written) await relay.turn();
    await relay.turn();
  };

  const consuming = consume();
  const publishing = relays.map(publish);
  await Promise.all(Array.from({ length: writers }, (_, writer) => write(writer)));
  written = true;
  await Promise.all(publishing);
  published = true;
  await consuming;

  const created = seen.flatMap((event) => (event.type === 'product.created' ? event.data.sku : []));
  const made = Array.from({ length: writers * each }, (_, n) => `w${Math.floor(n / each)}-${n % each}`);
  expect([...created].sort()).toEqual(made.sort());
  const stored = (await storedBodies(locationId)).map((body) => JSON.parse(body).id);
  expect(seen.map(({ id }) => id)).toEqual(stored);
}, 120_000);
