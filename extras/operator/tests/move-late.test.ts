import { connect, type Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { type Cells, cellsOf, openRestaurant, type Restaurant } from '../../../tests/locations/cells.ts';
import { encryptionKey, kill, useFolder, usePlace } from '../../../tests/locations/moving.ts';
import { callRest } from '../../../tests/support/api.ts';
import { orderBody } from '../../../tests/support/orders.ts';
import { startProcess, type TestProcess } from '../../../tests/support/processes.ts';
import { waitFor } from '../../../tests/support/wait.ts';

// A request that was sent before its location moved, and is done with after it: it writes nothing any more, and says so.

vi.setConfig({ testTimeout: 300_000, hookTimeout: 180_000 });
const patience = { timeoutMs: 60_000 };

const north = usePlace();
const south = usePlace();
const folder = useFolder();
let cells: Cells;
let bar: Restaurant;
/** A process of its own, which can be frozen. */
let api: TestProcess;

beforeAll(async () => {
  cells = cellsOf(folder.path, north, south);
  await north.startWorker();
  await south.startWorker();
  const env = { DATABASE_URL: north.api.databaseUrl, ENCRYPTION_KEY: encryptionKey };
  api = await startProcess({ entry: 'api', env, readyTimeoutMs: 180_000 });
});
afterAll(() => api.stop());
beforeEach(async () => {
  bar = await openRestaurant(north, 'Bar Uno');
});
afterEach(() => void process.kill(api.pid, 'SIGCONT'));

const order = (url = api.url ?? '') =>
  callRest<{ data?: { id: string } }>(url, 'POST /v2/orders', {
    key: bar.key,
    body: orderBody(bar.kitchen),
    headers: { 'idempotency-key': `late-${orders++}` },
  });
let orders = 0;
const idOf = ({ status, text, body }: Awaited<ReturnType<typeof order>>): string => {
  expect(status, text).toBe(201);
  return body.data?.id ?? '';
};
const ordersAt = async ({ sql }: typeof north): Promise<string[]> => {
  const rows = await sql<{ id: string }>`select id from orders where location_id = ${bar.id} order by number`;
  return rows.map(({ id }) => id);
};
const argv = () => ['locations', 'move', bar.id, '--to', 'south', ...cells.options];

/** Begins the move, and leaves it once writes are refused: requests that may be under way are not waited for. */
async function disabled(): Promise<void> {
  await kill(await north.begin('disable: done', ...argv()), north, south);
}

/** Goes on with the move, to its end. */
async function moved(): Promise<void> {
  const { code, stdout, stderr } = await north.comanda(...argv());
  expect(code, stdout + stderr).toBe(0);
}

it('one that a frozen process has not read is refused when that wakes, and is taken in the other cell', async () => {
  const known = idOf(await order());
  process.kill(api.pid, 'SIGSTOP');
  const late = Array.from({ length: 5 }, () => order());
  await disabled();
  await moved();
  process.kill(api.pid, 'SIGCONT');
  for (const { status, headers, text } of await Promise.all(late)) {
    expect(status, text).toBe(503);
    expect(headers.get('x-error-reason')).toBe('moved');
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
  }
  expect(await ordersAt(north)).toEqual([known]);
  expect(await ordersAt(south)).toEqual([known]);
  const next = idOf(await order(south.api.url));
  expect(await ordersAt(south)).toEqual([known, next]);
});

it.each([
  { what: 'a new order', table: 'orders', event: 'insert' },
  { what: 'a new price', table: 'products', event: 'update' },
])(
  '$what in whose transaction a process was frozen is there where it is acknowledged, and refused where not',
  async ({ table, event }) => {
    idOf(await order());
    const held = 11;
    await north.sql(
      `create function held_up() returns trigger language plpgsql as $$
     begin perform pg_advisory_xact_lock_shared(${held}); return new; end $$;
     create trigger held_up before ${event} on ${table} for each row when (new.location_id = '${bar.id}')
     execute function held_up()`,
    );
    await north.sql('select pg_advisory_lock($1)', [held]);
    const late =
      table === 'orders'
        ? order()
        : callRest(api.url ?? '', `PATCH /v2/products/${bar.kitchen.productId}`, {
            key: bar.key,
            body: { price: 99 },
          });
    const waits = `select from pg_locks where locktype = 'advisory' and objid = ${held} and not granted`;
    await waitFor('its transaction', async () => (await north.sql(waits)).length > 0, patience);
    process.kill(api.pid, 'SIGSTOP');
    await disabled();
    const move = await north.begin('waiting for transactions', ...argv());
    // Were it not waited for, the export would go on without it.
    await Promise.race([move.ended, setTimeout(500)]);
    await north.sql('select pg_advisory_unlock($1)', [held]);
    expect(await move.ended, move.said()).toBe(0);
    await north.sql('drop function held_up cascade');
    process.kill(api.pid, 'SIGCONT');
    const { status, headers, text } = await late;
    const acknowledged = status < 300;
    if (!acknowledged) {
      expect(status, text).toBe(503);
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    }
    for (const place of [north, south]) {
      expect((await ordersAt(place)).length).toBe(table === 'orders' && acknowledged ? 2 : 1);
      const found = 'select price::float8 as price from products where location_id = $1';
      const [product] = await place.sql<{ price: number }>(found, [bar.id]);
      expect(product?.price === 99).toBe(table === 'products' && acknowledged);
    }
  },
);

it('one whose body drips in until writes are refused is refused, too', async () => {
  const known = idOf(await order());
  const dripping = await beginToSend(api.url ?? '', JSON.stringify(orderBody(bar.kitchen)));
  await disabled();
  // On a busy machine the time for a whole request may be over by now.
  expect(await dripping.end()).toMatch(/^HTTP\/1\.1 (503 .*x-error-reason: location_read_only|408)/is);
  await moved();
  expect(await ordersAt(north)).toEqual([known]);
  expect(await ordersAt(south)).toEqual([known]);
});

/** Sends the head and half of a body; `end` sends the rest, and gives what came back. */
async function beginToSend(url: string, body: string): Promise<{ end(): Promise<string> }> {
  const { hostname, port } = new URL(url);
  const socket: Socket = connect(Number(port), hostname);
  let answer = '';
  socket.setEncoding('utf8').on('data', (text: string) => {
    answer += text;
  });
  const closed = new Promise<void>((resolve) => socket.on('close', () => resolve()).on('error', () => {}));
  const head = [
    'POST /v2/orders HTTP/1.1',
    `Host: ${hostname}`,
    `Authorization: Bearer ${bar.key}`,
    'Content-Type: application/json',
    'Idempotency-Key: dripping',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ];
  const half = body.length / 2;
  await new Promise<void>((sent) =>
    socket.write(`${head.join('\r\n')}\r\n\r\n${body.slice(0, half)}`, () => sent()),
  );
  return {
    async end() {
      for (const byte of body.slice(half)) socket.write(byte);
      await closed;
      return answer;
    },
  };
}
