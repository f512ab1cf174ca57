import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Database, openDatabase } from '@comanda/db';
import { embeddedUrl } from '@comanda/embedded';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { RunningRecord } from '../../packages/embedded/src/claim.ts';
import { readInstance } from '../../packages/embedded/src/instance.ts';
import { entrancesOf } from '../contract/entrances.ts';
import { inputIn, openKitchen } from '../contract/kitchen.ts';
import { ended, finish, type Run, serving, startRun, unusedPort } from '../start/run.ts';
import type { TestApi } from '../support/api.ts';
import { runComanda } from '../support/command.ts';
import { operations } from '../support/documented.ts';
import { waitFor } from '../support/wait.ts';
import { words } from '../support/words.ts';
import { httpConsumer } from '../webhooks/consumers.ts';
import { type Canary, files, findCanaries, formsOf, processArguments, type Trace, tables } from './canary.ts';

// Everything is started as an operator starts it.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

/** Files that are meant to hold secrets. */
const keptSecret = ['encryption-key', 'demo-key', 'postgres.json'];

/** Commands that need not show a secret. */
const commandLines = [
  'keys list',
  'audit',
  'secrets rotate-key',
  'locations list',
  'keys revoke x',
  'nonsense',
  '--help',
];

let folder: string;
let dataDir: string;
let url: string;
let started: Run;
let database: Database;
const canaries: Canary[] = [];
const traces: Trace[] = [];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'comanda-canary-'));
  // The database server of a root run is another user and must be able to pass.
  chmodSync(folder, 0o711);
  dataDir = join(folder, 'data');
  const port = await unusedPort();
  url = `http://127.0.0.1:${port}`;
  const env = { SEED_DEMO: 'true', LOG_LEVEL: 'trace', WEBHOOK_RETRY_DELAYS: '0,0,0,0' };
  started = startRun({ dataDir, port, env });
  await serving(started);
  const databaseUrl = (await embeddedUrl(dataDir, 'superuser')) ?? '';
  database = openDatabase({ url: databaseUrl, poolSize: 3 });
  const encryptionKey = readFileSync(join(dataDir, 'encryption-key'), 'utf8').trim();
  canaries.push(
    { name: 'database password', text: decodeURIComponent(new URL(databaseUrl).password) },
    { name: 'encryption key', text: encryptionKey, bytes: Buffer.from(encryptionKey, 'base64') },
  );
});

afterAll(async () => {
  await database?.close();
  if (started !== undefined) await finish(started, 'SIGTERM');
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

test('no secret is found in anything that is said or kept, after everything was called and things broke', async () => {
  const key = await comandaJson<{ key: string; location_id: string }>(
    ...words('keys create --name canary --permissions * --per-minute 100000'),
  );
  canaries.push(
    { name: 'API key', text: key.key },
    { name: 'API key without prefix', text: key.key.slice(13) },
  );
  const consumer = await httpConsumer((request, response) => {
    traces.push({ where: 'a webhook', text: `${request.url} ${JSON.stringify(request.headers)}` });
    request.on('data', (chunk: Buffer) => traces.push({ where: 'a webhook', text: chunk.toString() }));
    request.on('end', () =>
      response.writeHead(request.headers['x-comanda-attempt'] === '1' ? 500 : 200).end('no'),
    );
  });
  const made = await call('POST', '/v2/webhook-endpoints', key.key, {
    url: consumer.url,
    events: ['order.created', 'product.created', 'product.updated'],
  });
  noteSecret(made);
  noteSecret(await call('POST', `/v2/webhook-endpoints/${made.id}/rotate-secret`, key.key));

  await callEverything(key.key);
  await misuse(key.key);
  await call('POST', `/v2/webhook-endpoints/${made.id}/test`, key.key);
  await waitFor('webhooks', () => traces.filter(({ where }) => where === 'a webhook').length >= 4);
  await breakThings();
  await Promise.all(
    commandLines.map(async (line) => {
      const { stdout, stderr } = await comanda(...line.split(' '));
      traces.push({ where: `comanda ${line}`, text: stdout + stderr });
    }),
  );
  await consumer.close();

  const all = [...traces, ...(await everything())];
  expect(findCanaries(canaries, all)).toEqual([]);
  const seen = (where: string) =>
    all.filter((trace) => trace.where.startsWith(where) && trace.text !== '').length;
  expect({
    answers: seen('answer') > 200,
    tables: seen('table') > 25,
    files: seen('file') > 3,
    processes: seen('arguments') > 4,
    webhooks: seen('a webhook') >= 4,
    log: started.output().split('\n').length > 200,
    canaries: canaries.length >= 6,
  }).toEqual({
    answers: true,
    tables: true,
    files: true,
    processes: true,
    webhooks: true,
    log: true,
    canaries: true,
  });
});

test('the files that hold secrets are readable by their owner alone', () => {
  for (const name of keptSecret)
    expect({ name, mode: statSync(join(dataDir, name)).mode & 0o777 }).toEqual({ name, mode: 0o600 });
});

describe('the search has teeth', () => {
  const planted: Canary = {
    name: 'planted',
    text: `p!${randomBytes(20).toString('base64')}`,
    bytes: randomBytes(32),
  };

  test.each(Object.entries(formsOf(planted)))('finds a secret as %s', (form, text) => {
    const around = /\d$/.test(form) ? encoded(form) : `left ${text} right`;
    expect(findCanaries([planted], [{ where: 'x', text: around }])).toContain(`planted as ${form} in x`);
    expect(findCanaries([planted], [{ where: 'x', text: around.slice(0, -40) }])).not.toContain(
      `planted as ${form} in x`,
    );
  });

  test('finds what is planted in a row, a file, the arguments of a process, and the log', async () => {
    await database.pool.query('update locations set name = $1', [planted.text]);
    writeFileSync(join(dataDir, 'planted'), planted.bytes?.toString('hex') ?? '');
    const child = spawn(process.execPath, ['-e', 'setTimeout(() => {}, 60000)', planted.text]);
    const found = findCanaries(
      [planted],
      [
        ...(await everything()),
        ...processArguments(child.pid ?? 0),
        { where: 'log', text: started.output() + planted.text },
      ],
    );
    child.kill('SIGKILL');
    rmSync(join(dataDir, 'planted'));
    expect(found).toEqual(
      expect.arrayContaining([
        'planted as clear in table public.locations',
        'planted as hex of its bytes in file planted',
        `planted as clear in arguments of process ${child.pid}`,
        'planted as clear in log',
      ]),
    );
  });

  function encoded(form: string): string {
    const shift = Number(form.at(-1));
    const whole = Buffer.from(`${'xyz'.slice(0, shift)}${planted.text}and more`);
    return whole.toString(form.startsWith('base64url') ? 'base64url' : 'base64');
  }
});

async function everything(): Promise<Trace[]> {
  return [
    { where: 'output of npm start', text: started.output() },
    ...(await tables(database)),
    ...files(dataDir, keptSecret),
    ...processArguments(started.process.pid ?? 0),
    ...processArguments(postmaster()),
  ];
}

/** PostgreSQL runs in a session of its own. */
function postmaster(): number {
  const file = join(readInstance(dataDir)?.home ?? '', 'data', 'postmaster.pid');
  return Number(readFileSync(file, 'utf8').split('\n')[0]);
}

/** Every operation at every entrance, with a valid input of a kitchen of its own, by the planted key and without. */
async function callEverything(key: string): Promise<void> {
  const { fetch: real } = globalThis;
  vi.stubGlobal('fetch', async (...args: Parameters<typeof fetch>) => {
    const response = await real(...args);
    traces.push({ where: `answer to ${String(args[0])}`, text: await shown(response.clone()) });
    return response;
  });
  try {
    // Only what the kitchen uses of an API: its address and its database.
    const api = { url, app: { database } } as TestApi;
    const kitchen = await openKitchen(api);
    for (const entrance of operations.flatMap(entrancesOf)) {
      const input = await inputIn(kitchen, entrance.operation).catch(() => ({ id: 'gone' }));
      // These are meant to show a secret, once.
      const shows = /^(keys\.(create|rotate)|webhookEndpoints\.(create|rotateSecret))$/.test(
        entrance.operation.name,
      );
      if (!shows) await entrance.call(url, kitchen.key, input);
      await entrance.call(url, key, { ...input, id: 'none', external_id: 'none' }).catch(() => {});
    }
  } finally {
    vi.unstubAllGlobals();
  }
}

/** The planted key where no key belongs. */
async function misuse(key: string): Promise<void> {
  for (const path of [`/v2/orders?api_key=${key}`, `/v2/limits?key=${key}`, `/trpc/orders.list?key=${key}`])
    await call('GET', path, key);
  await call('POST', '/v2/orders', key, '{"broken');
  await call('GET', '/v2/limits', `${key} ${key}`);
}

/** Connections are cut, processes crash: each says what it has to say, and is there again. */
async function breakThings(): Promise<void> {
  await database.pool.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and pid <> pg_backend_pid() and application_name like 'comanda%'`,
  );
  const { children = [] } = JSON.parse(
    readFileSync(join(readInstance(dataDir)?.home ?? '', 'running.json'), 'utf8'),
  ) as RunningRecord;
  expect(children).toHaveLength(2);
  for (const { pid } of children) process.kill(pid, 'SIGUSR2');
  await waitFor(
    'both to be there again',
    () => ['api', 'worker'].every((name) => started.output().includes(`${name} is ready again`)),
    { timeoutMs: 60_000 },
  );
  // Wrong passwords and addresses that hold one, as a mistaken operator gives them.
  const password = canaries[0]?.text ?? '';
  const addresses = [
    `postgres://postgres:${password}@127.0.0.1:1/none`,
    `mysql://root:${password}@127.0.0.1/x`,
  ];
  const entries = ['api', 'worker', 'comanda'].flatMap((entry) =>
    addresses.map((address) => ({ entry, address })),
  );
  traces.push(...(await Promise.all(entries.map(failToConnect))));
}

/** Starts what cannot connect, and returns what it says of that. */
async function failToConnect({ entry, address }: { entry: string; address: string }): Promise<Trace> {
  const env = { DATABASE_URL: address, ENCRYPTION_KEY: canaries[1]?.text ?? '', LOG_LEVEL: 'trace' };
  const [script, ...words] =
    entry === 'comanda' ? ['scripts/comanda.mjs', 'keys', 'list'] : [`dist/${entry}.js`];
  const run = startRun({ dataDir, port: 0, env, ...(script !== undefined && { script }), words });
  const timer = setTimeout(() => run.process.kill('SIGTERM'), 5_000);
  await ended(run);
  clearTimeout(timer);
  return { where: `${entry} that cannot connect`, text: run.output() };
}

/** An answer with its headers, as text. */
const shown = async (response: Response): Promise<string> =>
  `${JSON.stringify([...response.headers])} ${await response.text()}`;

const comanda = (...argv: string[]) => runComanda({ DATA_DIR: dataDir }, ...argv);

async function call(
  method: string,
  path: string,
  key: string,
  body?: unknown,
): Promise<Record<string, unknown>> {
  const response = await fetch(url + path, {
    method,
    headers: {
      authorization: `Bearer ${key}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await shown(response.clone());
  const answer = (await response.json()) as { data?: Record<string, unknown> };
  if (typeof answer.data?.secret !== 'string') traces.push({ where: `answer to ${method}`, text });
  return answer.data ?? {};
}

function noteSecret({ secret }: Record<string, unknown>): void {
  const text = String(secret).replace(/^whsec_/, '');
  canaries.push({ name: 'signing secret', text, bytes: Buffer.from(text, 'base64') });
}

const comandaJson = async <Value>(...argv: string[]): Promise<Value> =>
  JSON.parse((await comanda(...argv, '--json')).stdout);
