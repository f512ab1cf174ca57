import { beforeAll, expect, it, vi } from 'vitest';
import { createKey, createLocation } from '../support/factories.ts';
import { createOrderKitchen, type OrderKitchen, placeOrder } from '../support/orders.ts';
import { kill, usePlace } from './moving.ts';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

const place = usePlace();

let kitchen: OrderKitchen;
const name = 'Bar Dos';
const remove = ['locations', 'delete', '--confirm', name];

// This location is next to those that are deleted: nothing of it may be deleted, nor wait.
beforeAll(async () => {
  kitchen = await createOrderKitchen(place.api);
  await placeOrder(place.api, kitchen);
});

/** A disabled location with rows in many tables. */
async function filledLocation(): Promise<string> {
  const { api } = place;
  const locationId = await createLocation(api.app.database, { name, sandbox: true });
  const { key } = await createKey(api.app.database, { locationId });
  expect((await api.rest('POST /v2/sandbox/reset', { key })).status).toBeLessThan(300);
  const endpoint = { url: 'http://127.0.0.1:1/', events: ['order.created'] };
  await api.rest('POST /v2/webhook-endpoints', { key, body: endpoint });
  const own = { rest: (route, call) => api.rest(route, { key, ...call }) } satisfies Pick<typeof api, 'rest'>;
  const theirs = await createOrderKitchen(api, locationId);
  for (let more = 0; more < 3; more += 1) await placeOrder(own, theirs);
  // As many as take some batches.
  await place.sql`
    insert into internal.idempotency_keys (location_id, api_key_id, operation, key, request_hash, response)
    select location_id, id, 'orders.create', n::text, '', '{}' from api_keys, generate_series(1, 20000) n where location_id = ${locationId}`;
  expect(await place.comanda('locations', 'disable', locationId)).toMatchObject({ code: 0 });
  return locationId;
}

it('a location is deleted only when it is disabled, and its name is said', async () => {
  const locationId = await createLocation(place.api.app.database, { name });
  const active = await place.comanda(...remove, locationId);
  expect(active).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(`comanda locations disable ${locationId}`),
  });
  const disabled = await place.comanda('locations', 'disable', locationId);
  expect(disabled.code, disabled.stderr).toBe(0);
  const unsaid = await place.comanda('locations', 'delete', locationId, '--confirm', 'Bar Uno');
  expect(unsaid).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('must be the name of the location'),
  });
});

it('a deletion that is killed is gone on with, and such a location cannot be enabled', async () => {
  const locationId = await filledLocation();
  await kill(await place.begin('idempotency_keys: 2000 rows', ...remove, locationId), place);
  expect((await place.rowsOf(locationId)).idempotency_keys).toBeGreaterThan(0);
  const enabled = await place.comanda('locations', 'enable', locationId);
  expect(enabled).toMatchObject({ code: 1, stderr: expect.stringContaining('being deleted') });
  expect(await place.comanda(...remove, locationId)).toMatchObject({ code: 0 });
  expect(await place.rowsOf(locationId)).toEqual({});
});

it('all that a location has goes in batches, no other waits or loses a row, and the audit keeps a line', async () => {
  const locationId = await filledLocation();
  const others = await place.rowsOf(place.api.locationId);
  const begun = await place.begin('idempotency_keys: 1000 rows', ...remove, locationId);
  begun.kill('SIGSTOP');
  await placeOrder(place.api, kitchen);
  begun.kill('SIGCONT');
  expect(await begun.ended).toBe(0);
  expect(await place.rowsOf(locationId)).toEqual({});
  expect(await place.sql('select from locations where id = $1', [locationId])).toEqual([]);
  const rows = await place.rowsOf(place.api.locationId);
  expect(rows.orders).toBe(2);
  expect(steady(rows)).toEqual(steady(others));
  const listed = await place.comanda('audit', '--id', locationId, '--json');
  expect(JSON.parse(listed.stdout)).toContainEqual(
    expect.objectContaining({ actor: 'command_line', operation: 'locations.delete' }),
  );
  const again = await place.comanda(...remove, locationId);
  expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining('not found') });
});

/** Without what an order changes. */
const steady = (rows: Record<string, number>) =>
  Object.fromEntries(
    Object.entries(rows).filter(([table]) => !table.startsWith('tall') && !changing.has(table)),
  );
const changing = new Set([
  'orders',
  'order_items',
  'payments',
  'idempotency_keys',
  'captured_changes',
  'location_counters',
]);
