import { randomUUID } from 'node:crypto';
import { cpSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { useConsumer } from '../support/consumer.ts';
import { createKey, createLocation } from '../support/factories.ts';
import { createOrderKitchen, orderBody, placeOrder, postOrder } from '../support/orders.ts';
import { waitFor } from '../support/wait.ts';
import { sessionsEnd, useFolder, usePlace } from './moving.ts';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

const here = usePlace();
const there = usePlace();
const folder = useFolder();
const consumer = useConsumer();

let locationId = '';
let key = '';
let order = { path: '', repeat: { body: {}, idempotencyKey: '' }, answer: '' };
let gets: string[] = [];
let answers: Record<string, string> = {};
const exported = () => join(folder.path, 'exported');

/** The same API by the key of the location. */
const own = ({ api }: typeof here): Pick<typeof api, 'rest'> => ({
  rest: (route, call) => api.rest(route, { key, ...call }),
});

/**
 * The answer of each path, with the entity tag of its resource: except for that of the location, whose status moves.
 */
const answersOf = async ({ api }: typeof here) =>
  Object.fromEntries(
    await Promise.all(
      gets.map(async (path) => {
        const { status, text, headers } = await api.rest(`GET ${path}`, { key });
        const [tag] = headers.get('etag')?.match(/^"[0-9a-f-]{36}-\d+/) ?? [];
        return [path, `${status} ${path === '/v2/locations/current' ? undefined : tag} ${text}`] as const;
      }),
    ),
  );

// The demo restaurant with its history, an endpoint that heard of some orders, and one that is down.
beforeAll(async () => {
  const { api } = here;
  locationId = await createLocation(api.app.database, { name: 'Bar "Uno" – ☕', sandbox: true });
  ({ key } = await createKey(api.app.database, { locationId }));
  const worker = await here.stepWorker();
  expect((await api.rest('POST /v2/sandbox/reset', { key })).status).toBeLessThan(300);
  await worker.turn();
  const endpoint = await api.rest<{ data: { id: string } }>('POST /v2/webhook-endpoints', {
    key,
    body: { url: consumer.url, events: ['order.created'] },
  });
  const down = { url: 'http://127.0.0.1:1/', events: ['order.created'] };
  await api.rest('POST /v2/webhook-endpoints', { key, body: down });
  const kitchen = await createOrderKitchen(api, locationId);
  const repeat = {
    body: orderBody(kitchen, { identifier: 'Señor "X" \\ 🍕' }),
    idempotencyKey: randomUUID(),
  };
  const placed = await postOrder(api, repeat.body, { ...repeat, key });
  const { id } = (placed.body as { data: { id: string } }).data;
  order = { path: `/v2/orders/${id}`, repeat, answer: placed.text };
  for (let more = 0; more < 4; more += 1) await placeOrder(own(here), kitchen);
  await worker.turn();
  for (let retry = 0; retry < 4; retry += 1) {
    await worker.makeDue();
    await worker.turn();
  }
  expect(consumer.received.length).toBe(5);
  const { text } = await api.rest('GET /v2/webhook-endpoints', { key });
  expect(text).toMatch(/failing_since.*"dead_count":5/);
  expect(text).toContain('last_delivered_at');
  const tagged = ['/v2/products', '/v2/categories'].map(async (path) => {
    const { body } = await api.rest<{ data: { id: string }[] }>(`GET ${path}?limit=1`, { key });
    return `${path}/${body.data[0]?.id}`;
  });
  gets = [
    ...(await Promise.all(tagged)),
    '/v2/locations/current',
    '/v2/catalog',
    '/v2/categories?limit=100',
    '/v2/products?limit=100',
    '/v2/stock?limit=100',
    '/v2/orders?limit=100&include=details,items',
    order.path,
    '/v2/payments?limit=100',
    '/v2/turns',
    '/v2/settlements',
    '/v2/payment-methods',
    '/v2/menus/active',
    '/v2/webhook-endpoints',
    '/v2/events?limit=100',
    '/v1/orders?limit=100',
    `/v2/webhook-endpoints/${endpoint.body.data.id}/deliveries`,
  ];
  answers = await answersOf(here);
  expect(Object.values(answers).filter((answer) => !answer.startsWith('200'))).toEqual([]);
  const disabled = await here.comanda('locations', 'disable', locationId, '--json');
  expect(JSON.parse(disabled.stdout), disabled.stderr).toMatchObject({ status: 'disabled' });
  await worker.turn();
  const done = await here.comanda('locations', 'export', locationId, '--to', exported());
  expect(done.code, done.stderr).toBe(0);
});

describe('a location that is exported', () => {
  it('is in a folder of JSON lines, with a manifest of rows and checksums', async () => {
    const to = join(folder.path, 'listed');
    const done = await here.comanda('locations', 'export', locationId, '--to', to, '--json');
    expect(done.code, done.stderr).toBe(0);
    const manifest = JSON.parse(readFileSync(join(to, 'manifest.json'), 'utf8'));
    const counts = await here.rowsOf(locationId);
    for (const { table, rows } of manifest.tables) {
      const name = table.replace('internal.', '');
      if (!['locations', 'limit_counters'].includes(name)) expect(rows, name).toBe(counts[name] ?? 0);
    }
    expect(statSync(join(to, 'api_keys.jsonl')).mode & 0o077).toBe(0);
    const again = await here.comanda('locations', 'export', locationId, '--to', to);
    expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining('not empty') });
  });

  it('is read once the transactions in progress have ended', async () => {
    const session = await here.api.app.database.pool.connect();
    await session.query('begin');
    const counter = `insert into internal.location_counters (location_id, name) values ($1, 'under way')`;
    await session.query(counter, [locationId]);
    const to = join(folder.path, 'waited');
    const argv = ['locations', 'export', locationId, '--to', to];
    const begun = await here.begin('waiting for transactions', ...argv);
    // A client that does not wait has read all by then.
    await setTimeout(500);
    await session.query('commit');
    session.release();
    expect(await begun.ended, begun.said()).toBe(0);
    expect(readFileSync(join(to, 'location_counters.jsonl'), 'utf8')).toContain('under way');
    await here.sql(`delete from internal.location_counters where name = 'under way'`);
  });

  it.each([
    [
      'a file that was changed',
      'orders.jsonl',
      (text: string) => text.replace('☕', '').replace('X', 'Y'),
      'orders.jsonl differs from the manifest',
    ],
    [
      'a file that came in part',
      'events.jsonl',
      (text: string) => text.slice(0, text.lastIndexOf('\n', text.length - 2) + 1),
      'events.jsonl differs from the manifest',
    ],
    [
      'another schema',
      'manifest.json',
      (text: string) => text.replace(/"checksum": "./, '"checksum": "x'),
      'comanda migrate',
    ],
    [
      'a key of encryption that is not here',
      'manifest.json',
      (text: string) => text.replace(/("encryption_keys": \[\s*")/, '$1other'),
      'add it to ENCRYPTION_KEY',
    ],
  ])('is refused whole with %s', async (_, file, change, sentence) => {
    const copy = join(folder.path, randomUUID());
    cpSync(exported(), copy, { recursive: true });
    const path = join(copy, file);
    writeFileSync(path, change(readFileSync(path, 'utf8')));
    const refused = await there.comanda('locations', 'import', copy);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain(sentence);
    expect(await there.rowsOf(locationId)).toEqual({});
  });

  it('leaves nothing when its import is killed, and blocks no other location while it lies still', async () => {
    const import_ = await there.begin('orders: ', 'locations', 'import', exported());
    import_.kill('SIGSTOP');
    const kitchen = await createOrderKitchen(there.api);
    for (let more = 0; more < 3; more += 1) await placeOrder(there.api, kitchen);
    await there.api.client().turns.open.mutate({});
    const since = await there.api.rest('GET /v2/orders?updated_since=2000-01-01T00:00:00Z');
    expect((since.body.data as unknown[]).length).toBe(3);
    import_.kill('SIGKILL');
    import_.kill('SIGCONT');
    await import_.ended;
    await sessionsEnd(there);
    expect(await there.rowsOf(locationId)).toEqual({});
  });

  it('comes into another database with every answer the same, byte for byte, and nothing is published', async () => {
    const imported = await there.comanda('locations', 'import', exported(), '--json');
    expect(imported.code, imported.stderr).toBe(0);
    const { captured_changes: waiting = 0, ...counts } = await there.rowsOf(locationId);
    const { captured_changes: were = 0, ...before } = await here.rowsOf(locationId);
    expect({ ...counts, audit_entries: 0 }).toEqual({ ...before, audit_entries: 0 });
    expect(waiting).toBe(were);
    const refused = await there.api.rest('GET /v2/orders', { key });
    expect(refused).toMatchObject({ status: 403 });

    await there.startWorker();
    const arrived = consumer.received.length;
    await there.comanda('locations', 'enable', locationId);
    await waitFor('the key', async () => (await there.api.rest('GET /v2/orders', { key })).status === 200);
    expect(await answersOf(there)).toEqual(answers);

    const again = await there.comanda('locations', 'import', exported());
    expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining('in this database already') });

    const { repeat, answer } = order;
    const repeated = await postOrder(there.api, repeat.body, { ...repeat, key });
    expect(repeated.text).toBe(answer);
    const [last] = await there.sql<{ number: number }>`
      select max(number) as number from orders where location_id = ${locationId}`;
    const kitchen = await createOrderKitchen(there.api, locationId);
    const { number } = await placeOrder(own(there), kitchen);
    expect(number).toBe(Number(last?.number) + 1);
    await waitFor('its webhook', () => consumer.received.length === arrived + 1);
    const numbers = consumer.received.map(({ body }) => (body.data as { number: number }).number);
    expect(new Set(numbers).size).toBe(numbers.length);

    const doctor = await there.comanda('doctor', '--location', locationId, '--json');
    const findings = JSON.parse(doctor.stdout) as { checks?: { outcome: string }[] };
    expect(JSON.stringify(findings)).not.toContain('"outcome":"wrong"');
    await there.comanda('locations', 'disable', locationId);
    await there.comanda('locations', 'delete', locationId, '--confirm', 'Bar "Uno" – ☕');
    expect(await there.rowsOf(locationId)).toEqual({});
  });
});
