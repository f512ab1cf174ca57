import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { createClient } from '@comanda/client';
import { type ProcedureOutput, startComanda, type TestComanda, type TestLocation } from '@comanda/testing';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { repositoryRoot } from '../../packages/db/src/root.ts';
import { type Between, pass, standBetween } from '../client/between.ts';
import { buildInto, compile, install, makeFolder } from '../client/outside.ts';
import { operations } from '../support/documented.ts';
import { run } from '../support/runtimes.ts';
import { waitFor } from '../support/wait.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 240_000 });

type Order = ProcedureOutput<'orders.get'>;

const built = makeFolder();
const folder = makeFolder();
const sources = [
  'erp-sync/erp-sync.ts',
  ...['front', 'procedures', 'express', 'next-route'].map((name) => `server-in-front/${name}.ts`),
];
const processes = new Set<ChildProcess>();
let comanda: TestComanda;

beforeAll(async () => {
  [comanda] = await Promise.all([startComanda({ cacheDir: join(folder, 'cache') }), buildInto(built)]);
  await install(built, folder);
  for (const name of ['express', '@types/node', '@types/express']) {
    mkdirSync(dirname(join(folder, 'node_modules', name)), { recursive: true });
    symlinkSync(join(repositoryRoot, 'node_modules', name), join(folder, 'node_modules', name));
  }
  for (const path of sources)
    copyFileSync(join(repositoryRoot, 'examples', path), join(folder, path.split('/')[1] ?? ''));
  expect(
    await compile(
      folder,
      sources.map((path) => path.split('/')[1] ?? ''),
      strictest,
    ),
  ).toEqual([]);
});
afterAll(async () => {
  for (const child of processes) child.kill('SIGKILL');
  await comanda?.stop();
  for (const made of [built, folder]) rmSync(made, { recursive: true, force: true });
});

/** As strict as the compiler gets. */
const strictest = {
  ...{ types: ['node'], rewriteRelativeImportExtensions: true, exactOptionalPropertyTypes: true },
  ...{ noUncheckedIndexedAccess: true, noPropertyAccessFromIndexSignature: true, noImplicitReturns: true },
  ...{ noFallthroughCasesInSwitch: true, verbatimModuleSyntax: true, isolatedModules: true },
  // Not ours: those of Express.
  skipLibCheck: true,
};

/** Starts a compiled example; its output stands in that of the tests when it fails. */
function start(name: string, args: string[], env: Record<string, string>): ChildProcess {
  const child = spawn(process.execPath, [join(folder, 'out', `${name}.js`), ...args], {
    cwd: folder,
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  processes.add(child);
  child.once('exit', () => processes.delete(child));
  return child;
}

describe('the example for an ERP', () => {
  const erp = join(folder, 'erp');
  const orders = () => (existsSync(join(erp, 'orders')) ? readdirSync(join(erp, 'orders')) : []);
  const kept = (order: Order) =>
    JSON.parse(readFileSync(join(erp, 'orders', `${order.number}.json`), 'utf8'));
  let kitchen: TestLocation;
  let between: Between;
  let sync: ChildProcess;

  const place = (name: string): Promise<Order> =>
    kitchen.client.orders.create.mutate({
      ...{ idempotencyKey: name, external_id: name, is_take_away: true, identifier: '' },
      payment_method_id: kitchen.paymentMethods.cash,
      items: [{ product_id: kitchen.product('DR-03').id, quantity: 1 }],
    });
  const change = (name: string, price: number, quantity: number) => {
    const items = [{ external_id: 'DR-03', name: 'Still water 500 ml', price, quantity }];
    mkdirSync(join(erp, 'changes'), { recursive: true });
    writeFileSync(join(erp, 'changes', `${name}.json`), JSON.stringify(items));
  };
  const begin = () => {
    sync = start('erp-sync', [erp], { COMANDA_URL: between.url, COMANDA_KEY: kitchen.key });
  };

  beforeAll(async () => {
    kitchen = await comanda.newLocation();
    between = await standBetween(comanda.url);
  });
  afterAll(() => between.close());

  it('has every order as it is, and every change once, though it was killed when a job had begun', async () => {
    const before = [await place('one'), await place('two')];
    change('001', 95, 300);
    // The job is made; whoever asked for it is gone before it hears of it.
    let killed = false;
    between.usual = async (passing) => {
      if (!killed && passing.request.url?.startsWith('/trpc/syncJobs.startProducts')) {
        killed = true;
        await (await passing.forward()).text();
        sync.kill('SIGKILL');
        passing.request.socket.destroy();
      } else await pass()(passing);
    };
    begin();
    await once(sync, 'exit');
    expect(killed).toBe(true);
    expect(readdirSync(join(erp, 'changes'))).toEqual(['001.json']);

    const meanwhile = await place('three');
    await kitchen.client.orders.updateStatus.mutate({ id: before[0]?.id ?? '', status: 'ready' });
    change('002', 99, 250);
    begin();
    await waitFor('all orders', () => orders().filter((name) => name.endsWith('.json')).length === 3);
    await waitFor('the changes', () => readdirSync(join(erp, 'changes')).length === 0);
    await waitFor('the move', () => before[0] !== undefined && kept(before[0]).status === 'ready');
    expect(kept(meanwhile)).toEqual(await kitchen.client.orders.get.query({ id: meanwhile.id }));

    const water = await kitchen.client.products.get.query({ id: kitchen.product('DR-03').id });
    expect([water.price, water.stock.quantity]).toEqual([99, 250]);
    const jobs = (await kitchen.client.syncJobs.list.query()).data.map(({ status }) => status);
    expect(jobs).toEqual(['completed', 'completed']);

    sync.kill('SIGTERM');
    expect(await once(sync, 'exit')).toEqual([0, null]);
  });
});

describe('a server in front', () => {
  const keptByServer = 'kept-by-the-server';
  let kitchen: TestLocation;
  let url: string;
  let env: Record<string, string>;

  beforeAll(async () => {
    kitchen = await comanda.newLocation({
      catalog: 'none',
      permissions: ['orders:read', 'orders:write', 'events:read'],
    });
    env = { COMANDA_URL: comanda.url, COMANDA_KEY: kitchen.key };
    url = await begin(env);
  });

  const begin = async (settings: Record<string, string>): Promise<string> => {
    const { stdout } = start('express', [], { ...settings, PORT: '0' });
    if (stdout === null) throw new Error('it has no output');
    const [line] = await once(stdout, 'data');
    return String(line).trim();
  };
  const ask = async (path: string, request: RequestInit = {}) => {
    const answer = await fetch(`${url}${path}`, request);
    const text = JSON.stringify([...answer.headers]) + (await answer.text());
    expect(text).not.toContain(kitchen.key);
    return answer.status;
  };
  const json = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' };

  it('allows procedures that there are', async () => {
    const { allowed } = (await import('../../examples/server-in-front/procedures.ts')) as {
      allowed: string[];
    };
    const names = operations.map(({ name }) => name);
    expect(allowed.filter((name) => !names.includes(name))).toEqual([]);
  });

  it('answers the typed client, alone and in a batch, which holds no key', async () => {
    const client = createClient({ url: `${url}/comanda`, key: keptByServer });
    const [orders, events] = await Promise.all([client.orders.list.query(), client.events.list.query()]);
    expect([orders.data, events.data]).toEqual([[], []]);
    await expect(client.orders.updateStatus.mutate({ id: 'nothing', status: 'ready' })).rejects.toMatchObject(
      {
        data: { reason: 'not_found' },
      },
    );
  });

  it.each([
    ['an operation that is not listed', '/comanda/trpc/keys.create', json],
    ['one among a batch', '/comanda/trpc/orders.list,keys.list?batch=1&input={}', {}],
    ['one in other letters', '/comanda/trpc/keys%2Ecreate', json],
    ['one behind an encoded comma', '/comanda/trpc/orders.list%2Ckeys.list?batch=1&input={}', {}],
    ['a path out of it', '/comanda/trpc/..%2Fv2%2Fkeys', {}],
    ['a path out of it, encoded twice', '/comanda/trpc/..%252Fv2%252Fkeys', {}],
    ['nothing', '/comanda/trpc/', {}],
    ['what nobody encodes so', '/comanda/trpc/%zz', {}],
  ])('refuses %s', async (_, path, request) => {
    expect(await ask(path, request)).toBe(403);
    await expect(
      createClient({ url: `${url}/comanda`, key: keptByServer }).keys.list.query(),
    ).rejects.toThrow();
  });

  it('takes a change as JSON alone, which a page of another origin cannot send unasked', async () => {
    const form = { method: 'POST', headers: { 'content-type': 'text/plain' }, body: '{}' };
    expect(await ask('/comanda/trpc/orders.updateStatus', form)).toBe(415);
  });

  it('never shows its key, whatever is asked', async () => {
    const statuses = [
      await ask('/comanda/trpc/orders.list?input={"limit":0}'),
      await ask('/comanda/trpc/orders.get?input=nonsense'),
      await ask('/comanda/trpc/orders.updateStatus', json),
      await ask('/elsewhere'),
    ];
    expect(statuses.every((status) => status >= 400)).toBe(true);
  });

  it('says that the service is away', async () => {
    const alone = await begin({ ...env, COMANDA_URL: 'http://127.0.0.1:9' });
    const client = createClient({ url: `${alone}/comanda`, key: keptByServer, retries: 0 });
    await expect(client.orders.list.query()).rejects.toThrow();
    expect((await fetch(`${alone}/comanda/trpc/orders.list`)).status).toBe(503);
  });

  it('is the handler of a route in Next.js, too', async () => {
    writeFileSync(
      join(folder, 'route-type.ts'),
      `import * as route from './next-route.ts';
       type Handler = (request: Request, context: { params: Promise<{ procedures: string }> }) => Promise<Response>;
       export const checked: { GET: Handler; POST: Handler } = route;`,
    );
    expect(
      await compile(folder, ['route-type.ts'], { ...strictest, noEmit: true, outDir: undefined }),
    ).toEqual([]);
    const script = `import { GET, POST } from './out/next-route.js';
      const at = (path, more) => new Request('https://app.example.com/comanda/trpc/' + path, more);
      const ok = await GET(at('orders.list'));
      console.log(ok.status, (await ok.json()).result.data.data.length);
      console.log((await POST(at('keys.create', { method: 'POST', body: '{}' }))).status);`;
    const args = ['--input-type=module', '--eval', script];
    const { stdout, stderr } = await run(process.execPath, args, { env, cwd: folder });
    expect({ stdout, stderr }).toEqual({ stdout: '200 0\n403\n', stderr: '' });
  });
});
