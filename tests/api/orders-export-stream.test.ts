import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { OrderExport } from '../../packages/api/src/resources/orders/export.schema.ts';
import { useApi } from '../support/api.ts';
import { underDeed } from '../support/by-hand.ts';
import { createManyOrders } from '../support/many-orders.ts';
import { parseStrict } from '../support/strict.ts';
import { waitFor } from '../support/wait.ts';

// More than the sockets between can hold: about 20 MB, 14 as gzip.
const count = 2_500;
const commentLength = 1_000;

const api = useApi();
let locationId: string;
let key: string;
let open: IncomingMessage[] = [];
beforeAll(async () => {
  const { database } = api.app;
  locationId = await api.make.location();
  ({ key } = await api.make.key({ locationId, maxItemsPerBatch: count, batchJobsPerHour: 100 }));
  await createManyOrders(database, { locationId, count, commentLength, from: '2026-01-10T12:00:00Z' });
});
afterEach(() => {
  for (const answer of open) answer.destroy();
  open = [];
  return allAtRest();
});

interface Begun {
  answer: IncomingMessage;
  first: Buffer;
}

/** Asks for the export and takes its first bytes, no more. */
async function begin(coding = 'identity'): Promise<Begun> {
  const url = `${api.url}/v2/orders/export?from=2026-01-01&to=2026-01-31`;
  const request = get(url, {
    headers: { authorization: `Bearer ${key}`, 'accept-encoding': coding },
    agent: false,
  });
  const [answer] = (await once(request, 'response')) as [IncomingMessage];
  open.push(answer);
  await once(answer, 'readable');
  const first: Buffer = answer.read(1_000);
  expect(answer.statusCode).toBe(200);
  expect(answer.headers['content-encoding'] ?? 'identity').toBe(coding);
  return { answer, first };
}

/** Takes the rest and parses the whole. */
async function finish({ answer, first }: Begun): Promise<OrderExport> {
  answer.unshift(first);
  const chunks: Buffer[] = [];
  const packed = answer.headers['content-encoding'] === 'gzip';
  const whole = packed ? pipeline(answer, createGunzip(), () => {}) : answer;
  for await (const chunk of whole) chunks.push(chunk);
  expect(answer.complete).toBe(true);
  return parseStrict(z.object({ data: OrderExport }), JSON.parse(Buffer.concat(chunks).toString())).data;
}

/** The connections that hold an export open, as Postgres sees them; others, autovacuum among them, come and go. */
async function exporting(): Promise<{ pid: number; state: string }[]> {
  const rows = await api.sql<{ pid: number; state: string }>`select pid, state from pg_stat_activity
    where datname = current_database() and xact_start is not null and (query like 'fetch % from export' or query like 'with recursive docs as %')`;
  return rows;
}

const allAtRest = () =>
  waitFor('every connection to be idle in the pool', async () => {
    return (await exporting()).length === 0 && api.pool.idleCount === api.pool.totalCount;
  });

describe.each(['identity', 'gzip'])('as %s', (coding) => {
  test('what changes while it is read does not show, and it waits for a slow reader', async () => {
    const under = await begin(coding);
    expect(await exporting()).toHaveLength(1);
    await api.sql('update orders set identifier = $2 where location_id = $1', [locationId, coding]);
    await underDeed(
      api.pool,
      'purge: a test',
      `delete from orders where id =
         (select id from orders where location_id = $1 and external_id like 'MANY-%' order by number desc limit 1)`,
      [locationId],
    );
    await createManyOrders(api.app.database, {
      locationId,
      count: 1,
      from: '2026-01-11T12:00:00Z',
      prefix: `LATE-${coding}-`,
    });
    // Still under way: what follows was read after the change was committed.
    expect(await exporting()).toHaveLength(1);
    const { orders, total } = await finish(under);
    expect({ total, count: orders.length }).toEqual({ total: count, count });
    expect(orders.filter(({ identifier }) => identifier === coding)).toEqual([]);
    expect(orders.filter((order) => order.external_id?.startsWith(`LATE-${coding}`))).toEqual([]);
  });

  test('a caller who hangs up after the first bytes leaves nothing running', async () => {
    const { answer } = await begin(coding);
    expect(await exporting()).toHaveLength(1);
    answer.destroy();
    await allAtRest();
  });

  test('a fault on the way cuts the connection: no caller takes a part for the whole', async () => {
    const under = await begin(coding);
    const [connection] = await exporting();
    await api.sql('select pg_terminate_backend($1)', [connection?.pid]);
    await expect(finish(under)).rejects.toThrow('aborted');
    expect(under.answer.complete).toBe(false);
    await allAtRest();
  });
});

test('slow readers leave connections for all others, and a third of a location waits for one of two', async () => {
  const slow = await Promise.all([begin(), begin()]);
  expect(await exporting()).toHaveLength(2);
  const third = begin();
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => api.rest('GET /v2/orders?limit=1', { key })),
  );
  expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200));
  expect(await exporting()).toHaveLength(2);
  slow[0]?.answer.destroy();
  await third;
});
