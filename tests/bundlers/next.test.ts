import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type ComandaClient, comandaError, createClient, type WatchState } from '@comanda/client';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { repositoryRoot } from '../../packages/db/src/root.ts';
import { buildInto, compile, makeFolder, unpackInto } from '../client/outside.ts';
import { usePublishingApi } from '../support/published.ts';
import { waitFor } from '../support/wait.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 400_000 });

const run = promisify(execFile);
const api = usePublishingApi();
const tools = join(repositoryRoot, 'tests/bundlers/next');
const next = join(tools, 'node_modules/next/dist/bin/next');
const examples = join(repositoryRoot, 'examples/server-in-front');
// Below what is installed: Turbopack follows no link out of its root.
const folder = join(tools, 'dist', `app-${process.pid}`);
const route = join(folder, 'app/comanda/[...path]');
// Apart from the application, whose build would compile them with its own options.
const servers = join(tools, 'dist', `servers-${process.pid}`);
const built = makeFolder();
const env = {
  PATH: process.env.PATH,
  HOME: folder,
  NEXT_TELEMETRY_DISABLED: '1',
  NODE_ENV: 'production',
} as const;
let server: ChildProcess | undefined;

const page = `'use client';
  import { createClient } from '@comanda/client';
  const show = () => createClient({ url: location.origin + '/comanda', key: 'kept-by-the-server' }).orders.list.query();
  export default function Page() {
    return <button onClick={show}>Orders</button>;
  }`;
const layout = `
  export default function Layout({ children }: { children: React.ReactNode }) {
    return <html lang="en"><body>{children}</body></html>;
  }`;

beforeAll(async () => {
  await buildInto(built);
  for (const made of [route, servers]) mkdirSync(made, { recursive: true });
  for (const user of [folder, servers]) await unpackInto(built, user);
  copyFileSync(join(examples, 'next-route.ts'), join(route, 'route.ts'));
  copyFileSync(join(examples, 'access.ts'), join(route, 'access.ts'));
  for (const name of ['access', 'express', 'hono', 'node'])
    copyFileSync(join(examples, `${name}.ts`), join(servers, `${name}.ts`));
  writeFileSync(join(folder, 'app/page.tsx'), page);
  writeFileSync(join(folder, 'app/layout.tsx'), layout);
  writeFileSync(join(folder, 'package.json'), '{"name":"app","private":true,"type":"module"}');
  writeFileSync(
    join(folder, 'next.config.mjs'),
    `export default { turbopack: { root: ${JSON.stringify(tools)} } };`,
  );
  const began = performance.now();
  await run(process.execPath, [next, 'build'], { cwd: folder, env }).catch((error: { stdout: string }) => {
    throw new Error(`next build failed:\n${error.stdout}`);
  });
  console.log(`next build: ${((performance.now() - began) / 1_000).toFixed(1)} s`);
});
afterAll(async () => {
  if (server !== undefined && server.exitCode === null) {
    server.kill('SIGTERM');
    await once(server, 'exit');
  }
  for (const made of [built, folder, servers]) rmSync(made, { recursive: true, force: true });
});

/** Starts what was built, with its settings; its base URL. */
async function start(): Promise<string> {
  const settings = { COMANDA_URL: api.url, COMANDA_KEY: api.key.key, SESSIONS: 'ana' };
  server = spawn(process.execPath, [next, 'start', '--port', '0', '--hostname', '127.0.0.1'], {
    cwd: folder,
    env: { ...env, ...settings },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = '';
  server.stdout?.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  const address = () => /http:\/\/127\.0\.0\.1:\d+/.exec(said)?.[0];
  await waitFor('Next to listen', () => address() !== undefined, { timeoutMs: 60_000 });
  return `${address()}/comanda`;
}

describe('the route of a Next.js application, as the guide shows it', () => {
  let url: string;
  beforeAll(async () => {
    url = await start();
  });

  const as = (session: string): ComandaClient =>
    createClient({
      url,
      key: 'kept-by-the-server',
      retries: 0,
      fetch: (input, init) =>
        fetch(input, { ...init, headers: { ...init?.headers, cookie: `session=${session}` } } as RequestInit),
    });
  const reasonOf = (call: Promise<unknown>) =>
    call.then(
      () => 'none',
      (error: unknown) => comandaError(error)?.reason,
    );

  it('builds without settings, and answers who is signed in', async () => {
    const ana = as('ana');
    const [orders, keys] = await Promise.all([ana.orders.list.query(), reasonOf(ana.keys.list.query())]);
    expect([orders.data, keys]).toEqual([[], 'front_not_allowed']);
    expect(await reasonOf(ana.orders.updateStatus.mutate({ id: 'nothing', status: 'ready' }))).toBe(
      'not_found',
    );
  });

  it('refuses who is not, as the client reads it', async () => {
    const refused = await as('eve').orders.list.query().catch(comandaError);
    expect(refused).toMatchObject({ code: 'unauthorized', reason: 'front_signed_out', httpStatus: 401 });
  });

  it.each(['keys.list', 'orders.list%2Ckeys.list', 'orders.list%252Ckeys.list', '..%2Fv2%2Fkeys'])(
    'refuses what is not in the list: %s',
    async (path) => {
      const answer = await fetch(`${url}/trpc/${path}`, { headers: { cookie: 'session=ana' } });
      expect(answer.status).toBe(403);
    },
  );

  it('brings the live stream, and closes it at the service when the browser leaves', async () => {
    const states: WatchState[] = [];
    const gone = new AbortController();
    const watching = (async () => {
      const options = { signal: gone.signal, onState: (state: WatchState) => states.push(state) };
      for await (const _ of as('ana').events.watch({}, options));
    })();
    await waitFor('it to be live', () => states.some(({ status }) => status === 'live'));
    expect(api.app.live.count()).toBe(1);
    gone.abort();
    await watching;
    await waitFor('it to be closed', () => api.app.live.count() === 0);
  });

  it('keeps the key and the list out of what browsers get', () => {
    const files = readdirSync(join(folder, '.next/static'), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.js'))
      .map((name) => readFileSync(join(folder, '.next/static', name), 'utf8'));
    expect(files.some((text) => text.includes('kept-by-the-server'))).toBe(true);
    for (const text of files) expect(text).not.toMatch(/COMANDA_KEY|front_not_allowed|cmd_live_[0-9a-z]/);
  });
});

it.each(['express', 'hono', 'node'])('the example for %s compiles', async (name) => {
  const options = { types: ['node'], rewriteRelativeImportExtensions: true, skipLibCheck: true };
  expect(await compile(servers, [`${name}.ts`], options)).toEqual([]);
});
