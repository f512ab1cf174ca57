import { join } from 'node:path';
import { beforeAll, expect, it, vi } from 'vitest';
import { type Cells, cellsOf, openRestaurant, type Restaurant } from '../../../tests/locations/cells.ts';
import { useFolder, usePlace } from '../../../tests/locations/moving.ts';
import { placeOrder } from '../../../tests/support/orders.ts';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 120_000 });

const north = usePlace();
const south = usePlace();
const folder = useFolder();
let cells: Cells;
let moved: Restaurant;

beforeAll(async () => {
  cells = cellsOf(folder.path, north, south);
  moved = await openRestaurant(north, 'Bar Uno');
  await openRestaurant(north, 'Bar Dos');
  await north.startWorker();
  await south.startWorker();
  const move = await north.comanda('locations', 'move', moved.id, '--to', 'south', ...cells.options);
  expect(move.code, move.stdout + move.stderr).toBe(0);
});

/** The old cell's records that a location left, as a backup from before has them: not at all. */
async function goBack({ id, code }: Restaurant): Promise<void> {
  await north.sql('set session_replication_role = replica');
  await north.sql('delete from internal.moved_locations where code = $1', [code]);
  await north.sql('delete from internal.location_moves where id = $1', [id]);
  await north.sql(`update locations set status = 'active' where id = $1`, [id]);
  await north.sql('set session_replication_role = origin');
}

it('a cell restored to before a move says which location lives elsewhere, before it gives numbers', async () => {
  await goBack(moved);
  const at = (place: typeof north) => ({
    rest: ((route, call) => place.api.rest(route, { ...call, key: moved.key })) as typeof place.api.rest,
  });
  // This is the harm: both cells take orders of one restaurant.
  const [here, there] = [
    await placeOrder(at(north), moved.kitchen),
    await placeOrder(at(south), moved.kitchen),
  ];
  expect(here.number).toBe(there.number);
  const map = () => north.comanda('cells', 'map', '--cells', cells.file, '--for', 'json');
  expect(await map()).toMatchObject({ code: 1, stderr: expect.stringContaining('both answer') });

  const restored = () => north.comanda('restored', '--ahead', '1000', '--cells', cells.file);
  const counters = () => north.sql('select * from internal.location_counters order by location_id, name');
  const before = await counters();
  expect(await restored()).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(`${moved.id} lives in cell south`),
  });
  expect(await counters()).toEqual(before);

  // As docs/backup.md says.
  for (const words of [
    ['disable', moved.id],
    ['delete', moved.id, '--confirm', 'Bar Uno'],
  ])
    expect(await north.comanda('locations', ...words)).toMatchObject({ code: 0 });
  expect(await restored()).toMatchObject({ code: 0, stdout: expect.not.stringContaining(moved.id) });
  const { stdout } = await map();
  expect(JSON.parse(stdout)).toMatchObject({ [moved.code]: 'south' });
  expect((await placeOrder(at(south), moved.kitchen)).number).toBe(there.number + 1);
});

it('a location that moved to a cell after its backup comes back from the folder of the move, as docs/backup.md says', async () => {
  const bar = await openRestaurant(north, 'Bar Tres');
  const at = (place: typeof north) => ({
    rest: ((route, call) => place.api.rest(route, { ...call, key: bar.key })) as typeof place.api.rest,
  });
  const { number } = await placeOrder(at(north), bar.kitchen);
  const kept = join(folder.path, 'kept');
  const move = ['locations', 'move', bar.id, '--to', 'south', '--folder', kept, ...cells.options];
  const done = await north.comanda(...move);
  expect(done.code, done.stdout + done.stderr).toBe(0);
  // South as its backup has it.
  for (const words of [
    ['disable', bar.id],
    ['delete', bar.id, '--confirm', 'Bar Tres'],
  ])
    expect(await south.comanda('locations', ...words)).toMatchObject({ code: 0 });
  const map = () => north.comanda('cells', 'map', '--cells', cells.file, '--for', 'json');
  expect(await map()).toMatchObject({ code: 1, stderr: expect.stringContaining('left north') });
  expect((await north.comanda('locations', 'enable', bar.id)).code).toBe(1);

  for (const words of [
    ['locations', 'import', kept],
    ['locations', 'enable', bar.id],
    ['restored', '--ahead', '1000', '--location', bar.id, '--cells', cells.file],
  ]) {
    const said = await south.comanda(...words);
    expect(said, said.stderr).toMatchObject({ code: 0 });
  }
  expect(JSON.parse((await map()).stdout)).toMatchObject({ [bar.code]: 'south' });
  expect((await placeOrder(at(south), bar.kitchen)).number).toBe(number + 1_001);
});
