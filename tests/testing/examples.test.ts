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
import { comandaError, createClient, type WatchState } from '@comanda/client';
import { type ProcedureOutput, startComanda, type TestComanda, type TestLocation } from '@comanda/testing';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { exampleMenu } from '../../packages/api/src/examples.ts';
import { repositoryRoot } from '../../packages/db/src/root.ts';
import { type Between, pass, standBetween } from '../client/between.ts';
import { buildInto, compile, install, makeFolder } from '../client/outside.ts';
import { waitFor } from '../support/wait.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 240_000 });

type Order = ProcedureOutput<'orders.get'>;

const built = makeFolder();
const folder = makeFolder();
const sources = [
  'erp-sync/erp-sync.ts',
  ...['access', 'express', 'node'].map((name) => `server-in-front/${name}.ts`),
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
  types: ['node'],
  rewriteRelativeImportExtensions: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  noImplicitReturns: true,
  noFallthroughCasesInSwitch: true,
  verbatimModuleSyntax: true,
  isolatedModules: true,
  // Not ours: those of Express.
  skipLibCheck: true,
};

/** Starts a compiled example; its output is in that of the tests when it fails. */
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

it('the example of a products job, as an editor shows it, ends with every item of it', async () => {
  const { client } = await comanda.newLocation();
  const shown = readFileSync(join(folder, 'node_modules/@comanda/client/index.d.ts'), 'utf8');
  const [, lines = ''] =
    /@example\n((?: *\* [^\n]*\n)*? *\* await comanda\.syncJobs\.startProducts[\s\S]*?)\n *\*\//.exec(
      shown,
    ) ?? [];
  const example = lines.replaceAll(/^ *\* ?/gm, '');
  expect(example).not.toContain('order');
  const run = new Function('comanda', `return (async () => { return ${example} })()`);
  const { job_id } = (await run(client)) as ProcedureOutput<'syncJobs.startProducts'>;
  const job = () => client.syncJobs.get.query({ id: job_id });
  await waitFor('the job', async () => (await job()).status === 'completed');
  expect(await job()).toMatchObject({ total_items: 2, success_items: 2, failed_items: 0 });
  const { data } = await client.products.list.query({ search: 'SKU-100' });
  const { cortado, lungo } = exampleMenu;
  expect(data.map(({ name, price }) => ({ name, price }))).toEqual(
    expect.arrayContaining([cortado, lungo].map(({ name, price }) => ({ name, price }))),
  );
  expect(data).toHaveLength(2);
});

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
      idempotencyKey: name,
      external_id: name,
      is_take_away: true,
      identifier: '',
      payment_method_id: kitchen.paymentMethods.cash,
      items: [{ product_id: kitchen.product('DR-03').id, quantity: 1 }],
    });
  const change = (name: string, price: number, moved: number) => {
    const items = [{ external_id: 'DR-03', name: 'Still water 500 ml', price, moved }];
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
    const read = () => kitchen.client.products.get.query({ id: kitchen.product('DR-03').id });
    const begun = (await read()).stock.quantity;
    const before = [await place('one'), await place('two')];
    change('001', 95, 300);
    // The job is made; its caller is gone before the answer arrives.
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
    change('002', 99, -50);
    begin();
    await waitFor('all orders', () => orders().filter((name) => name.endsWith('.json')).length === 3);
    await waitFor('the changes', () => readdirSync(join(erp, 'changes')).length === 0);
    await waitFor('the move', () => before[0] !== undefined && kept(before[0]).status === 'ready');
    expect(kept(meanwhile)).toEqual(await kitchen.client.orders.get.query({ id: meanwhile.id }));

    const water = await read();
    // Less the three that were sold, before and between the files.
    expect([water.price, water.stock.quantity]).toEqual([99, begun + 300 - 50 - 3]);
    const jobs = (await kitchen.client.syncJobs.list.query()).data.map(({ status }) => status);
    expect(jobs).toEqual(['completed', 'completed']);

    sync.kill('SIGTERM');
    expect(await once(sync, 'exit')).toEqual([0, null]);
  });
});

describe.each(['express', 'node'])('a server in front, as shown for %s,', (name) => {
  let kitchen: TestLocation;
  let url: string;
  const sessions = 'ana,bo';

  beforeAll(async () => {
    kitchen = await comanda.newLocation({
      catalog: 'none',
      permissions: ['orders:read', 'orders:write', 'events:read'],
    });
    url = await begin({ COMANDA_URL: comanda.url, COMANDA_KEY: kitchen.key, SESSIONS: sessions });
  });

  const begin = async (settings: Record<string, string>): Promise<string> => {
    const { stdout } = start(name, [], { ...settings, PORT: '0' });
    if (stdout === null) throw new Error('it has no output');
    let said = '';
    for await (const piece of stdout) {
      said += piece;
      const [, port] = /port: (\d+)/.exec(said) ?? [];
      if (port !== undefined) return `http://127.0.0.1:${port}/comanda`;
    }
    throw new Error(`it ended: ${said}`);
  };
  const as = (session: string, base = url) =>
    createClient({
      url: base,
      key: 'kept-by-the-server',
      retries: 0,
      fetch: (input, init) =>
        fetch(input, {
          ...init,
          headers: { ...init?.headers, cookie: `theme=dark; session=${session}` },
        } as RequestInit),
    });
  const reasonOf = (call: Promise<unknown>) =>
    call.then(
      () => 'none',
      (error: unknown) => comandaError(error)?.reason,
    );

  it('answers who is signed in what the board asks for, and brings the events', async () => {
    const board = as('bo');
    const gone = new AbortController();
    const cursors: string[] = [];
    const onState = (state: WatchState) => state.status === 'live' && cursors.push(state.cursor);
    const watching = (async () => {
      for await (const _ of board.events.watch({}, { signal: gone.signal, onState }));
    })();
    await waitFor('it to be live', () => cursors.length > 0);
    const [orders, payments] = await Promise.all([
      board.orders.list.query(),
      reasonOf(board.payments.list.query()),
    ]);
    expect([orders.data, payments]).toEqual([[], 'front_not_allowed']);
    expect(await reasonOf(board.orders.updateStatus.mutate({ id: 'nothing', status: 'ready' }))).toBe(
      'not_found',
    );
    gone.abort();
    await watching;
  });

  it('refuses who is not signed in', async () => {
    expect(await reasonOf(as('eve').orders.list.query())).toBe('front_signed_out');
  });

  it('starts without its settings, and says at a request that they are missing', async () => {
    const bare = await begin({ SESSIONS: sessions });
    expect(await reasonOf(as('ana', bare).orders.list.query())).toBe('front_not_set_up');
  });
});
