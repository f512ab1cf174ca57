import { randomUUID } from 'node:crypto';
import { comandaError } from '@comanda/client';
import { describe, expect, it } from 'vitest';
import { useHand } from '../support/by-hand.ts';
import { callComanda } from '../support/command.ts';
import { superuserUrl } from '../support/database.ts';
import { makeEndpoint } from '../support/endpoints.ts';
import { createManyOrders } from '../support/many-orders.ts';
import { createOrderKitchen, postOrder } from '../support/orders.ts';
import { usePublishingApi } from '../support/published.ts';
import { openSession } from '../support/session.ts';
import { thrownBy } from '../support/thrown.ts';
import { waitFor } from '../support/wait.ts';

const api = usePublishingApi();
const hand = useHand(api);

interface Listed {
  data: { id: string; number: number; external_id?: string }[];
  pagination: { total: number };
}

/** A sandbox, and calls with its key. */
async function openSandbox() {
  const place = await api.place({ location: { sandbox: true } });
  const list = async (path: string) => (await place.rest<Listed>(`GET ${path}`)).body;
  return { ...place, list, totalOf: async (path: string) => (await list(path)).pagination.total };
}

const reset = 'POST /v2/sandbox/reset';
const count = async (table: string, locationId: string) => {
  const text = `select count(*)::int as n from ${table} where location_id = $1`;
  return (await api.sql<{ n: number }>(text, [locationId]))[0]?.n ?? -1;
};

describe('a sandbox', () => {
  it('is made at the command line, is shown as one, and has test keys alone', async () => {
    const comanda = async (...argv: string[]) => {
      const { code, stdout, stderr } = await callComanda(
        { DATABASE_URL: api.databaseUrl },
        ...argv,
        '--json',
      );
      expect(code, stderr).toBe(0);
      return JSON.parse(stdout) as Record<string, string>;
    };
    const location = await comanda('locations', 'create', '--name', 'Try', '--sandbox');
    expect(location).toMatchObject({ sandbox: true });
    const made = await comanda(
      ...['keys', 'create', '--name', 'ERP', '--permissions', '*', '--location', location.id ?? ''],
    );
    expect(made.key).toMatch(/^cmd_test_[0-9a-z]{8}_[0-9A-Za-z]{39}$/);
    const answer = await api.rest('GET /v2/locations/current', { key: String(made.key) });
    const { code: _code, ...documented } = location;
    expect(answer.body.data).toEqual(documented);
    expect((await api.rest('GET /v2/locations/current')).body.data).not.toHaveProperty('sandbox');
  }, 60_000);

  it('is what its keys make, for any request, and their keys are test keys', async () => {
    const client = (await openSandbox()).client();
    const more = await client.locations.create.mutate({ name: 'More', sandbox: false });
    expect(more).toMatchObject({ sandbox: true });
    expect((await client.keys.create.mutate({ name: 'more', permissions: ['*'] })).key).toMatch(/^cmd_test_/);
    const live = await api.client().keys.create.mutate({ name: 'more', permissions: ['orders:read'] });
    expect(live.key).toMatch(/^cmd_live_/);
  });

  it('is one for good, for any caller and any deed', async () => {
    const { locationId } = await openSandbox();
    const change = 'update locations set sandbox = not sandbox where id = $1';
    for (const id of [locationId, api.locationId])
      await expect(hand.deed('repair: it is real now', change, [id])).rejects.toMatchObject({
        code: 'CM008',
        message: expect.stringContaining('comanda locations create --sandbox'),
      });
  });

  it('takes no live key, and no other location takes a test key, even from an import', async () => {
    const { locationId } = await openSandbox();
    const insert = `insert into api_keys (location_id, name, prefix, key_hash, permissions)
      values ($1, 'x', $2, decode(repeat('00', 32), 'hex'), '{*}')`;
    for (const [id, prefix] of [
      [locationId, 'cmd_live_abcd'],
      [api.locationId, 'cmd_test_abcd'],
    ])
      await expect(hand.deed('import: keys', insert, [id, prefix])).rejects.toMatchObject({
        code: 'CM008',
        message: expect.stringContaining('test keys'),
      });
  });
});

describe('a reset', () => {
  it('puts the demo data in the place of all that there was, and keeps keys and endpoints', async () => {
    const { locationId, rest, list, totalOf } = await openSandbox();
    await createManyOrders(api.app.database, { locationId, count: 3, from: '2026-01-01T00:00:00Z' });
    await makeEndpoint({ rest });
    await rest('POST /v2/sync/products', {
      body: { items: [{ external_id: 'x', name: 'X', price: 1 }] },
      headers: { 'idempotency-key': 'job' },
    });
    const answer = await rest(reset);
    expect(answer.status, answer.text).toBe(200);
    expect(answer.body.data).toEqual({ resets: 1, products: 40, orders: 46 });
    const orders = await list('/v2/orders?limit=200&include=details');
    expect(orders.pagination.total).toBe(46);
    expect(orders.data.every(({ external_id = '' }) => /^demo-00\d\d$/.test(external_id))).toBe(true);
    const lists = [
      'products?limit=200',
      'categories',
      'payment-methods',
      'turns',
      'settlements',
      'sync/jobs',
    ];
    const totals = await Promise.all([...lists, 'webhook-endpoints'].map((name) => totalOf(`/v2/${name}`)));
    expect(totals).toEqual([40, 6, 3, 3, 2, 0, 1]);
    expect((await rest('GET /v2/menus/active')).status).toBe(200);
    expect(await count('internal.idempotency_keys', locationId)).toBe(0);
    // No other location has lost or gained a row.
    expect(await count('payment_methods', api.locationId)).toBe(0);
  });

  it('goes on with the numbers, and never gives an id twice', async () => {
    const { rest, list } = await openSandbox();
    await rest(reset);
    const first = await list('/v2/orders?limit=200&sort=number&order=asc');
    await rest(reset);
    const second = await list('/v2/orders?limit=200&sort=number&order=asc');
    expect(first.data.map(({ number }) => number)).toEqual(Array.from({ length: 46 }, (_, n) => n + 1));
    expect(second.data.map(({ number }) => number)).toEqual(Array.from({ length: 46 }, (_, n) => n + 47));
    const ids = [...first.data, ...second.data].map(({ id }) => id);
    expect(new Set(ids).size).toBe(92);
    const { data } = (await rest('GET /v2/turns')).body as { data: { batch_number: string }[] };
    expect(data.map(({ batch_number }) => batch_number).sort()).toEqual(['4', '5', '6']);
  });

  it('makes orders of the old keys possible again, and is itself repeated by its key', async () => {
    const sandbox = await openSandbox();
    const { rest } = sandbox;
    const body = (await createOrderKitchen(sandbox)).body();
    const post = async () => (await postOrder(sandbox, body, { idempotencyKey: 'order-1' })).status;
    expect(await post()).toBe(201);
    const headers = { 'idempotency-key': 'reset-1' };
    const done = await rest(reset, { headers });
    const again = await rest(reset, { headers });
    expect(again.text).toBe(done.text);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    // After any reset since.
    await rest(reset);
    expect((await rest(reset, { headers })).text).toBe(done.text);
    // The key is free again, and its order is refused for what is gone, not answered with what was.
    expect(await post()).toBe(422);
  });

  it('is written in the audit, and refused at a live location, over REST and tRPC', async () => {
    const { locationId, rest } = await openSandbox();
    await rest(reset);
    const rows = await api.sql`select changes from audit_entries
      where location_id = ${locationId} and operation = 'sandbox.reset'`;
    expect(rows).toEqual([{ changes: { before: { resets: 0 }, after: { resets: 1 } } }]);
    const refused = await api.rest(reset);
    expect(refused.status).toBe(403);
    expect(refused.headers.get('x-error-reason')).toBe('sandbox_only');
    const error = comandaError(await thrownBy(api.client().sandbox.reset.mutate()));
    expect(error).toMatchObject({ code: 'permission_denied', reason: 'sandbox_only' });
  });

  it('cannot be had of the database for a live location either', async () => {
    await expect(api.pool.query('select empty_sandbox($1, 0, 10)', [api.locationId])).rejects.toMatchObject({
      code: 'CM008',
      message: 'only a sandbox is reset',
    });
  });

  it('that two callers ask for at once is done for both, and leaves the demo data once', async () => {
    const { locationId, rest, totalOf } = await openSandbox();
    await createManyOrders(api.app.database, { locationId, count: 450, from: '2026-01-01T00:00:00Z' });
    const answers = await Promise.all(Array.from({ length: 2 }, () => rest(reset)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(answers.map(({ body }) => body.data)).toEqual(
      Array(2).fill({ resets: 1, products: 40, orders: 46 }),
    );
    expect([await totalOf('/v2/orders'), await totalOf('/v2/products')]).toEqual([46, 40]);
    expect(await totalOf('/v2/turns')).toBe(3);
  }, 60_000);

  it('that lost its connection in the middle is gone on with by the same call', async () => {
    const { locationId, rest, totalOf } = await openSandbox();
    await createManyOrders(api.app.database, { locationId, count: 450, from: '2026-01-01T00:00:00Z' });
    const outside = await openSession(superuserUrl(api.databaseUrl));
    // Its last order is held: the batches before are done, that one waits.
    await outside.query('begin');
    const held = 'select from orders where location_id = $1 order by id desc limit 1 for update';
    await outside.query(held, [locationId]);
    const headers = { 'idempotency-key': randomUUID() };
    const cut = rest(reset, { headers });
    const waiting = `select pid from pg_stat_activity where wait_event_type = 'Lock' and query like '%empty_sandbox%'`;
    const pid = await waitFor('the reset to wait', async () => (await api.sql(waiting))[0]?.pid);
    await outside.query('select pg_terminate_backend($1)', [pid]);
    expect((await cut).status).toBe(503);
    await outside.query('rollback');
    expect(await count('orders', locationId)).toBe(50);
    const answer = await rest(reset, { headers });
    expect(answer.body.data).toEqual({ resets: 1, products: 40, orders: 46 });
    expect(await totalOf('/v2/orders')).toBe(46);
  }, 60_000);
});

it('a cursor from before a reset goes on, and the feed shows the reset as deletions and creations', async () => {
  const { locationId, rest } = await openSandbox();
  await rest(reset);
  await api.published();
  const { pagination } = (await rest('GET /v2/events?after=latest')).body as { pagination: { next: string } };
  expect(await count('events', locationId)).toBeGreaterThan(100);
  await rest(reset);
  await api.published();
  const published: Record<string, number> = {};
  for (let after = pagination.next; ; ) {
    const page = await rest(`GET /v2/events?limit=200&after=${after}`);
    const { data } = page.body as { data: { id: string; type: string }[] };
    for (const { type } of data) published[type] = (published[type] ?? 0) + 1;
    const last = data.at(-1)?.id;
    if (last === undefined) break;
    after = last;
  }
  expect(published).toMatchObject({
    'product.deleted': 40,
    'product.created': 40,
    'order.created': 46,
    // Three orders have two.
    'payment.created': 49,
    'settlement.created': 2,
  });
  // One catalog for what went, one for what came: not one for each product.
  expect(published['catalog.updated']).toBeLessThanOrEqual(2);
});
