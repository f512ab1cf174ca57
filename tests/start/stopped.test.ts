import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { startEmbedded } from '../../packages/embedded/src/server.ts';
import {
  ended,
  expectNothingLeft,
  finish,
  type Run,
  runOn,
  serving,
  startRun,
  until,
  unusedPort,
} from './run.ts';

let folder: string;
let dataDir: string;
let port: number;
const start = (env: Record<string, string> = {}): Run => startRun({ dataDir, port, env });

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'comanda-stopped-'));
  chmodSync(folder, 0o711);
  dataDir = join(folder, 'data');
  port = await unusedPort();
});
afterEach(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));

/** Runs SQL as the superuser while the server runs alone. */
async function prepare(sql: string): Promise<void> {
  const server = await startEmbedded({ dataDir });
  try {
    await runOn(dataDir, sql, 'superuser');
  } finally {
    await server.stop();
  }
}

const refuse = (tag: string) => `
  create function refuse() returns event_trigger language plpgsql as $$ begin raise 'refused today'; end $$;
  create event trigger refuse on ddl_command_start when tag in ('${tag}') execute function refuse()`;

it.each([
  [
    'the database cannot be entered',
    `alter role comanda password 'another'`,
    'password authentication failed',
  ],
  ['the roles cannot be made', refuse('GRANT'), 'refused today'],
  ['the tables of the queue cannot be made', refuse('CREATE SCHEMA'), 'refused today'],
  ['the migrations cannot be read', refuse('CREATE TABLE'), 'refused today'],
])('npm start stops PostgreSQL again when %s', { timeout: 120_000 }, async (_, sql, reason) => {
  await prepare(sql);
  const run = start();
  expect([await ended(run), run.output()]).toEqual([1, expect.stringContaining(reason)]);
  await expectNothingLeft(dataDir);
});

it.each(['api', 'worker'])(
  'npm start stops PostgreSQL again when the %s cannot start',
  { timeout: 120_000 },
  async (name) => {
    // A process that refuses its settings is not started again.
    const file = join(folder, 'refuse.mjs');
    writeFileSync(file, `if (process.argv[1]?.endsWith('/dist/${name}.js')) process.exit(78);`);
    const run = start({ NODE_OPTIONS: `--import=${file}` });
    expect(await ended(run)).toBe(1);
    await expectNothingLeft(dataDir);
  },
);

it('npm start stops PostgreSQL again when the demo data cannot be made', { timeout: 120_000 }, async () => {
  const first = start();
  await serving(first);
  expect(await finish(first, 'SIGTERM')).toBe(0);
  await prepare(`
    create function refuse_location() returns trigger language plpgsql as $$ begin raise 'refused today'; end $$;
    create trigger refuse before insert on locations execute function refuse_location()`);
  const run = start({ SEED_DEMO: 'true' });
  expect([await ended(run), run.output()]).toEqual([1, expect.stringContaining('refused today')]);
  await expectNothingLeft(dataDir);
});

it('npm start leaves nothing behind, whichever of its steps it is stopped in', {
  timeout: 180_000,
}, async () => {
  // The first two starts make the folder, and are stopped on the way.
  for (const moment of [' ', 'database (', 'database (', 'migrations (', 'API (', 'is ready after']) {
    const run = start();
    if (moment === ' ') await sleep(1_500);
    await until(() => run.output().includes(moment.trim()) || run.process.exitCode !== null);
    expect([moment, await finish(run, 'SIGINT'), run.output()]).toEqual([moment, 0, expect.anything()]);
    await expectNothingLeft(dataDir);
  }
  await serving(start());
});
