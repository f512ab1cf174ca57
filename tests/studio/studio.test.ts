import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { networkInterfaces } from 'node:os';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { repositoryRoot } from '../../packages/db/src/root.ts';
import { drainChanges } from '../../packages/worker/src/relay/drain.ts';
import { createProduct } from '../support/factories.ts';
import { waitFor } from '../support/wait.ts';
import { createWorkerKit, insertOrder, silent, type WorkerKit } from '../worker/kit.ts';

let kit: WorkerKit;
let port: number;
let studio: Run;
beforeAll(async () => {
  kit = await createWorkerKit();
  port = await freePort();
  studio = start(['--port', String(port)], kit.url);
  await serving(studio, port);
}, 120_000);
afterAll(async () => {
  if (!studio.over()) await end(studio, 'SIGTERM');
  await kit.close();
});

const address = () => `http://127.0.0.1:${port}`;

describe('the page', () => {
  it('opens on the orders and loads everything it needs from its own server', async () => {
    expect(studio.output()).toContain(`Prisma Studio: ${address()}/#schema=public&table=orders`);
    const page = await (await fetch(`${address()}/`)).text();
    const loaded = [...page.matchAll(/<(?:script|link)[^>]*(?:src|href)="([^"]+)"/g)].map(([, url]) => url);
    const files = loaded.filter((url) => url?.startsWith('data:') !== true);
    expect(files.length).toBeGreaterThan(1);
    for (const file of files) {
      expect(file).toMatch(/^\/[\w.-]+$/);
      expect((await fetch(address() + file)).status).toBe(200);
    }
  });

  it('is told to talk to nobody but its own server', async () => {
    for (const path of ['/', '/studio.js', '/studio.css']) {
      const policy = (await fetch(address() + path)).headers.get('content-security-policy') ?? '';
      expect(policy).toContain("default-src 'self'");
      expect(policy).toContain("connect-src 'self'");
      expect(policy).not.toMatch(/https?:|\*/);
    }
  });

  it('answers on the loopback address alone', async () => {
    const others = Object.values(networkInterfaces())
      .flatMap((addresses) => addresses ?? [])
      .filter(({ address: own, family }) => own !== '127.0.0.1' && !(family === 'IPv6' && /^fe80/i.test(own)))
      .map(({ address: own }) => own);
    // Whoever listens on every address, or on one of these, has its port there; then nobody else can.
    for (const other of others) expect(await canListen(other), other).toBe(true);
    expect(await canListen('127.0.0.1')).toBe(false);
  });

  it('takes no query from a page of another origin', async () => {
    const { status } = await query('select 1', [], 'http://evil.example');
    expect(status).toBe(403);
  });
});

describe('an edit as the grid sends it', () => {
  it('of a price is told to the ERP like any other change', async () => {
    const id = await createProduct(kit.database, { locationId: kit.locationId, price: 12.5 });
    await publish();
    const before = (await kit.events()).length;
    const { refusal } = await query('update "public"."products" set "price" = $1 where "id" = $2', [13, id]);
    expect(refusal).toBeNull();
    await publish();
    const events = (await kit.events()).slice(before);
    expect(events.map(({ type }) => type)).toEqual(['product.updated']);
    expect(events[0]?.body.data).toMatchObject({ id, price: 13 });
  });

  it('of a closed order is refused with the reason, which the page shows', async () => {
    const id = await insertOrder(kit);
    for (const status of ['ready', 'closed'])
      await kit.sql('update orders set status = $1::order_status where id = $2', [status, id]);
    await publish();
    const before = (await kit.events()).length;
    const { refusal } = await query(
      'update "public"."orders" set "status" = cast($1 as "public"."order_status") where "id" = $2',
      ['pending', id],
    );
    expect(refusal).toMatchObject({ code: 'CM001', message: 'an order cannot move from closed to pending' });
    await publish();
    expect(await kit.events()).toHaveLength(before);
    expect(await kit.sql('select status from orders where id = $1', [id])).toEqual([{ status: 'closed' }]);
  });
});

describe('npm run studio', { timeout: 120_000 }, () => {
  it('says so when the port is taken', async () => {
    const second = start(['--port', String(port)], kit.url);
    expect(await ended(second)).toBe(1);
    expect(second.output()).toContain(`--port: ${port} is taken`);
  });

  it('says so when no database runs', async () => {
    const lost = start([], undefined);
    expect(await ended(lost)).toBe(1);
    expect(lost.output()).toContain('no running database: run npm start first, or set DATABASE_URL');
  });

  it.each([['SIGTERM'], ['SIGINT']] as const)(
    'ends on %s with exit code 0 and nothing left',
    async (signal) => {
      const own = await freePort();
      const run = start(['--port', String(own)], kit.url);
      await waitFor('Studio to serve', async () => (await fetch(`http://127.0.0.1:${own}/`)).ok, {
        timeoutMs: 50_000,
      });
      // "close" comes when every process that holds its output is gone.
      expect(await end(run, signal)).toBe(0);
      await expect(fetch(`http://127.0.0.1:${own}/`)).rejects.toThrow();
    },
  );
});

interface Run {
  process: ChildProcess;
  output(): string;
  over(): boolean;
}

function start(args: string[], databaseUrl: string | undefined): Run {
  const { DATABASE_URL, NODE_ENV, NODE_OPTIONS, ...env } = process.env;
  const child = spawn(process.execPath, ['scripts/studio.mjs', ...args], {
    cwd: repositoryRoot,
    env: {
      ...env,
      DATA_DIR: '/nonexistent/comanda',
      ...(databaseUrl !== undefined && { DATABASE_URL: databaseUrl }),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  let over = false;
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk;
    });
  child.on('close', () => {
    over = true;
  });
  return { process: child, output: () => output, over: () => over };
}

async function serving(run: Run, at: number): Promise<void> {
  const answered = () =>
    fetch(`http://127.0.0.1:${at}/`).then(
      ({ ok }) => ok,
      () => false,
    );
  await waitFor('Studio to serve', async () => run.over() || answered(), { timeoutMs: 100_000 });
  if (run.over()) throw new Error(`Studio ended:\n${run.output()}`);
}

async function ended(run: Run): Promise<number | null> {
  if (!run.over()) await once(run.process, 'close');
  return run.process.exitCode;
}

async function end(run: Run, signal: NodeJS.Signals): Promise<number | null> {
  const closing = ended(run);
  run.process.kill(signal);
  return closing;
}

/** Sends a query as Studio's page does. */
async function query(sql: string, parameters: unknown[], origin = address()) {
  const response = await fetch(`${address()}/bff`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin },
    body: JSON.stringify({ procedure: 'query', query: { sql, parameters } }),
  });
  const text = await response.text();
  const [refusal] = response.ok ? (JSON.parse(text) as [unknown]) : [text];
  return { status: response.status, refusal };
}

async function publish(): Promise<void> {
  while ((await drainChanges(kit.database, silent))?.changes !== 0);
}

function canListen(host: string): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen({ host, port, exclusive: true, ipv6Only: true }, () => probe.close(() => resolve(true)));
  });
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const bound = probe.address();
  probe.close();
  await once(probe, 'close');
  if (typeof bound !== 'object' || bound === null) throw new Error('the probe has no port');
  return bound.port;
}
