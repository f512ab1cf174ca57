import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { Agent } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { issueCode } from '@comanda/api/services';
import { createClient } from '@comanda/client';
import { type Database, openDatabase } from '@comanda/db';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { repositoryRoot } from '../../packages/db/src/root.ts';
import { runComanda } from '../support/command.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { createKey, createLocation, keyWithoutCode } from '../support/factories.ts';
import { prismaOf } from '../support/prisma.ts';
import { startProcess, type TestProcess } from '../support/processes.ts';
import { roleUrl } from '../support/roles.ts';
import { waitFor } from '../support/wait.ts';
import { makeProduct } from './load.ts';
import { type FrontProxy, type proxies, runProxy } from './proxies.ts';

// The files of ops/haproxy and ops/nginx before two cells: two databases, each with processes of its own.

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

interface Running {
  database: TestDatabase;
  opened: Database;
  api: TestProcess;
  worker: TestProcess;
}

const encryptionKey = randomBytes(32).toString('base64');
const folder = mkdtempSync(join(tmpdir(), 'comanda-cells-'));
const cellsFile = join(folder, 'cells.json');
let north: Running;
let south: Running;

async function startCell(): Promise<Running> {
  const database = await createTestDatabase();
  const env = {
    DATABASE_URL: database.url,
    ENCRYPTION_KEY: encryptionKey,
    WEBHOOK_TARGETS: 'any',
    APP: 'on',
  };
  const [api, worker] = await Promise.all([
    startProcess({ entry: 'api', env }),
    startProcess({ entry: 'worker', env }),
  ]);
  return { database, opened: openDatabase({ url: database.url }), api, worker };
}

beforeAll(async () => {
  [north, south] = await Promise.all([startCell(), startCell()]);
  const cells = Object.entries({ north, south }).map(([name, { database, api }]) => ({
    name,
    default: name === 'north',
    origin: api.url,
    database_url: database.url,
    database_owner_url: roleUrl(database.url, 'owner'),
    encryption_key: encryptionKey,
  }));
  writeFileSync(cellsFile, JSON.stringify({ cells }));
});
afterAll(async () => {
  for (const cell of [north, south]) {
    await Promise.all([cell?.api.stop(), cell?.worker.stop(), cell?.opened.close()]);
    await cell?.database.drop();
  }
  rmSync(folder, { recursive: true, force: true });
});

/** A location with a key. */
async function made({ opened }: Running) {
  const locationId = await createLocation(opened);
  const { id: keyId, key } = await createKey(opened, { locationId, perMinute: 1_000_000 });
  const at = await prismaOf(opened).location.findUniqueOrThrow({ where: { id: locationId } });
  return { ...at, keyId, key };
}

const productsIn = async ({ opened }: Running, ids: readonly string[]) =>
  prismaOf(opened).product.count({ where: { id: { in: [...ids] } } });

const files = { HAProxy: ['haproxy/cells.cfg', 'haproxy'], nginx: ['nginx/cells.conf', 'nginx'] } as const;

describe.each(Object.keys(files) as (keyof typeof proxies)[])('behind %s', (name) => {
  const [file, form] = files[name];
  const map = join(folder, `${form}.map`);
  let proxy: FrontProxy;

  /** Writes the map again, as an operator does. */
  async function writeMap(): Promise<{ changed: boolean }> {
    const argv = ['--cells', cellsFile, '--for', form, '--output', map, '--json'];
    const { stdout, stderr, code } = await runComanda({}, 'cells', 'map', ...argv);
    expect(code, stderr).toBe(0);
    return JSON.parse(stdout);
  }
  const ask = (key: string | undefined, path = '/v2/products') =>
    fetch(proxy.url + path, { headers: key === undefined ? {} : { authorization: `Bearer ${key}` } });
  const servedBy = (key: string) =>
    waitFor('the key to be known', async () => (await ask(key)).status === 200);

  beforeAll(async () => {
    await writeMap();
    const addresses = [north, north, south, south].map(({ api }) => new URL(api.url ?? '').host);
    const settings = readFileSync(join(repositoryRoot, 'ops', file), 'utf8')
      .replace(/127\.0\.0\.1:300([1-4])/g, (_, n: string) => addresses[Number(n) - 1] ?? '')
      .replace(/\/etc\/\w+\/cells\.map/, map);
    proxy = await runProxy(name, settings);
  });
  afterAll(() => proxy?.stop());

  it('a key leads to its cell after map and reload; what has no code goes to the default cell', async () => {
    const [here, there] = [await made(north), await made(south)];
    expect((await ask(here.key)).status).toBe(200);
    // The default cell does not know it.
    expect((await ask(there.key)).status).toBe(401);
    expect(await writeMap()).toMatchObject({ changed: true });
    proxy.reload();
    await servedBy(there.key);
    const [first, second] = [await makeProduct(proxy.url, here.key), await makeProduct(proxy.url, there.key)];
    expect([first.failed, second.failed]).toEqual([undefined, undefined]);
    expect(await productsIn(north, [first.id ?? ''])).toBe(1);
    expect(await productsIn(south, [second.id ?? ''])).toBe(1);
    expect((await ask(await keyWithoutCode(north.opened, here.id))).status).toBe(200);
    // Of another cell than the default one a key of the first form is not found: it has to be rotated before.
    expect((await ask(await keyWithoutCode(south.opened, there.id))).status).toBe(401);
    for (const path of ['/docs', '/app', '/healthz', '/openapi-v2.json'])
      expect((await ask(undefined, path)).status, path).toBe(200);
    expect((await ask(undefined)).status).toBe(401);
    // The typed client and the stream go where the key leads.
    const client = createClient({ url: proxy.url, key: there.key });
    expect(await client.locations.getCurrent.query()).toMatchObject({ id: there.id });
    const ending = new AbortController();
    const seen: string[] = [];
    const states: string[] = [];
    const watching = (async () => {
      const onState = ({ status }: { status: string }) => states.push(status);
      for await (const { type } of client.events.watch({}, { signal: ending.signal, onState }))
        seen.push(type);
    })();
    await waitFor('the stream', () => states.at(-1) === 'live');
    await makeProduct(proxy.url, there.key);
    await waitFor('the event', () => seen.includes('product.created'));
    ending.abort();
    await watching;
  });

  it('a code of the app leads to its cell', async () => {
    const there = await made(south);
    await writeMap();
    proxy.reload();
    await servedBy(there.key);
    const { code } = await issueCode(south.opened, { location_id: there.id });
    // As the app does it (packages/app/src/frame/session.ts).
    const key = `cmd_app_${code.slice(0, 8)}_`;
    const client = createClient({ url: proxy.url, key, retries: 0 });
    const { location } = await client.appCodes.redeem.mutate({ code });
    expect(location.id).toBe(there.id);
  });

  it('reloads under load lose no request, and each goes to its cell', async () => {
    const [here, there] = [await made(north), await made(south)];
    await writeMap();
    proxy.reload();
    await servedBy(there.key);
    const results = { north: [] as string[], south: [] as string[] };
    const failures: string[] = [];
    let isMaking = true;
    const lane = async (cell: keyof typeof results, key: string, keepAlive: boolean) => {
      const agent = new Agent({ keepAlive, maxSockets: 1 });
      while (isMaking) {
        const { id, failed } = await makeProduct(proxy.url, key, agent);
        if (failed === undefined) results[cell].push(id ?? '');
        else failures.push(`${cell}, ${keepAlive ? 'kept' : 'new'} connection: ${failed}`);
      }
      agent.destroy();
    };
    // nginx closes connections that rest when it reloads: a client that sends a request at that moment repeats it.
    const kinds = [false, false, ...(name === 'HAProxy' ? [true, true, true, true] : [])];
    const lanes = Promise.all(
      kinds.flatMap((keepAlive) => [lane('north', here.key, keepAlive), lane('south', there.key, keepAlive)]),
    );
    for (let round = 0; round < 4; round += 1) {
      const before = results.north.length + results.south.length;
      await waitFor('requests', () => results.north.length + results.south.length > before + 60);
      const added = await made(south);
      expect(await writeMap()).toMatchObject({ changed: true });
      proxy.reload();
      await servedBy(added.key);
    }
    isMaking = false;
    await lanes;
    expect(failures).toEqual([]);
    for (const [cell, ids] of [
      [north, results.north],
      [south, results.south],
    ] as const) {
      expect(ids.length).toBeGreaterThan(50);
      expect(await productsIn(cell, ids)).toBe(ids.length);
    }
  });

  it('no client can read the metrics of the default cell', async () => {
    for (const path of ['/metrics', '/metrics?x=1', '/metrics/', '//metrics', '/%6Detrics'])
      expect((await ask(undefined, path)).status, path).toBe(404);
  });

  it('a location whose callers go on calling moves to the other cell, and none of them has to know', async () => {
    const at = await made(north);
    await writeMap();
    proxy.reload();
    await servedBy(at.key);
    // It waits as Retry-After says, and knows of no cells.
    const client = createClient({ url: proxy.url, key: at.key, retries: 100, timeoutMs: 150_000 });
    const acknowledged: string[] = [];
    const failures = new Set<string>();
    let isCalling = true;
    const lane = async () => {
      while (isCalling) {
        const input = { name: randomUUID(), priority: 1, visible: true };
        await client.categories.create.mutate(input).then(
          ({ id }) => acknowledged.push(id),
          (error: unknown) => failures.add(String(error)),
        );
      }
    };
    const lanes = Promise.all([lane(), lane(), lane()]);
    const more = (count: number, from = acknowledged.length) =>
      waitFor('acknowledged writes', () => acknowledged.length >= from + count, { timeoutMs: 60_000 });
    await more(20);
    const settings = {
      DATABASE_URL: north.database.url,
      ENCRYPTION_KEY: encryptionKey,
      DATABASE_OWNER_URL: roleUrl(north.database.url, 'owner'),
    };
    const { code, stdout, stderr } = await runComanda(
      settings,
      ...['locations', 'move', at.id, '--to', 'south', '--cells', cellsFile, '--folder', join(folder, at.id)],
      ...['--map', map, '--for', form, '--reload', proxy.reloadCommand],
    );
    expect(code, stdout + stderr).toBe(0);
    process.stdout.write(`behind ${name} a location moved:\n${stdout}`);
    await more(20);
    isCalling = false;
    await lanes;
    expect([...failures]).toEqual([]);
    const where = { locationId: at.id, id: { in: acknowledged } };
    expect(await prismaOf(south.opened).category.count({ where })).toBe(acknowledged.length);
    // The rows left behind there are from before the move: nothing was written after it.
    expect(await prismaOf(north.opened).category.count({ where })).toBeLessThan(acknowledged.length);
    // A client that still calls the old cell is asked to retry.
    const late = await fetch(`${north.api.url}/v2/products`, {
      headers: { authorization: `Bearer ${at.key}` },
    });
    expect([late.status, late.headers.get('x-error-reason')]).toEqual([503, 'moved']);
  });
});
