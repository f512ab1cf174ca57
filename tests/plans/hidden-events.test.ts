import { afterAll, beforeAll, expect, test } from 'vitest';
import { createKey, createLocation } from '../support/factories.ts';
import { openStream } from '../support/sse.ts';
import { waitFor } from '../support/wait.ts';
import type { RunStatement } from './auto-explain.ts';
import { judge } from './judge.ts';
import { type Service, startService } from './service.ts';

// A key that sees few types of events reads these, however many others follow its position in the feed, and in any state of the
// statistics.

const hidden = 100_000;
const most = 200;
const heard: RunStatement[] = [];
let service: Service;
let locationId: string;
let key: string;

beforeAll(async () => {
  service = await startService((run) => {
    if (run.application === 'comanda-api' && /\bevents e\b/.test(run.text)) heard.push(run);
  });
  locationId = await createLocation(service.app.database);
  ({ key } = await createKey(service.app.database, {
    locationId,
    permissions: ['orders:read', 'events:read'],
  }));
  // The filled rows are no change of any writer.
  await service.sql('set session_replication_role = replica');
  await add('order.created', 1);
  await add('product.updated', hidden);
}, 120_000);
afterAll(() => service?.close());

/** Adds events to the feed, a moment before now. */
const add = (type: string, count: number) =>
  service.sql(
    `insert into events (location_id, id, number, type, resource_id, body, created_at, published_at)
     select $1::uuid, uuid_v7(), n + coalesce((select max(number) from events where location_id = $1::uuid), 0), $2, uuid_v7(),
       '{}', now() - interval '1 minute', now() - interval '1 minute' from generate_series(1, $3::int) n`,
    [locationId, type, count],
  );

const idsOf = (type: string) =>
  service.sql<{ id: string }>('select id from events where type = $1 order by number', [type]);

const list = async (query: string) => {
  const answer = await fetch(`${service.url}/v2/events?limit=200&${query}`, {
    headers: { authorization: `Bearer ${key}` },
  });
  expect(answer.status, await answer.clone().text()).toBe(200);
  return (await answer.json()) as { data: unknown[]; pagination: { total: number; next?: string } };
};

/** The rows that a call read, of all of its statements. */
async function touchedBy(call: () => Promise<unknown>): Promise<number> {
  heard.length = 0;
  await call();
  await waitFor('its statements', () => heard.length > 0);
  return heard.reduce((sum, { plan }) => sum + judge(plan, { indexes: new Map() }).touched, 0);
}

/** Every way to read; as often as PostgreSQL plans a prepared statement by itself, and once more. */
async function readsFew(): Promise<void> {
  const [seen] = await idsOf('order.created');
  const [first] = await idsOf('product.updated');
  const { id: last = '' } = (await idsOf('product.updated')).at(-1) ?? {};
  const ways: Record<string, () => Promise<unknown>> = {
    'a poll behind what it saw last': () => list(`after=${seen?.id}`),
    'a poll behind a hidden event': () => list(`after=${first?.id}`),
    'a poll at the end': () => list(`after=${last}`),
    'a poll of one type': () => list(`after=${first?.id}&types=order.updated`),
    'the newest': () => list('after=latest'),
    'a poll since a moment before': () => list(`since=${moment(-3_600_000)}`),
    'a poll since a moment after': () => list(`since=${moment(-1_000)}`),
    'a stream behind a hidden event': async () => {
      const stream = await openStream(service.url, key, `/v2/events/stream?after=${first?.id}`);
      await waitFor('what it missed', () => heard.some(({ text }) => text.includes('m."locationId"')));
      stream.close();
    },
  };
  const touched: Record<string, number> = {};
  for (const [way, call] of Object.entries(ways))
    for (let n = 0; n < 7; n += 1) touched[way] = Math.max(touched[way] ?? 0, await touchedBy(call));
  process.stdout.write(`rows read with ${hidden} hidden events: ${JSON.stringify(touched)}\n`);
  expect(Object.entries(touched).filter(([, rows]) => rows > most)).toEqual([]);
}

const moment = (fromNow: number) => encodeURIComponent(new Date(Date.now() + fromNow).toISOString());

test('of a table that was never analysed', readsFew, 120_000);

test('of a table that was analysed', async () => {
  await service.sql('analyze events');
  await service.plansExpired();
  await readsFew();
}, 120_000);

test('and what it sees comes behind all of them', async () => {
  const [seen] = await idsOf('order.created');
  await add('order.updated', 3);
  const page = await list(`after=${seen?.id}`);
  expect([page.data.length, page.pagination.total]).toEqual([3, 3]);
  await readsFew();
}, 120_000);
