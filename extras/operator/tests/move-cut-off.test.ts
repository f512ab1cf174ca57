import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Cells, cellsOf, openRestaurant, type Restaurant } from '../../../tests/locations/cells.ts';
import { kill, sessionsEnd, useFolder, usePlace } from '../../../tests/locations/moving.ts';
import { openHand } from '../../../tests/support/by-hand.ts';
import { placeOrder } from '../../../tests/support/orders.ts';
import { useClosed } from '../../../tests/support/use.ts';
import { waitFor } from '../../../tests/support/wait.ts';

vi.setConfig({ testTimeout: 300_000, hookTimeout: 180_000 });
const patience = { timeoutMs: 60_000 };

const north = usePlace();
const south = usePlace();
const folder = useFolder();
const hand = useClosed(() => openHand(north.api.databaseUrl, 'admin'));

let cells: Cells;
let bar: Restaurant;

beforeAll(async () => {
  cells = cellsOf(folder.path, north, south);
  await north.startWorker();
  await south.startWorker();
});

/** Makes the restaurant of the tests that follow, with three orders. */
async function opened(): Promise<void> {
  bar = await openRestaurant(north, 'Bar Uno');
  for (let n = 0; n < 3; n += 1) await order(north);
  const waiting = () => north.sql('select from internal.captured_changes where location_id = $1', [bar.id]);
  await waitFor('all to be published', async () => (await waiting()).length === 0, patience);
}

const order = (place: typeof north) =>
  placeOrder({ rest: (route, call) => place.api.rest(route, { key: bar.key, ...call }) }, bar.kitchen);
const statusAt = async ({ sql }: typeof north) =>
  (await sql<{ status: string }>('select status from locations where id = $1', [bar.id]))[0]?.status;
const move = ['locations', 'move'];
const argv = () => [bar.id, '--to', 'south', ...cells.options];

/** Begins a move, and kills it once writes are refused; requests under way then are not waited for. */
async function begun(): Promise<void> {
  await kill(await north.begin('disable: done', ...move, ...argv()), north, south);
  expect(await statusAt(north)).toBe('read_only');
}

/** Where the other cell holds a command up until it is killed: so no kill comes too late. */
const heldUp = 7;

/** Begins, or goes on with, the move, and kills it once it says the line. */
async function killedAt(line: string, ...options: string[]): Promise<void> {
  await south.sql('select pg_advisory_lock($1)', [heldUp]);
  try {
    const going = await north.begin(line, ...move, ...argv(), ...options);
    going.kill('SIGKILL');
    // Not by itself.
    expect(await going.ended).toBe(null);
  } finally {
    await south.sql('select pg_advisory_unlock($1)', [heldUp]);
  }
  await sessionsEnd(north, south);
}

/** Makes the other cell block a session that does this to the location there; work killed then is undone. */
const holdingUp = (event: string, when: string) =>
  south.sql(
    `create function held_up() returns trigger language plpgsql as $$
     begin perform pg_advisory_xact_lock_shared(${heldUp}); return coalesce(new, old); end $$;
     create trigger held_up before ${event} on locations for each row when (${when}) execute function held_up();
     create function not_yet() returns trigger language plpgsql as $$ begin raise 'not yet'; end $$`,
  );
const holdingUpNoMore = () => south.sql('drop function held_up, not_yet cascade');

const neverBoth = async () => {
  const both = [await statusAt(north), await statusAt(south)];
  expect(both.filter((status) => status === 'active').length, both.join()).toBeLessThan(2);
};

describe('a move that is taken back', () => {
  // However late the kill comes, callers are not led away.
  beforeAll(async () => {
    await opened();
    await holdingUp('update', `new.status = 'read_only'`);
    await south.sql`
      create trigger not_yet before update on locations for each row when (new.status = 'read_only')
      execute function not_yet()`;
  });
  afterAll(holdingUpNoMore);

  it.each(['copy: ', 'orders: ', 'load: ', 'follow: ', 'drain: ', 'export: ', 'import: ', 'import: done'])(
    'after it was killed at "%s" leaves all as it was',
    async (line) => {
      const before = await north.rowsOf(bar.id);
      await killedAt(line);
      await neverBoth();
      const aborted = await north.comanda(...move, ...argv(), '--abort', '--json');
      expect(aborted.code, aborted.stdout + aborted.stderr).toBe(0);
      expect([await statusAt(north), await statusAt(south)]).toEqual(['active', undefined]);
      expect(await south.rowsOf(bar.id)).toEqual({});
      const { audit_entries: _, ...after } = await north.rowsOf(bar.id);
      expect({ ...after, audit_entries: before.audit_entries }).toEqual(before);
      await waitFor(
        'its key',
        async () => (await north.api.rest('GET /v2/orders', { key: bar.key })).status === 200,
        patience,
      );
    },
  );

  it('is gone on with when it was killed while it deleted the copy', async () => {
    await begun();
    await killedAt('import: done');
    await south.sql`
      create trigger held_up_too before delete on locations for each row execute function held_up()`;
    await killedAt('is here as before', '--abort');
    await neverBoth();
    await north.comanda(...move, ...argv(), '--abort');
    const nothing = await north.comanda(...move, ...argv(), '--abort');
    expect(nothing).toMatchObject({ code: 1, stderr: expect.stringContaining('on its way nowhere') });
    expect([await statusAt(north), await statusAt(south)]).toEqual(['active', undefined]);
  });

  it.each(['by hand', 'from the command line'])(
    'what is changed %s after the export is found before callers are led away',
    async (how) => {
      await begun();
      await killedAt('import: done');
      if (how === 'by hand')
        await hand.sql(`update api_keys set name = 'renamed' where location_id = $1`, [bar.id]);
      else {
        const options = ['--name', 'late', '--permissions', '*', '--location', bar.id];
        const made = await north.comanda('keys', 'create', ...options);
        expect(made.code, made.stderr).toBe(0);
      }
      const refused = await north.comanda(...move, ...argv());
      expect(refused).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('was changed here after its export'),
      });
      expect(await statusAt(south)).toBe('disabled');
      const aborted = await north.comanda(...move, ...argv(), '--abort');
      expect(aborted.code, aborted.stderr).toBe(0);
    },
  );
});

// In this order: the location is led away, then goes to the other cell, then comes back.
describe('a move that goes on', { shuffle: false }, () => {
  beforeAll(opened);

  it('without a reload it waits for a person, and reads are answered in both cells', async () => {
    await begun();
    const options = ['--to', 'south', '--cells', cells.file];
    const paused = await north.comanda(...move, bar.id, ...options, '--json');
    expect(paused.code).toBe(1);
    expect(JSON.parse(paused.stdout)).toMatchObject({
      step: 'map',
      next: expect.stringContaining('--continue'),
    });
    for (const { api } of [north, south])
      await waitFor(
        'reads',
        async () => (await api.rest('GET /v2/orders', { key: bar.key })).status === 200,
        patience,
      );
    // A map printed elsewhere names the new cell, though both cells answer reads.
    const printed = await north.comanda('cells', 'map', '--cells', cells.file, '--for', 'haproxy');
    expect(printed.stdout).toContain(`${bar.code} south\n`);
    const refused = await north.comanda(...move, bar.id, ...options, '--abort');
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('led to cell south already') });
    const enabled = await north.comanda('locations', 'enable', bar.id);
    expect(enabled.code).toBe(1);
  });

  it('killed at each step it is gone on with, and at no moment both cells take a write', async () => {
    // Which ends with the command that waits for it.
    for (const line of ['map: ', 'map: wrote', 'map: cat']) {
      await killedAt(line, '--reload', 'cat');
      await neverBoth();
    }
    await holdingUp('update', `new.status = 'active'`);
    for (const line of ['map: done', 'enable: ']) {
      await killedAt(line);
      await neverBoth();
    }
    await holdingUpNoMore();
    const done = await north.comanda(...move, ...argv(), '--json');
    expect(done.code, done.stdout + done.stderr).toBe(0);
    expect([await statusAt(north), await statusAt(south)]).toEqual(['disabled', 'active']);
    const { number } = await waitFor('an order there', () => order(south), patience);
    expect(number).toBe(4);
  });

  it('back it goes as it came, once its rows are gone where it was', async () => {
    const there = ['--to', 'north', ...cells.options];
    const early = await south.comanda(...move, bar.id, ...there);
    expect(early).toMatchObject({ code: 1, stderr: expect.stringContaining('is in this database already') });
    const deleted = await north.comanda('locations', 'delete', bar.id, '--confirm', 'Bar Uno');
    expect(deleted.code, deleted.stderr).toBe(0);
    await kill(await south.begin('disable: done', ...move, bar.id, ...there), north, south);
    const done = await south.comanda(...move, bar.id, ...there, '--json');
    expect(done.code, done.stdout + done.stderr).toBe(0);
    await waitFor('an order', () => order(north), patience);
    expect((await south.api.rest('GET /v2/orders', { key: bar.key })).headers.get('x-error-reason')).toBe(
      'moved',
    );
  });
});
