import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { rememberMoved } from '../../../packages/api/src/resources/locations/status.store.ts';
import { useApi } from '../../../tests/support/api.ts';
import { callComanda } from '../../../tests/support/command.ts';
import { useDatabase, useTestDatabase } from '../../../tests/support/database.ts';
import { createLocation } from '../../../tests/support/factories.ts';
import { prismaOf } from '../../../tests/support/prisma.ts';
import { type Cell, readCells } from '../src/cells/file.ts';
import { mapCells, mapForms } from '../src/cells/map.ts';

const api = useApi();
const other = useTestDatabase();
const south = useDatabase(other);
const folder = mkdtempSync(join(tmpdir(), 'comanda-cells-'));
const path = join(folder, 'cells.json');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const write = (...cells: object[]) => writeFileSync(path, JSON.stringify({ cells }));
const northCell = () => ({ name: 'north', default: true, origin: api.url, database_url: api.databaseUrl });
const southCell = { name: 'south', origin: 'http://127.0.0.1:1/', database_url_file: 'south.url' };
let cells: Cell[] = [];

beforeAll(() => writeFileSync(join(folder, 'south.url'), `${other.url}\n`));
beforeEach(async () => {
  write(northCell(), southCell);
  cells = await readCells(path);
});

const made = async (database: typeof south, name = 'Bar') => {
  const id = await createLocation(database, { name });
  return prismaOf(database).location.findUniqueOrThrow({ where: { id }, select: { id: true, code: true } });
};
/** The same location in the other cell, as an import leaves it. */
const copied = ({ id, code }: { id: string; code: string }, status = 'disabled') =>
  south.pool.query(
    'insert into locations (id, code, name, status) values ($1, $2, $3, $4::location_status)',
    [id, code, 'Bar', status],
  );
const set = (database: typeof south, id: string, status: string) =>
  database.pool.query('update locations set status = $2::location_status where id = $1', [id, status]);

it('a map names the cell of every location, and is printed for HAProxy, nginx and programs', async () => {
  const [here, there] = [await made(api.app.database), await made(south)];
  const map = await mapCells(cells);
  expect(map.get(here.code)).toBe('north');
  expect(map.get(there.code)).toBe('south');
  expect([...map.keys()]).toEqual([...map.keys()].sort());
  expect(mapForms.haproxy(map).split('\n')).toContain(`${there.code} south`);
  expect(mapForms.nginx(map).split('\n')).toContain(`${there.code} south;`);
  expect(JSON.parse(mapForms.json(map))).toEqual(Object.fromEntries(map));
});

it('a location that moves belongs to the cell that answers its reads, and is never in two', async () => {
  const at = await made(api.app.database);
  const cellOf = async () => (await mapCells(cells)).get(at.code);
  await set(api.app.database, at.id, 'read_only');
  await copied(at);
  expect(await cellOf()).toBe('north');
  await set(south, at.id, 'active');
  await expect(cellOf()).rejects.toThrow(
    `the location ${at.code} is in north (location ${at.id}) and south (location ${at.id}), and both answer`,
  );
  await set(api.app.database, at.id, 'disabled');
  expect(await cellOf()).toBe('south');
  await set(south, at.id, 'disabled');
  await expect(cellOf()).rejects.toThrow('neither answers');
  await rememberMoved(api.app.database, at, 'south');
  expect(await cellOf()).toBe('south');
  await prismaOf(south).location.delete({ where: { id: at.id } });
  await expect(cellOf()).rejects.toThrow(`the location ${at.code} left north`);
  await api.prisma.location.delete({ where: { id: at.id } });
  expect(await cellOf()).toBeUndefined();
});

it('two locations with one code are reported as such, with both cells', async () => {
  const at = await made(api.app.database);
  const insert = 'insert into locations (code, name) values ($1, $2) returning id';
  const [{ id } = { id: '' }] = (await south.pool.query(insert, [at.code, 'Bar'])).rows;
  await expect(mapCells(cells)).rejects.toThrow(
    `the code ${at.code} is that of two locations, in north (location ${at.id}) and south (location ${id})`,
  );
  await prismaOf(south).location.delete({ where: { id } });
});

it('a cell that cannot be asked is named, and no map is printed without it', async () => {
  const gone = new URL(other.url);
  gone.pathname = '/comanda_gone';
  write(northCell(), { ...southCell, database_url_file: undefined, database_url: gone.href });
  await expect(mapCells(await readCells(path))).rejects.toThrow('cell south cannot be asked');
});

it('by the command a map is written at once, and only when it changed', async () => {
  const output = join(folder, 'cells.map');
  const run = () =>
    callComanda({}, 'cells', 'map', '--cells', path, '--for', 'haproxy', '--output', output, '--json');
  const first = await run();
  expect(first.code, first.stderr).toBe(0);
  expect(JSON.parse(first.stdout)).toMatchObject({ output, changed: true });
  expect(JSON.parse((await run()).stdout)).toMatchObject({ changed: false });
  const { code } = await made(south);
  expect(JSON.parse((await run()).stdout)).toMatchObject({ changed: true });
  expect(readFileSync(output, 'utf8')).toBe(mapForms.haproxy(await mapCells(cells)));
  expect(readFileSync(output, 'utf8')).toContain(`\n${code} south\n`);
  expect(readdirSync(folder).filter((name) => name.endsWith('.part'))).toEqual([]);
  const printed = await callComanda({}, 'cells', 'map', '--cells', path, '--for', 'haproxy');
  expect(printed.stdout).toBe(readFileSync(output, 'utf8'));
  const refused = await callComanda({}, 'cells', 'map', '--cells', path, '--for', 'apache');
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('haproxy, nginx, json')]);
});

it('by the command every cell says how it does, and one that is away makes it fail', async () => {
  const { code, stdout } = await callComanda({}, 'cells', 'check', '--cells', path, '--json');
  expect(code).toBe(1);
  expect(JSON.parse(stdout)).toEqual([
    expect.objectContaining({ name: 'north', default: true, database: 'ok', locations: expect.any(Number) }),
    expect.objectContaining({ name: 'south', origin: 'http://127.0.0.1:1', database: 'ok' }),
  ]);
  expect(JSON.parse(stdout)[1].api).toMatch(/ECONNREFUSED|bad port/);
});

const one = { name: 'a', default: true, origin: 'http://a' };
const anotherUrl = { database_url: 'postgresql://a@b/c' };
it.each<[string, object[] | string, string]>([
  [
    'without a default cell',
    [{ ...southCell, ...anotherUrl, database_url_file: undefined }],
    '"default": true',
  ],
  ['with two of a name', [{ ...southCell, default: true }, southCell], 'a name each'],
  ['with a cell without a database', [{ ...one }], 'cell a: database_url: must be set'],
  ['with a URL that is none', [{ ...one, database_url: 'x:secret' }], 'cell a: database_url: must be a URL'],
  ['with a file that is not there', [{ ...one, database_url_file: 'none' }], 'database_url_file: '],
  ['with both', [{ ...one, ...anotherUrl, database_url_file: 'south.url' }], 'database_url is set as well'],
  ['with a word that is unknown', [{ ...one, databaseUrl: 'x' }], 'cells[0]'],
  ['that is not JSON', '{', 'is not JSON'],
])('a file %s is refused, and says why without a secret', async (_, content, said) => {
  if (typeof content === 'string') writeFileSync(path, content);
  else write(...content);
  const fault = await readCells(path).catch((error: Error) => error.message);
  expect(fault).toContain(said);
  expect(fault).not.toContain('secret');
});
