import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { bounds } from '../../packages/api/src/capacity/bounds.ts';
import { Count } from '../../packages/api/src/capacity/counts.ts';
import { OrderExport } from '../../packages/api/src/resources/orders/export.schema.ts';
import { Order } from '../../packages/api/src/resources/orders/schema.ts';
import { dataOf, refusalOf } from '../support/answers.ts';
import { useApi } from '../support/api.ts';
import type { createKey } from '../support/factories.ts';
import { createManyOrders } from '../support/many-orders.ts';
import { runOnce } from '../support/server.ts';
import { waitFor } from '../support/wait.ts';

const january = 'from=2026-01-01&to=2026-01-31';
const api = useApi();

/** A location of its own with so many orders of January, and a key limited as said. */
async function kitchen(
  count: number,
  { timezone = 'UTC', ...limits }: { timezone?: string } & Partial<Parameters<typeof createKey>[1]> = {},
) {
  const key = { maxItemsPerBatch: 5_000, ...limits };
  const { locationId, rest, client } = await api.place({ location: { timezone }, key });
  const add = (count: number, from: string, prefix?: string) =>
    createManyOrders(api.app.database, { locationId, count, from, ...(prefix !== undefined && { prefix }) });
  if (count > 0) await add(count, '2026-01-10T12:00:00Z');
  const read = (query: string) => rest(`GET /v2/orders/export?${query}`);
  const exported = async (query: string) => dataOf(await read(query), 200, OrderExport);
  return { locationId, rest, client, add, read, exported };
}

describe('GET /v2/orders/export answers 200', () => {
  test('3,000 orders in full, oldest first, of one moment by id', async () => {
    const { locationId, rest, read } = await kitchen(3_000);
    const answer = await read(january);
    const { orders, ...head } = dataOf(answer, 200, OrderExport);
    expect(head).toEqual({
      exported_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00$/),
      from: '2026-01-01',
      to: '2026-01-31',
      total: 3_000,
    });
    const rows = await api.sql<{ id: string }>`select id from orders where location_id = ${locationId}
      order by created_at, id`;
    expect(orders.map(({ id }) => id)).toEqual(rows.map(({ id }) => id));
    // Two were made at each moment, so that ties are there to be broken.
    expect(new Set(orders.map(({ created_at }) => created_at)).size).toBe(1_500);
    const sum = orders.reduce((total, order) => total + order.total, 0);
    expect(sum).toBe(12.5 * (1_000 + 2_000 + 3_000));
    for (const order of orders) expect(order.items).toHaveLength(order.total / 12.5);
    for (const order of [orders[0], orders[1_499], orders[2_999]]) {
      const one = await rest(`GET /v2/orders/${order?.id}`);
      expect(order).toEqual(dataOf(one, 200, Order));
    }
  });

  test('in chunks, without a Content-Length, with the headers of every answer', async () => {
    const { read } = await kitchen(3, { batchJobsPerHour: 7 });
    const { headers } = await read(january);
    expect(headers.get('content-length')).toBeNull();
    const limits = { 'x-ratelimit-batch-limit': '7', 'x-ratelimit-batch-remaining': '6' };
    expect(Object.fromEntries(headers)).toMatchObject({
      'transfer-encoding': 'chunked',
      'content-type': 'application/json; charset=utf-8',
      'x-ratelimit-remaining': '99999',
      ...limits,
    });
  });

  test('the same through the typed client, whole', async () => {
    const { client, exported } = await kitchen(450);
    const value = await client().orders.export.query({ from: '2026-01-01', to: '2026-01-31' });
    expect({ ...value, exported_at: '' }).toEqual({ ...(await exported(january)), exported_at: '' });
  });

  test('an empty range', async () => {
    const { exported } = await kitchen(3);
    expect(await exported('from=2026-02-01&to=2026-02-28')).toMatchObject({ total: 0, orders: [] });
  });

  test('whole days of the location, both included', async () => {
    const { add, exported } = await kitchen(0, { timezone: 'America/Sao_Paulo' });
    await add(1, '2026-01-10T02:59:59.999Z', 'before');
    await add(1, '2026-01-10T03:00:00Z', 'first');
    await add(1, '2026-01-11T02:59:59.999Z', 'last');
    await add(1, '2026-01-11T03:00:00Z', 'after');
    const { orders, total } = await exported('from=2026-01-10&to=2026-01-10');
    expect(total).toBe(2);
    expect(orders.map(({ external_id }) => external_id)).toEqual(['first1', 'last1']);
    expect(orders.map(({ created_at }) => created_at)).toEqual([
      '2026-01-10T00:00:00.000-03:00',
      '2026-01-10T23:59:59.999-03:00',
    ]);
  });

  test('pages that make up the whole, with the total of the range; each is one batch job', async () => {
    const { read, exported } = await kitchen(1_100, { maxItemsPerBatch: 500, batchJobsPerHour: 10 });
    const pages = [];
    for (const offset of [0, 500, 1_000, 1_500]) {
      pages.push(await exported(`${january}&limit=500&offset=${offset}`));
    }
    expect(pages.map(({ orders }) => orders.length)).toEqual([500, 500, 100, 0]);
    expect(pages.map(({ total }) => total)).toEqual([1_100, 1_100, 1_100, 1_100]);
    const numbers = pages.flatMap(({ orders }) => orders.map(({ number }) => number));
    expect([...numbers].sort((a, b) => a - b)).toEqual(Array.from({ length: 1_100 }, (_, n) => n + 1));
    const { headers } = await read(`${january}&limit=1`);
    expect(headers.get('x-ratelimit-batch-remaining')).toBe('5');
  });

  test('what is left after an offset, when one batch holds that', async () => {
    const { exported } = await kitchen(12, { maxItemsPerBatch: 5 });
    const { orders, total } = await exported(`${january}&offset=8`);
    expect({ total, count: orders.length }).toEqual({ total: 12, count: 4 });
  });

  test('HEAD without a body', async () => {
    const { rest } = await kitchen(3);
    const { status, text } = await rest(`HEAD /v2/orders/export?${january}`);
    expect({ status, text }).toEqual({ status: 200, text: '' });
  });
});

describe('GET /v2/orders/export answers 422', () => {
  test('to more orders than a batch holds: how many there are, and limit, and counts nothing', async () => {
    const { read } = await kitchen(12, { maxItemsPerBatch: 11, batchJobsPerHour: 2 });
    const answer = await read(january);
    const message = refusalOf(answer, 422, 'validation_error');
    expect(message).toMatch(/^limit: .*\b12 orders\b.*\b11\b/);
    expect(answer.headers.get('x-ratelimit-batch-remaining')).toBe('2');
    expect((await read(`${january}&limit=11`)).status).toBe(200);
  });

  test.each([
    ['from=2026-01-01', 'to'],
    ['to=2026-01-01', 'from'],
    ['from=2026-01-02&to=2026-01-01', 'from'],
    ['from=2026-02-30&to=2026-03-01', 'from'],
    [`${january}&limit=0`, 'limit'],
    [`${january}&limit=12`, 'limit'],
    [`${january}&limit=1.5`, 'limit'],
    [`${january}&offset=-1`, 'offset'],
  ])('to %s, naming %s', async (query, field) => {
    const { read } = await kitchen(0, { maxItemsPerBatch: 11 });
    expect(refusalOf(await read(query), 422, 'validation_error')).toMatch(new RegExp(`^${field}: `));
  });
});

test('GET /v2/orders/export answers 429 when the batch jobs of the hour are used up', async () => {
  const { read } = await kitchen(3, { batchJobsPerHour: 1 });
  expect((await read(january)).status).toBe(200);
  const answer = await read(january);
  refusalOf(answer, 429, 'rate_limited');
  expect(answer.headers.get('x-ratelimit-batch-remaining')).toBe('0');
  expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
});

test('an export that cannot begin is an ordinary 500, and holds no connection', async () => {
  const { read } = await kitchen(3);
  const rename = (from: string, to: string) =>
    runOnce(api.databaseUrl, `alter function ${from} (uuid, uuid[]) rename to ${to}`);
  await rename('orders_json', 'orders_json_away');
  try {
    refusalOf(await read(january), 500, 'internal_error');
  } finally {
    await rename('orders_json_away', 'orders_json');
  }
  await waitFor('the connection to be back', () => api.pool.idleCount === api.pool.totalCount);
  expect((await read(january)).status).toBe(200);
});

test('four run at a time; one more waits, and is refused with 503 after ten seconds', async () => {
  const exports = new Count(bounds.exports);
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const running = await Promise.all(['a', 'b', 'c', 'd'].map((location) => exports.wait(location)));
  const refused = exports.wait('e').catch((error: unknown) => error);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(await refused).toMatchObject({ status: 503, headers: { 'Retry-After': '5' } });
  const fifth = exports.wait('e');
  running[0]?.();
  running[0]?.();
  const last = await fifth;
  const sixth = exports.wait('f').catch((error: unknown) => error);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(await sixth).toMatchObject({ status: 503 });
  for (const over of [...running.slice(1), last]) over();
  (await exports.wait('a'))();
});

test('a location runs two at most, and a second one only while that leaves a slot to a location that runs none', async () => {
  const exports = new Count(bounds.exports);
  const own = [await exports.wait('a'), await exports.wait('a')];
  const third = exports.wait('a');
  const others = [await exports.wait('b'), await exports.wait('c')];
  const fromB = exports.wait('b');
  others[0]?.();
  others.push(await fromB);
  own[0]?.();
  const waits = Symbol();
  expect(await Promise.race([third, Promise.resolve(waits)])).toBe(waits);
  others[1]?.();
  own.push(await third);
  for (const over of [...own, ...others]) over();
});
