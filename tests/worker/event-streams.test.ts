import { setTimeout as sleep } from 'node:timers/promises';
import { createApp, startServer } from '@comanda/api';
import { statement } from '@comanda/db';
import pg from 'pg';
import { afterAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { superuserUrl } from '../support/database.ts';
import { useNewPlace } from '../support/place.ts';
import { usePublishingApi } from '../support/published.ts';
import { atLocks } from '../support/sql.ts';
import { type OpenStream, openStream, type Sent } from '../support/sse.ts';
import { waitFor } from '../support/wait.ts';

const api = usePublishingApi();
const place = useNewPlace(api);
const open: OpenStream[] = [];
afterAll(() => {
  for (const stream of open) stream.close();
});

const watch = async (
  query = '',
  { key = place.token, url = api.url, ...headers }: Record<string, string> = {},
) => {
  const stream = await openStream(url, key, `/v2/events/stream${query}`, headers);
  open.push(stream);
  return stream;
};

let made = 0;
const change = async (key = place.token) => {
  made += 1;
  const { body } = await api.rest<{ data: { id: string } }>('POST /v2/products', {
    key,
    body: { name: `Product ${made}`, description: '', price: made },
  });
  return body.data.id;
};
const idsIn = (sent: readonly Sent[]) => sent.flatMap(({ id }) => id ?? []);
const feed = async (query = '') => {
  const { body } = await place.rest<{ data: { id: string; type: string }[] }>(`GET /v2/events${query}`);
  return body.data;
};

describe('GET /v2/events/stream', () => {
  it('sends what is published from now on, as the feed has it, in its order', async () => {
    await change();
    await api.published();
    const stream = await watch();
    expect(stream.status).toBe(200);
    expect(stream.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(stream.headers.get('cache-control')).toBe('no-store');
    expect(stream.headers.get('x-ratelimit-remaining')).toMatch(/^\d+$/);
    const known = (await feed()).length;
    await change();
    await change();
    await api.published();
    const events = (await feed()).slice(known);
    await waitFor('the events', () => stream.sent.length >= events.length);
    expect(stream.sent).toEqual(
      events.map((event) => ({ id: event.id, event: event.type, data: JSON.stringify(event) })),
    );
  });

  it('goes on behind the last event that was read, and misses nothing', async () => {
    for (let n = 0; n < 4; n += 1) await change();
    await api.published();
    const all = (await feed()).map(({ id }) => id);
    const last = all.at(-4) ?? '';
    const [byHeader, byQuery] = await Promise.all([
      watch('', { 'last-event-id': last }),
      watch(`?after=${last}`),
    ]);
    for (const stream of [byHeader, byQuery]) {
      await waitFor('what was missed', () => stream.sent.length >= 3);
      expect(idsIn(stream.sent)).toEqual(all.slice(-3));
    }
    await change();
    await api.published();
    const more = (await feed(`?after=${all.at(-1)}`)).map(({ id }) => id);
    await waitFor('what came later', () => byHeader.sent.length >= 3 + more.length);
    expect(idsIn(byHeader.sent)).toEqual([...all.slice(-3), ...more]);
  });

  it('reads up a long past while more is published, each event once', async () => {
    await change();
    await api.published();
    const [first] = await feed('?limit=1');
    const stream = await watch(`?after=${first?.id}`);
    const makers = Array.from({ length: 4 }, async () => {
      for (let n = 0; n < 40; n += 1) await change();
    });
    await Promise.all(makers);
    await api.published();
    const wanted: string[] = [];
    for (let after = first?.id; after !== undefined; ) {
      const page = await feed(`?limit=200&after=${after}`);
      wanted.push(...page.map(({ id }) => id));
      after = page.at(-1)?.id;
    }
    await waitFor('all of it', () => stream.sent.length >= wanted.length);
    expect(idsIn(stream.sent)).toEqual(wanted);
  });

  it('sends only the types that were asked for, and only of the location of the key', async () => {
    const [few, other] = await Promise.all([watch('?types=product.created'), watch('', { key: api.token })]);
    await change();
    await api.published();
    await waitFor('the product', () => few.sent.length > 0);
    expect(few.sent.map(({ event }) => event)).toEqual(['product.created']);
    expect(other.sent).toEqual([]);
  });

  it.each([
    ['an unknown cursor', '?after=01935a3e-7d90-7c3b-a5e6-f70819203142', 422, 'unknown_cursor'],
    ['an unknown type', '?types=order.made', 422, 'invalid_field'],
    ['an unknown parameter', '?form=now', 422, 'unknown_parameter'],
  ])('refuses %s before it begins', async (_, query, status, reason) => {
    const stream = await watch(query);
    expect(stream.status).toBe(status);
    expect(stream.headers.get('x-error-reason')).toBe(reason);
  });

  it('takes no key from an address: no URL of the service carries one', async () => {
    const response = await fetch(`${api.url}/v2/events/stream?key=${api.key.key}`);
    expect(response.status).toBe(401);
    const trpc = await fetch(`${api.url}/trpc/events.watch?key=${api.key.key}&input=%7B%7D`);
    expect(await trpc.text()).toContain('"reason":"key_missing"');
  });

  it('ends with the refusal when its key is revoked, sooner than a quiet stream says anything', async () => {
    const stream = await watch();
    await waitFor('the stream', () => stream.text().startsWith('retry: '));
    await api.app.database.run(
      statement('revoke_for_streams', 'update api_keys set revoked_at = now() where id = $1'),
      [place.key.id],
    );
    expect(await stream.ended).toBe(true);
    // A quiet stream says that it lives after 15 s; how long the end takes is a figure of the bench, `live`.
    expect(stream.text()).not.toContain('\n:\n');
    const [last] = stream.sent;
    expect(last?.event).toBe('error');
    expect(JSON.parse(last?.data ?? '').error.code).toBe('unauthorized');
  });

  it('is asked to reconnect when its process stops, and finds everything at another', async () => {
    const own = await createApp({
      databaseUrl: api.databaseUrl,
      encryptionKey: 'k'.repeat(32),
      idempotencyTtlHours: 1,
      webhookTargets: 'any',
      webhookAllowCidrs: [],
      logLevel: 'silent',
    });
    const server = await startServer(own, { host: '127.0.0.1', port: 0 });
    const stream = await watch('', { url: server.url });
    await change();
    await api.published();
    await waitFor('an event', () => stream.sent.length > 0);
    const last = idsIn(stream.sent).at(-1) ?? '';
    await server.drain();
    expect(await stream.ended).toBe(true);
    expect(stream.sent.at(-1)?.event).toBe('error');
    expect(JSON.parse(stream.sent.at(-1)?.data ?? '').error.message).toMatch(/open the stream again/i);
    await own.close();
    await change();
    await api.published();
    const again = await watch('', { 'last-event-id': last });
    await waitFor('what came meanwhile', () => again.sent.length > 0);
    expect(idsIn(again.sent)).toEqual((await feed(`?after=${last}`)).map(({ id }) => id));
  });

  it('holds no connection and no place while it is open', async () => {
    const before = api.app.live.count();
    const streams = await Promise.all(Array.from({ length: 15 }, () => watch()));
    await waitFor('the streams', () => api.app.live.count() === before + 15);
    const { pool } = api.app.database;
    await waitFor('quiet', () => pool.idleCount === pool.totalCount);
    for (const stream of streams) stream.close();
    await waitFor('their seats', () => api.app.live.count() === before);
  });

  it('looks by itself when no notification can reach it', async () => {
    await change();
    await api.published();
    const stream = await watch();
    await waitFor('the stream', () => stream.text().startsWith('retry: '));
    // As a worker of another version would publish: without a word.
    await api.app.database.run(
      statement(
        'publish_quietly',
        `with c as (update internal.location_counters set value = value + 1
           where location_id = $1::uuid and name = 'event' returning value)
         insert into events (location_id, id, number, type, resource_id, body, created_at)
         select $1::uuid, gen_random_uuid(), c.value, 'webhook.test', $1::uuid, '{"quiet":true}', now() from c`,
      ),
      [place.locationId],
    );
    await waitFor('it', () => stream.sent.some(({ data }) => data === '{"quiet":true}'));
  });
});

describe('events.watch', () => {
  const subscribe = async (input: object = {}) => {
    const query = encodeURIComponent(JSON.stringify(input));
    const stream = await openStream(api.url, place.token, `/trpc/events.watch?input=${query}`);
    open.push(stream);
    return stream;
  };
  const eventsOf = ({ sent }: OpenStream) => sent.filter(({ id }) => id !== undefined);

  it('yields the same events as a subscription of tRPC, each under its id', async () => {
    await change();
    await api.published();
    const { body } = await place.rest<{ pagination: { next: string } }>('GET /v2/events?after=latest');
    const before = body.pagination.next;
    const stream = await subscribe({ after: before, types: ['product.created', 'catalog.updated'] });
    await change();
    await api.published();
    const events = await feed(`?after=${before}`);
    await waitFor('the events', () => eventsOf(stream).length >= events.length);
    expect(eventsOf(stream).map(({ id, data }) => ({ id, data: JSON.parse(data ?? '') }))).toEqual(
      events.map((event) => ({ id: event.id, data: event })),
    );
    const again = await subscribe({ lastEventId: before });
    await waitFor('the same once more', () => eventsOf(again).length >= events.length);
    expect(idsIn(eventsOf(again))).toEqual(events.map(({ id }) => id));
  });

  it('gives its seat back when the caller goes', async () => {
    const before = api.app.live.count();
    const stream = await subscribe();
    await waitFor('its seat', () => api.app.live.count() === before + 1);
    stream.close();
    await waitFor('nobody', () => api.app.live.count() === before);
  });

  it('reports the refusal of a call as every call does', async () => {
    const stream = await subscribe({ after: 'nonsense' });
    await stream.ended;
    expect(stream.text()).toContain('"reason":"unknown_cursor"');
  });
});

describe('a caller who goes while a stream is opened, in a slow database,', () => {
  it.each(['/v2/events/stream', '/trpc/events.watch'])('keeps no seat of %s', async (path) => {
    const before = api.app.live.count();
    const opening = vi.spyOn(api.app.live, 'open');
    const database = new pg.Client({ connectionString: superuserUrl(api.databaseUrl) });
    await database.connect();
    onTestFinished(async () => {
      opening.mockRestore();
      await database.end();
    });
    await database.query('begin; lock table events in access exclusive mode');
    const ending = new AbortController();
    const headers = { authorization: `Bearer ${place.token}`, accept: 'text/event-stream' };
    const asked = fetch(api.url + path, { headers, signal: ending.signal }).catch(() => {});
    const look = '%from events e where e.location_id = $1::uuid order by e.number desc%';
    await waitFor('the look for its place', async () => (await atLocks(api.sql, look)) > 0);
    ending.abort();
    await asked;
    // Long enough for the service to hear of it; on a machine where it is not, less is proved.
    await sleep(300);
    await database.query('commit');
    await waitFor('the opening', () => opening.mock.settledResults.some(({ type }) => type === 'fulfilled'));
    await waitFor('its seat', () => api.app.live.count() === before);
  });
});
