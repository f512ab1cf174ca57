import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeAll, expect, it, vi } from 'vitest';
import { type Cells, cellsOf, openRestaurant, type Restaurant } from '../../../tests/locations/cells.ts';
import { kill, useFolder, usePlace } from '../../../tests/locations/moving.ts';
import { openHand } from '../../../tests/support/by-hand.ts';
import { useClosed } from '../../../tests/support/use.ts';

// An obstacle to a move is found before writes are refused, or can be taken back.

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const north = usePlace();
const south = usePlace();
const folder = useFolder();
const hand = useClosed(() => openHand(north.api.databaseUrl, 'admin'));
let cells: Cells;
let bar: Restaurant;
let withAThirdAway: string;

beforeAll(async () => {
  cells = cellsOf(folder.path, north, south);
  withAThirdAway = join(folder.path, 'three.json');
  const { cells: two } = JSON.parse(readFileSync(cells.file, 'utf8')) as { cells: object[] };
  const [origin, database_url] = ['http://127.0.0.1:1', 'postgresql://nobody@127.0.0.1:1/away'];
  writeFileSync(withAThirdAway, JSON.stringify({ cells: [...two, { name: 'west', origin, database_url }] }));
  bar = await openRestaurant(north, 'Bar Uno');
  await north.startWorker();
});
afterEach(async () => {
  rmSync(cells.map, { force: true });
  expect([await statusAt(north), await statusAt(south)]).toEqual(['active', undefined]);
});

const statusAt = async ({ sql }: typeof north, { id } = bar) =>
  (await sql<{ status: string }>('select status from locations where id = $1', [id]))[0]?.status;
const move = (...options: string[]) =>
  north.comanda('locations', 'move', bar.id, '--to', 'south', '--cells', cells.file, ...options);
const loading = (reload: string) => ['--map', cells.map, '--reload', reload];
const ok = { code: 0 };
const refused = (why: string) => ({ code: 1, stderr: expect.stringContaining(why) });

/** Begins a move, and kills it once writes are refused. */
async function begun({ id } = bar): Promise<void> {
  const options = ['--to', 'south', '--cells', cells.file];
  await kill(await north.begin('disable: done', 'locations', 'move', id, ...options), north, south);
}

it('a third cell that is away is found before writes are refused', async () => {
  expect(await move('--cells', withAThirdAway, ...loading('true'))).toMatchObject(refused('cell west'));
});

it('a third cell that goes away meanwhile leaves a move that can be taken back', async () => {
  await begun();
  const stopped = await move('--cells', withAThirdAway, ...loading('true'));
  expect(stopped).toMatchObject(refused('cell west cannot be asked'));
  expect([await statusAt(north), await statusAt(south)]).toEqual(['read_only', 'disabled']);
  expect(existsSync(cells.map)).toBe(false);
  expect(await move('--cells', withAThirdAway, '--abort')).toMatchObject(ok);
});

it('after a reload that failed callers are led back, and the move is taken back', async () => {
  await begun();
  expect(await move(...loading('echo no proxy >&2; false'))).toMatchObject(
    refused('the reload failed: no proxy'),
  );
  expect(await move('--abort')).toMatchObject(refused('led to cell south already'));
  expect(await move('--abort', ...loading('false'))).toMatchObject(refused('the reload failed'));
  expect(await statusAt(south)).toBe('read_only');
  expect(await move('--abort', ...loading('true'))).toMatchObject(ok);
  expect(readFileSync(cells.map, 'utf8')).toContain(`${bar.code} north\n`);
});

it('who loads maps by hand leads callers back before the move is taken back', async () => {
  await begun();
  expect(await move('--map', cells.map)).toMatchObject({
    code: 1,
    stdout: expect.stringContaining('--continue'),
  });
  expect(readFileSync(cells.map, 'utf8')).toContain(`${bar.code} south\n`);
  const aborted = await move('--abort', '--map', cells.map);
  expect(aborted).toMatchObject({ code: 1, stdout: expect.stringContaining('--abort --continue') });
  expect(readFileSync(cells.map, 'utf8')).toContain(`${bar.code} north\n`);
  expect(await statusAt(south)).toBe('read_only');
  expect(await move('--abort', '--continue')).toMatchObject(ok);
});

it('--continue skips neither the wait of a move that has not waited', async () => {
  expect(await move('--continue')).toMatchObject(refused('--continue is for a move that waits'));
  await begun();
  const { code, stderr } = await move('--continue');
  expect(code).not.toBe(0);
  expect(stderr).toContain('--continue is for a move that waits');
  expect(await move('--abort')).toMatchObject(ok);
});

it('while another import is under way nothing is changed', async () => {
  const lock = `(hashtextextended('comanda locations import', 0))`;
  const exported = join(folder.path, 'copy');
  expect(await north.comanda('locations', 'export', bar.id, '--to', exported)).toMatchObject(ok);
  await south.sql(`select pg_advisory_lock${lock}`);
  expect(await south.comanda('locations', 'import', exported)).toMatchObject(
    refused('Another import is under way'),
  );
  expect(await move(...loading('true'))).toMatchObject(refused('Another import is under way'));
  await south.sql(`select pg_advisory_unlock${lock}`);
});

it('doctor reports a forgotten move', async () => {
  const look = async () => {
    const { stdout } = await north.comanda('doctor', '--json');
    const { checks } = JSON.parse(stdout) as { checks: { name: string; outcome: string; found: string }[] };
    return checks.find(({ name }) => name === 'moves');
  };
  expect(await look()).toMatchObject({ outcome: 'ok', found: 'none under way' });
  await begun();
  expect(await look()).toMatchObject({ outcome: 'ok', found: expect.stringContaining('1 move under way') });
  await north.sql(`update internal.location_moves set step_at = now() - interval '6 minutes'`);
  expect(await look()).toMatchObject({
    outcome: 'warning',
    found: expect.stringContaining(`${bar.id} to cell south is at the step drain for 6 min`),
    advice: expect.stringContaining('--abort'),
  });
  expect(await move('--abort')).toMatchObject(ok);
});

it('what is changed while the proxies load the map is said', async () => {
  const moved = await openRestaurant(north, 'Bar Dos');
  await begun(moved);
  const go = join(folder.path, 'go');
  const reload = `while [ ! -f '${go}' ]; do sleep 0.05; done`;
  const options = ['--to', 'south', '--cells', cells.file, ...loading(reload)];
  const going = await north.begin('map: while', 'locations', 'move', moved.id, ...options);
  await hand.sql(`update api_keys set name = 'renamed' where location_id = $1`, [moved.id]);
  writeFileSync(go, '');
  expect(await going.ended, going.said()).toBe(0);
  expect(going.said()).toContain('was changed here after its export');
  expect(going.said()).toContain('do it again in cell south');
  expect([await statusAt(north, moved), await statusAt(south, moved)]).toEqual(['disabled', 'active']);
});
