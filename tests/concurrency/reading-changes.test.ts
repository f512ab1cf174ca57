import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Answer } from '../support/api.ts';
import { underDeed } from '../support/by-hand.ts';
import { expectComplete, readChangesOf } from '../support/changes.ts';
import { createKey, createLocation, createPaymentMethod } from '../support/factories.ts';
import { runOnce } from '../support/server.ts';
import { useTwoServers } from './two-servers.ts';

// Two processes of the API; readers call them in turns.
const service = useTwoServers();
let locationId: string;
let paymentMethodId: string;
let key: string;
let turn = 0;
let psql: pg.Client;

beforeAll(async () => {
  psql = new pg.Client({ connectionString: service.database.pool.options.connectionString });
  await psql.connect();
});
afterAll(async () => {
  await psql.end();
});
beforeEach(async () => {
  locationId = await createLocation(service.database);
  paymentMethodId = await createPaymentMethod(service.database, { locationId });
  ({ key } = await createKey(service.database, { locationId, batchJobsPerHour: 10_000 }));
});
afterEach(() => psql.query('rollback'));

const call = (route: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> =>
  service.call(turn++, route, { key, headers, ...(body !== undefined && { body }) });
const get = (route: string) => call(route);

/** Products by SQL, each with stock; their ids. */
async function createProducts(count: number, prefix = 'p'): Promise<string[]> {
  const rows = await service.sql<{ id: string }>`with made as (
      insert into products (location_id, sku, name, price) select ${locationId}, ${prefix} || n, 'Tea', 2.5 from generate_series(1, ${count}::int) n
      returning id
    ), stocked as (insert into product_stock (location_id, product_id, quantity) select ${locationId}, id, 1000 from made)
    select id from made order by id`;
  return rows.map(({ id }) => id);
}

async function order(productId: string): Promise<{ id: string; payment: { id: string } }> {
  const body = {
    external_id: randomUUID(),
    is_take_away: false,
    identifier: '4',
    items: [{ product_id: productId, quantity: 1 }],
    payment_method_id: paymentMethodId,
  };
  const answer = await call('POST /v2/orders', body, { 'idempotency-key': randomUUID() });
  expect(answer.status, answer.text).toBe(201);
  return answer.body.data as { id: string; payment: { id: string } };
}

test('GET /v2/stock?updated_since= loses changes for ever: six syncs with orders and a reader, and it misses none', async () => {
  const synced = await createProducts(400);
  const sold = await createProducts(3, 'sold');
  const reader = readChangesOf(get, '/v2/stock?limit=200');
  let writing = true;
  const syncing = Promise.all(
    [10, 20, 30, 40, 50, 60].map(async (quantity) => {
      const items = synced.map((product_id) => ({ product_id, quantity }));
      const answer = await call('POST /v2/stock/sync', { items });
      expect(answer.status, answer.text).toBe(200);
    }),
  ).finally(() => {
    writing = false;
  });
  const selling = async (productId: string) => {
    while (writing) await order(productId);
  };
  const reading = async () => {
    while (writing) await reader.walk();
  };
  await Promise.all([syncing, reading(), ...sold.map(selling)]);
  await reader.walk();
  await expectComplete(get, '/v2/stock', reader);
});

test('order A commits after order B with the older updated_at, and a reader in between meets both', async () => {
  const [first = '', second = ''] = await createProducts(2);
  const [a, b] = [await order(first), await order(second)];
  const reader = readChangesOf(get, '/v2/orders');
  await reader.walk();
  await psql.query('begin');
  await psql.query(`update orders set status = 'ready' where location_id = $1 and id = $2`, [
    locationId,
    a.id,
  ]);
  await sleep(30);
  expect((await call(`PATCH /v2/orders/${b.id}/status`, { status: 'ready' })).status).toBe(200);
  await reader.walk();
  expect(reader.view.get(b.id)).toMatchObject({ status: 'ready' });
  await psql.query('commit');
  await reader.walk();
  await expectComplete(get, '/v2/orders', reader);
});

test('a transaction that stays open over many walks costs repeats: every walk ends, and what it brings is met', async () => {
  const [late = '', ...others] = await createProducts(30);
  const paths = ['/v2/stock', '/v2/products'];
  const readers = paths.map((path) => readChangesOf(get, `${path}?limit=10`));
  for (const reader of readers) await reader.walk();
  await psql.query('begin');
  await psql.query('update product_stock set quantity = 7 where location_id = $1 and product_id = $2', [
    locationId,
    late,
  ]);
  for (const [n, id] of others.slice(0, 12).entries()) {
    expect((await call('POST /v2/stock/sync', { items: [{ product_id: id, quantity: n }] })).status).toBe(
      200,
    );
    for (const reader of readers) expect(await reader.walk()).toHaveLength(n + 1);
  }
  await psql.query('commit');
  for (const [n, reader] of readers.entries()) {
    expect(await reader.walk()).toContain(late);
    await expectComplete(get, paths[n] ?? '', reader);
    // Nothing is held back any more: what was met is not met again.
    await sleep(20);
    await reader.walk();
    expect(await reader.walk()).toEqual([]);
  }
});

test('what was announced and rolled back to a savepoint is announced again when it is done again', async () => {
  const [id = '', other = ''] = await createProducts(2);
  const reader = readChangesOf(get, '/v2/stock');
  const write = 'update product_stock set quantity = quantity + 1 where location_id = $1 and product_id = $2';
  await psql.query('begin');
  await psql.query('savepoint before');
  await psql.query(write, [locationId, id]);
  await psql.query('rollback to before');
  await sleep(20);
  await reader.walk();
  await psql.query(write, [locationId, id]);
  await sleep(20);
  await call('POST /v2/stock/sync', { items: [{ product_id: other, quantity: 5 }] });
  await reader.walk();
  await psql.query('commit');
  await reader.walk();
  await expectComplete(get, '/v2/stock', reader);
});

test('2,000 rows that share one moment are met once each, 100 at a time', async () => {
  await createProducts(2_000);
  await runOnce(
    service.database.pool.options.connectionString ?? '',
    `begin; alter table product_stock disable trigger touch;
     update product_stock set updated_at = '2026-02-01' where location_id = '${locationId}';
     alter table product_stock enable trigger touch; commit`,
  );
  const reader = readChangesOf(get, '/v2/stock?limit=100');
  const met = await reader.walk();
  expect(met).toHaveLength(2_000);
  expect(new Set(met).size).toBe(2_000);
  await expectComplete(get, '/v2/stock', reader);
});

test('what changes between the pages is met, and the walk ends though more changes than a page holds', async () => {
  const ids = await createProducts(60);
  for (const [path, most] of [
    ['/v2/stock', 60],
    ['/v2/products', 60],
  ] as const) {
    const reader = readChangesOf(get, `${path}?limit=5`);
    let n = 0;
    const met = await reader.walk(async () => {
      const items = Array.from({ length: 8 }, () => ids[(n++ * 7) % ids.length] ?? '');
      const answer = await call('POST /v2/stock/sync', {
        items: items.map((product_id) => ({ product_id, quantity: n })),
      });
      expect(answer.status, answer.text).toBe(200);
    });
    expect(met.length).toBeLessThanOrEqual(most);
    await reader.walk();
    await expectComplete(get, path, reader);
  }
});

test('orders imported by SQL with a moment of old are met', async () => {
  const reader = readChangesOf(get, '/v2/orders');
  await reader.walk();
  await underDeed(
    service.database.pool,
    'import: orders of 2020',
    `insert into orders (location_id, number, total, payment_method_id, created_at, updated_at)
     select $1, n, 3, $2, '2020-01-01', '2020-01-01' from generate_series(1, 20) n`,
    [locationId, paymentMethodId],
  );
  expect(await reader.walk()).toHaveLength(20);
  await expectComplete(get, '/v2/orders', reader);
});
