import { newId } from '@comanda/db';
import { beforeAll, describe, expect, test } from 'vitest';
import { exampleEvent } from '../../packages/api/src/documents/webhooks.ts';
import { Permission } from '../../packages/api/src/permissions.ts';
import {
  type EventType,
  events,
  eventTypes,
  subscribableEventTypes,
} from '../../packages/api/src/resources/events/types.schema.ts';
import { useApi } from '../support/api.ts';
import { useConsumer } from '../support/consumer.ts';
import { openStream } from '../support/sse.ts';
import { waitFor } from '../support/wait.ts';

const api = useApi();
const consumer = useConsumer();

/** The type of every event of the feed, in its order. */
let all: EventType[];
beforeAll(async () => {
  // Two of each, in turns.
  for (const [index, type] of [...eventTypes, ...eventTypes].entries()) {
    const id = newId();
    const body = JSON.stringify({ ...exampleEvent(type), id, location_id: api.locationId });
    await api.sql`insert into events (location_id, id, number, type, resource_id, body, created_at)
      values (${api.locationId}, ${id}, ${index + 1}, ${type}, ${newId()}, ${body}, now())`;
  }
  const { data } = await api.client().events.list.query({ limit: 200 });
  all = data.map(({ type }) => type);
});

const keyOf = async (...permissions: Permission[]) => (await api.make.key({ permissions })).key;
const isSeen = (permissions: readonly Permission[]) => (type: EventType) =>
  permissions.includes(events[type].permission);
const hiddenIn = (types: readonly EventType[], permissions: readonly Permission[]) => {
  const hidden = types.filter((type) => !isSeen(permissions)(type));
  return hidden.length === 0 ? null : hidden.join(', ');
};
const refusal = (type: EventType) =>
  `The key lacks the permission ${events[type].permission}, which events of type ${type} need.`;

interface Page {
  data: { id: string; type: EventType }[];
  pagination: { total: number; next?: string };
}

test('the feed has every type', () => {
  expect(all).toEqual([...eventTypes, ...eventTypes]);
});

describe.each(Permission.options)('a key with %s alone, and the feed or endpoints', (permission) => {
  const forFeed: Permission[] = [permission, 'events:read'];
  const forEndpoints: Permission[] = [permission, 'webhooks:write'];

  test('reads its types in the feed, and is refused each other one by name', async () => {
    const key = await keyOf(...forFeed);
    const answer = await api.rest<Page>('GET /v2/events?limit=200', { key });
    const seen = all.filter(isSeen(forFeed));
    expect(answer.body.data.map(({ type }) => type)).toEqual(seen);
    expect(answer.body.pagination.total).toBe(seen.length);
    expect(answer.headers.get('x-hidden-event-types')).toBe(hiddenIn(eventTypes, forFeed));
    const latest = await api.rest<Page>('GET /v2/events?after=latest', { key });
    const last = answer.body.data.at(-1)?.id ?? '00000000-0000-0000-0000-000000000000';
    expect(latest.body.pagination.next).toBe(last);
    for (const type of eventTypes) {
      const asked = await api.rest<Page>(`GET /v2/events?limit=200&types=${type}`, { key });
      expect(asked.headers.get('x-hidden-event-types')).toBeNull();
      if (isSeen(forFeed)(type))
        expect(asked.body.data).toHaveLength(all.filter((each) => each === type).length);
      else
        expect([asked.status, asked.body]).toMatchObject([
          403,
          { error: { code: 'permission_denied', message: refusal(type) } },
        ]);
    }
  });

  test('gets its types in a stream', async () => {
    const key = await keyOf(...forFeed);
    const path = '/v2/events/stream?after=00000000-0000-0000-0000-000000000000';
    const stream = await openStream(api.url, key, path);
    const seen = all.filter(isSeen(forFeed));
    expect(stream.headers.get('x-hidden-event-types')).toBe(hiddenIn(eventTypes, forFeed));
    await waitFor('its events', () => stream.sent.length >= seen.length);
    expect(stream.sent.map(({ event }) => event)).toEqual(seen);
    stream.close();
    const asked = await openStream(api.url, key, `${path}&types=${eventTypes.join(',')}`);
    expect(asked.status).toBe(seen.length === all.length ? 200 : 403);
    asked.close();
  });

  test('makes endpoints of its types, and replays these', async () => {
    const key = await keyOf(...forEndpoints);
    const make = (types: readonly EventType[], by = api.key.key) =>
      api.rest<{ data: { id: string } }>('POST /v2/webhook-endpoints', {
        key: by,
        body: { url: consumer.url, events: types },
      });
    const remove = (id: string) => api.rest(`DELETE /v2/webhook-endpoints/${id}`);
    for (const type of subscribableEventTypes) {
      const made = await make([type], key);
      if (isSeen(forEndpoints)(type)) {
        expect(made.status, type).toBe(201);
        await remove(made.body.data.id);
      } else expect([made.status, made.body]).toMatchObject([403, { error: { message: refusal(type) } }]);
    }
    const { id } = (await make(subscribableEventTypes)).body.data;
    const replay = (more: object = {}) =>
      api.rest<{ data: { replayed: number } }>(`POST /v2/webhook-endpoints/${id}/replay`, {
        key,
        body: { since: '2020-01-01T00:00:00Z', only: 'all', ...more },
      });
    const replayed = await replay();
    const seen = all.filter((type) => type !== 'webhook.test' && isSeen(forEndpoints)(type));
    expect(replayed.body.data.replayed).toBe(seen.length);
    expect(replayed.headers.get('x-hidden-event-types')).toBe(hiddenIn(subscribableEventTypes, forEndpoints));
    for (const type of subscribableEventTypes)
      if (!isSeen(forEndpoints)(type))
        expect((await replay({ event_types: [type] })).body).toMatchObject({
          error: { message: refusal(type) },
        });
    await remove(id);
  });
});
