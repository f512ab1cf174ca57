import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { startEmbedded } from '../../packages/embedded/src/server.ts';
import { ended, expectNothingLeft, finish, type Run, runOn, startRun, until, unusedPort } from './run.ts';

vi.setConfig({ testTimeout: 120_000 });

let folder: string;
let dataDir: string;
let port: number;
const start = (env: Record<string, string> = {}): Run => startRun({ dataDir, port, env });

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'comanda-stopped-'));
  chmodSync(folder, 0o711);
  dataDir = join(folder, 'data');
  port = await unusedPort();
});
afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));

/** Runs SQL as the superuser while the server runs alone. */
async function prepare(sql: string): Promise<void> {
  const server = await startEmbedded({ dataDir });
  try {
    await runOn(dataDir, sql, 'superuser');
  } finally {
    await server.stop();
  }
}

async function isRefused(reason: string, env: Record<string, string> = {}): Promise<void> {
  const run = start(env);
  expect([await ended(run), run.output()]).toEqual([1, expect.stringContaining(reason)]);
  await expectNothingLeft(dataDir);
}

const refuse = (tag: string) => `
  drop event trigger if exists refuse;
  create or replace function refuse_today() returns event_trigger language plpgsql as $$ begin raise 'refused today'; end $$;
  create event trigger refuse on ddl_command_start when tag in ('${tag}') execute function refuse_today()`;

// In this order: on one data folder, each start gets further than the one before.
describe('npm start stops PostgreSQL again when', { shuffle: false }, () => {
  it.each([
    ['the roles cannot be made', refuse('GRANT')],
    ['the tables of the queue cannot be made', refuse('CREATE SCHEMA')],
    ['the migrations cannot be read', refuse('CREATE TABLE')],
  ])('%s', async (_, sql) => {
    await prepare(sql);
    await isRefused('refused today');
  });

  it.each(['worker', 'api'])('the %s cannot start', async (name) => {
    if (name === 'worker') await prepare('drop function refuse_today cascade');
    // A process that refuses its settings is not started again.
    const file = join(folder, 'refuse.mjs');
    writeFileSync(file, `if (process.argv[1]?.endsWith('/dist/${name}.js')) process.exit(78);`);
    await isRefused(`${name} refuses its settings`, { NODE_OPTIONS: `--import=${file}` });
  });

  it('the demo data cannot be made', async () => {
    await prepare(`
      create function refuse_location() returns trigger language plpgsql as $$ begin raise 'refused today'; end $$;
      create trigger refuse before insert on locations execute function refuse_location()`);
    await isRefused('refused today', { SEED_DEMO: 'true' });
  });

  it('the database cannot be entered', async () => {
    await prepare(`alter role comanda password 'another'`);
    await isRefused('password authentication failed');
  });
});

it('npm start leaves nothing behind, whichever of its steps it is stopped in', async () => {
  const own = { dataDir: join(folder, 'new'), port: await unusedPort() };
  // The first two starts make the folder, and are stopped on the way.
  for (const moment of [' ', 'database (', 'migrations (', 'API (', 'is ready after']) {
    const run = startRun(own);
    if (moment === ' ') await sleep(1_500);
    await until(() => run.output().includes(moment.trim()) || run.process.exitCode !== null);
    expect(run.output()).toContain(moment.trim());
    expect([moment, await finish(run, 'SIGINT'), run.output()]).toEqual([moment, 0, expect.anything()]);
    await expectNothingLeft(own.dataDir);
  }
});
