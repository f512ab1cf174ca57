import { randomUUID } from 'node:crypto';
import { beforeAll, expect, it, vi } from 'vitest';
import { belongings, type LocationTable } from '../../../packages/db/src/tables/belongings.ts';
import { type Kitchen, openKitchen, writeIn } from '../../../tests/contract/kitchen.ts';
import { type Cells, cellsOf, invite, openRestaurant } from '../../../tests/locations/cells.ts';
import { kill, useFolder, usePlace } from '../../../tests/locations/moving.ts';
import { callRest } from '../../../tests/support/api.ts';
import { operations } from '../../../tests/support/documented.ts';
import { createKey, createProduct } from '../../../tests/support/factories.ts';
import { createOrderKitchen, orderBody, placeOrder } from '../../../tests/support/orders.ts';
import { waitFor } from '../../../tests/support/wait.ts';

// A location is copied while it is active. Changes between that and the end of its writes must be in the copy as well: rows that
// are new, changed or gone, in every table, by every writer.

vi.setConfig({ testTimeout: 300_000, hookTimeout: 180_000 });
const patience = { timeoutMs: 60_000 };
const north = usePlace();
const south = usePlace();
const folder = useFolder();
// Choices first: they need a product, which others take away.
const mutations = operations
  .filter(
    ({ kind, name }) => kind === 'mutation' && name !== 'audit.undo' && !name.startsWith('certifications.'),
  )
  .toSorted((one, other) => Number(isOfChoice(other)) - Number(isOfChoice(one)));

let cells: Cells;

beforeAll(async () => {
  cells = cellsOf(folder.path, north, south);
  await north.startWorker();
  await south.startWorker();
});

const argvOf = (id: string) => ['locations', 'move', id, '--to', 'south', '--cells', cells.file];
const apiOf = (key: string): Pick<typeof north.api, 'rest'> => ({
  rest: (route, call) => north.api.rest(route, { key, ...call }),
});

/** Begins a move, and kills it once the other cell has the copy. */
async function copied(id: string): Promise<void> {
  await kill(await north.begin('load: done', ...argvOf(id)), north, south);
}

/** Goes on with a move until it waits for its map: both databases are at rest then, and must have the same rows. */
async function expectSame(id: string): Promise<void> {
  const paused = await north.comanda(...argvOf(id), '--json');
  expect(paused.stdout, paused.stderr).toContain('"step":');
  expect(JSON.parse(paused.stdout), paused.stderr).toMatchObject({ step: 'map' });
  const [there, here] = [await contentsOf(south, id), await contentsOf(north, id)];
  for (const { table } of belongings) expect(there[table], table).toEqual(here[table]);
}

/** Does what nearly each operation does; what the state of the location refuses changes nothing. */
async function doEverything(kitchen: Kitchen): Promise<void> {
  const left: string[] = [];
  for (const operation of mutations) {
    // The kitchen makes one order of that name.
    const another = `update orders set external_id = id::text where location_id = $1 and external_id = 'order-made'`;
    await pastTriggers(north, another, [kitchen.locationId]);
    const input = await writeIn(kitchen, operation).catch(() => left.push(operation.name));
    if (typeof input === 'number') continue;
    const { status, text } = await callRest(north.api.url, `POST /trpc/${operation.name}`, {
      key: kitchen.key,
      body: { ...input, idempotencyKey: randomUUID() },
    });
    expect(status, `${operation.name} ${text}`).toBeLessThan(500);
  }
  expect(left.length, left.join()).toBeLessThan(10);
}

function isOfChoice({ name }: { name: string }): boolean {
  return name.startsWith('subselection');
}

const short = (table: string): string => table.replace('internal.', '');

/** Writes past all triggers: as a person who repairs a database, or as a shorter retention. */
async function pastTriggers(place: typeof north, text: string, values: unknown[]): Promise<void> {
  await place.sql('set session_replication_role = replica');
  await place.sql(text, values).finally(() => place.sql('set session_replication_role = origin'));
}

/** How a row of the table may become another: by a time, else by a text. Nothing where it has neither. */
async function changeOf({ table, key }: LocationTable): Promise<string | undefined> {
  const [found] = await north.sql<{ change: string }>(
    `select format(case a.atttypid when 'timestamptz'::regtype then '%1$I = %1$I - interval ''1 second''' else '%1$I = %1$I || ''x''' end,
       a.attname) as change
     from pg_attribute a where a.attrelid = $1::regclass and a.attnum > 0 and not a.attisdropped
       and a.atttypid in ('timestamptz'::regtype, 'text'::regtype) and a.attname <> all ($2) and not exists (
         select from pg_constraint c where c.conrelid = a.attrelid and a.attnum = any (c.conkey) and c.contype <> 'n')
     order by a.atttypid = 'text'::regtype, a.attnum limit 1`,
    [table, key],
  );
  return found?.change;
}

/** Changes a row of each table and removes another, where there is one; gives the tables of both. */
async function changeEveryTable(id: string): Promise<{ changed: string[]; gone: string[] }> {
  const [changed, gone]: [string[], string[]] = [[], []];
  for (const each of belongings.filter(({ derived }) => derived !== true).toReversed()) {
    const { table } = each;
    const change = await changeOf(each);
    const one = (last: string) => `ctid = (select t.ctid from ${table} t where ${ofLocation(each)}
      ${table === 'api_keys' ? 'and t.last_used_at is null' : ''} order by t.ctid ${last} limit 1)`;
    if (change !== undefined) {
      await pastTriggers(north, `update ${table} set ${change} where ${one('desc')}`, [id]);
      changed.push(table);
    }
    await north.sql('begin');
    await north.sql(`select deed('repair: a row goes')`);
    const removed = await north
      .sql(`delete from ${table} where ${one('asc')} returning 1`, [id])
      .catch((error: { code: string }) =>
        ['23001', '23503'].includes(error.code) ? [] : Promise.reject(error),
      );
    await north.sql(removed.length === 0 ? 'rollback' : 'commit');
    if (removed.length > 0) gone.push(table);
  }
  return { changed, gone };
}

/** Plans two prices for a day that this test does not see. */
async function planPrices({ key, locationId }: Kitchen): Promise<void> {
  const product_id = await createProduct(north.api.app.database, { locationId });
  for (const price of [3, 4]) {
    const { status } = await apiOf(key).rest('POST /v2/price-changes', {
      body: { effective_at: '2100-01-01T00:00:00Z', prices: [{ product_id, price }] },
      headers: { 'idempotency-key': randomUUID() },
    });
    expect(status).toBe(201);
  }
}

it('what changes after the copy is changed, new or gone in the copy as well, in every table', async () => {
  const kitchen = await openKitchen(north.api);
  const id = kitchen.locationId;
  await doEverything(kitchen);
  const own = await createOrderKitchen(north.api, id);
  const guest = await placeOrder(apiOf(kitchen.key), own, { identifier: 'Zacharias' });
  for (let n = 0; n < 3; n += 1) await placeOrder(apiOf(kitchen.key), own);
  await planPrices(kitchen);
  await copied(id);

  await doEverything(kitchen);
  // That emptied the sandbox.
  await planPrices(kitchen);
  await createKey(north.api.app.database, { locationId: id });
  const erased = await north.comanda('erase', '--order', guest.id);
  expect(erased.code, erased.stderr).toBe(0);
  const health = 'select from internal.endpoint_health where location_id = $1';
  // Workers write it ten seconds after an attempt. By then deliveries are at rest.
  await waitFor(
    'the health of an endpoint',
    async () => (await north.sql(health, [id])).length > 0,
    patience,
  );
  const { changed, gone } = await changeEveryTable(id);
  const named = belongings.filter(({ derived }) => derived !== true).map(({ table }) => table);
  // Those that other rows name by a key that restricts, and those that nothing was done with.
  const kept = ['app_codes', 'payment_methods', 'turns', 'certifications', 'certification_calls'];
  expect(named.filter((table) => !gone.includes(table)).map(short)).toEqual(kept);
  // Those that have no column except keys, and those that are checked.
  const keysAlone = ['limit_counters', 'deleted_records', 'turns', 'menu_categories', 'product_categories'];
  expect(named.filter((table) => !changed.includes(table)).map(short)).toEqual(keysAlone);
  // An order without its lines cannot be shown.
  await north.sql('delete from internal.captured_changes where location_id = $1', [id]);
  // The other database keeps events for a shorter time.
  for (const table of ['webhook_attempts', 'webhook_deliveries', 'events'])
    await pastTriggers(south, `delete from ${table} where location_id = $1`, [id]);
  await expectSame(id);
  const texts = Object.values(await contentsOf(south, id)).flat();
  expect(texts.filter((row) => row.includes('Zacharias'))).toEqual([]);
});

it('of a database that was started again since, all is copied again', async () => {
  const bar = await openRestaurant(north, 'Bar Dos');
  for (let n = 0; n < 3; n += 1) await placeOrder(apiOf(bar.key), bar.kitchen);
  await copied(bar.id);
  const another = `update audit_entries set changes = jsonb_set(changes, '{after,epoch}', '"another"')
    where location_id = $1 and operation = 'locations.import'`;
  await pastTriggers(south, another, [bar.id]);
  await placeOrder(apiOf(bar.key), bar.kitchen);
  await expectSame(bar.id);
});

it('under load nothing is lost: both databases have the same rows when writes have ended', async () => {
  const bar = await openRestaurant(north, 'Bar Tres');
  const guests = invite(bar, () => cells.of(bar));
  await waitFor('orders', () => guests.acknowledged.length > 20, patience);
  await expectSame(bar.id);
  const done = await north.comanda(...argvOf(bar.id), '--map', cells.map, '--reload', 'true');
  expect(done.code, done.stderr).toBe(0);
  const before = guests.acknowledged.length;
  await waitFor('orders there', () => guests.acknowledged.length > before + 5, patience);
  await guests.stop();
  expect(guests.faults).toEqual([]);
  const rows = await south.sql<{ id: string }>('select id from orders where location_id = $1', [bar.id]);
  expect(rows.map(({ id }) => id).toSorted()).toEqual(guests.acknowledged.toSorted());
});

it('no command enables or deletes the copy while the location is active', async () => {
  const bar = await openRestaurant(north, 'Bar Cuatro');
  await copied(bar.id);
  const held = { code: 1, stderr: expect.stringContaining('moves to another cell') };
  expect(await south.comanda('locations', 'enable', bar.id)).toMatchObject(held);
  const confirmed = ['--confirm', 'Bar Cuatro'];
  expect(await south.comanda('locations', 'delete', bar.id, ...confirmed)).toMatchObject(held);
  const aborted = await north.comanda(...argvOf(bar.id), '--abort');
  expect(aborted.code, aborted.stderr).toBe(0);
  expect(await south.sql('select from locations where id = $1', [bar.id])).toEqual([]);
});

it.each([
  'copy: ',
  'load: ',
  'orders: ',
  'follow: ',
  'disable: done',
  'export: ',
  'import: ',
  'import: done',
])('killed at "%s" it is gone on with, and nothing is missing or there twice', async (line) => {
  const bar = await openRestaurant(north, `Bar ${line}`);
  await placeOrder(apiOf(bar.key), bar.kitchen);
  await kill(await north.begin(line, ...argvOf(bar.id)), north, south);
  await apiOf(bar.key).rest('POST /v2/orders', {
    body: orderBody(bar.kitchen),
    headers: { 'idempotency-key': randomUUID() },
  });
  await expectSame(bar.id);
});

/** Every row of a location, by table. How often a key was used does not travel. */
async function contentsOf({ sql }: typeof north, id: string): Promise<Record<string, string[]>> {
  const found: Record<string, string[]> = {};
  for (const each of belongings.filter(({ ofKeys }) => ofKeys !== true)) {
    const rows = await sql<{ row: string }>(
      `select (to_jsonb(t) - $2::text[])::text as row from ${each.table} t where ${ofLocation(each)}`,
      [id, ignored[each.table] ?? []],
    );
    found[each.table] = rows
      .map(({ row }) => row)
      .filter((row) => !isOfMove(row))
      .toSorted();
  }
  return found;
}

/** The condition for rows `t` of a table that belong to the location $1. */
const ofLocation = ({ ofKeys }: LocationTable): string =>
  ofKeys === true
    ? 't.api_key_id in (select k.id from api_keys k where k.location_id = $1::uuid)'
    : 't.location_id = $1::uuid';

// An epoch is each database's own; the last use of a key does not travel.
const ignored: Record<string, readonly string[]> = {
  'internal.catalog_versions': ['epoch'],
  api_keys: ['last_used_at'],
};

// The databases' records of the move itself.
const isOfMove = (row: string): boolean => /"operation": "locations\.(import|move|enable)"/.test(row);
