import { existsSync, readFileSync } from 'node:fs';
import { beforeAll, expect, it, vi } from 'vitest';
import {
  type Cells,
  cellsOf,
  invite,
  openRestaurant,
  type Restaurant,
} from '../../../tests/locations/cells.ts';
import { useFolder, usePlace } from '../../../tests/locations/moving.ts';
import { useConsumer } from '../../../tests/support/consumer.ts';
import { waitFor } from '../../../tests/support/wait.ts';

vi.setConfig({ testTimeout: 300_000, hookTimeout: 180_000 });
const patience = { timeoutMs: 120_000 };

const north = usePlace();
const south = usePlace();
const folder = useFolder();
const well = useConsumer();
// Refuses all until it is repaired: its retries are in the export.
let isMended = false;
const ill = useConsumer((_, response) => response.writeHead(isMended ? 200 : 500).end());

let cells: Cells;
let moving: Restaurant;
let neighbour: Restaurant;

beforeAll(async () => {
  cells = cellsOf(folder.path, north, south);
  moving = await openRestaurant(north, 'Bar "Uno"');
  neighbour = await openRestaurant(north, 'Bar Dos');
  for (const { url } of [well, ill])
    await north.api.rest('POST /v2/webhook-endpoints', {
      key: moving.key,
      body: { url, events: ['order.created'] },
    });
  await north.startWorker();
  await south.startWorker();
});

/** The ids of the events of a feed after one, in its order. */
async function feedAfter(cursor: string | undefined): Promise<{ ids: string[]; orders: string[] }> {
  const [ids, orders]: [string[], string[]] = [[], []];
  for (let after = cursor; ; after = ids.at(-1)) {
    const { api } = cells.of(moving);
    const path = `GET /v2/events?limit=200${after === undefined ? '' : `&after=${after}`}`;
    const { status, text, body } = await api.rest<{
      data: { id: string; type: string; data: { id: string } }[];
    }>(path, { key: moving.key });
    expect(status, text).toBe(200);
    if (body.data.length === 0) return { ids, orders };
    ids.push(...body.data.map(({ id }) => id));
    orders.push(...body.data.filter(({ type }) => type === 'order.created').map(({ data }) => data.id));
  }
}

it('a location moves under load: no order is lost or published twice, reads go on, and a neighbor notices nothing', async () => {
  const guests = invite(moving, () => cells.of(moving));
  const others = invite(neighbour, () => north);
  await waitFor('orders', () => guests.acknowledged.length > 20 && others.acknowledged.length > 20, patience);
  const before = await feedAfter(undefined);

  const move = north.run('locations', 'move', moving.id, '--to', 'south', ...cells.options, '--json');
  // Reads are answered while writes are refused.
  await waitFor('writes to be refused', () => (guests.reasons.location_read_only ?? 0) > 0, patience);
  isMended = true;
  const answered = guests.reads;
  await waitFor('reads meanwhile', () => guests.reads > answered + 5, patience);
  const moved = await move;
  expect(moved.code, moved.stdout + moved.stderr).toBe(0);
  const { step, seconds } = JSON.parse(moved.stdout) as { step: string; seconds: Record<string, number> };
  expect(step).toBe('done');
  expect(Object.keys(seconds).toSorted()).toEqual(
    ['copy', 'load', 'follow', 'drain', 'export', 'import', 'map', 'enable', 'refused'].toSorted(),
  );
  const then = guests.acknowledged.length;
  await waitFor('orders at the other cell', () => guests.acknowledged.length > then + 20, patience);
  await Promise.all([guests.stop(), others.stop()]);

  expect(guests.faults).toEqual([]);
  expect(others.faults).toEqual([]);
  expect(Object.keys(others.reasons)).not.toContain('location_read_only');
  expect(Object.keys(others.reasons)).not.toContain('moved');
  const [theirs] = await north.sql<{ n: number }>`
    select count(*)::int as n from orders where location_id = ${neighbour.id}`;
  expect(theirs?.n).toBe(others.acknowledged.length);
  const ids = (
    await south.sql<{ id: string }>(`select id from orders where location_id = $1`, [moving.id])
  ).map(({ id }) => id);
  expect(ids.toSorted()).toEqual(guests.acknowledged.toSorted());
  const [numbers] = await south.sql<{ n: number; most: number }>`
    select count(distinct number)::int as n, max(number)::int as most from orders where location_id = ${moving.id}`;
  expect(numbers).toEqual({ n: ids.length, most: ids.length });

  // A reader goes on with its cursor, and the whole feed has each order once.
  await waitFor(
    'all to be published',
    async () => {
      const [left] = await south.sql<{ n: number }>`
        select count(*)::int as n from internal.captured_changes where location_id = ${moving.id}`;
      return left?.n === 0;
    },
    patience,
  );
  const after = await feedAfter(before.ids.at(-1));
  expect([...before.orders, ...after.orders].toSorted()).toEqual(guests.acknowledged.toSorted());
  const whole = await feedAfter(undefined);
  expect(whole.ids).toEqual([...before.ids, ...after.ids]);

  // Each event is published once, by one cell or the other; a delivery that failed at the one succeeds at the other,
  // under the same id.
  const receivedBy = ({ received }: typeof well) =>
    received.map(({ body }) => [body.id, (body.data as { id: string }).id].join(' '));
  await waitFor('webhooks', () => well.received.length >= ids.length, patience);
  expect(receivedBy(well).toSorted()).toEqual([...new Set(receivedBy(well))].toSorted());
  expect(well.received.length).toBe(ids.length);
  await waitFor(
    'nothing to be due',
    async () => {
      const [left] = await south.sql<{ n: number }>`
        select count(*)::int as n from webhook_deliveries where location_id = ${moving.id} and next_attempt_at is not null`;
      return left?.n === 0;
    },
    patience,
  );
  expect([...new Set(receivedBy(ill))].toSorted()).toEqual(receivedBy(well).toSorted());
  const [sent] = await south.sql<{ delivered: number; differ: number; repeated: number }>`
    select count(*)::int as delivered, count(distinct delivery_id)::int as differ,
      count(*) filter (where attempt > 1)::int as repeated
    from webhook_attempts where location_id = ${moving.id} and status = 'delivered'`;
  expect(sent?.delivered).toBe(sent?.differ);
  expect(sent?.repeated).toBeGreaterThan(0);
});

it('the cell that it left answers its keys 503 `moved`, cannot enable it, and lets go of its rows', async () => {
  const left = await openRestaurant(north, 'Bar Tres');
  const moved = await north.comanda('locations', 'move', left.id, '--to', 'south', ...cells.options);
  expect(moved.code, moved.stderr).toBe(0);
  const refused = await north.api.rest('GET /v2/orders', { key: left.key });
  expect(refused.status).toBe(503);
  expect(refused.headers.get('x-error-reason')).toBe('moved');
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  const enabled = await north.comanda('locations', 'enable', left.id);
  expect(enabled).toMatchObject({ code: 1, stderr: expect.stringContaining('moves to another cell') });
  const again = await north.comanda('locations', 'move', left.id, ...cells.options, '--json');
  expect(JSON.parse(again.stdout)).toMatchObject({
    step: 'done',
    next: expect.stringContaining('locations delete'),
  });
  const deleted = await north.comanda('locations', 'delete', left.id, '--confirm', 'Bar Tres');
  expect(deleted.code, deleted.stderr).toBe(0);
  const gone = await north.api.rest('GET /v2/orders', { key: left.key });
  expect(gone.headers.get('x-error-reason')).toBe('moved');
  expect(existsSync(cells.map) && readFileSync(cells.map, 'utf8')).toContain(left.code);
});
