import { once } from 'node:events';
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunningRecord } from '../../packages/embedded/src/claim.ts';
import { findDatabase } from '../../packages/embedded/src/database-url.ts';
import { readInstance } from '../../packages/embedded/src/instance.ts';
import { isAlive } from '../../packages/embedded/src/os-processes.ts';
import { embeddedUrl } from '../../packages/embedded/src/server.ts';
import { sqlAt } from '../support/sql.ts';
import { ended, finish, type Run, runOn, serving, startRun, until, unusedPort } from './run.ts';

let folder: string;
let dataDir: string;
let port: number;
const started: Run[] = [];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'comanda-start-'));
  // The database server of a root run is another user and must be able to pass.
  chmodSync(folder, 0o711);
  dataDir = join(folder, 'data');
  port = await unusedPort();
});

afterAll(async () => {
  for (const run of started)
    if (run.process.exitCode === null && run.process.signalCode === null) await finish(run, 'SIGTERM');
  rmSync(folder, { recursive: true, force: true });
}, 60_000);

// In this order: a test goes on with the service that the one before left.
describe('npm start', { timeout: 120_000, shuffle: false }, () => {
  let run: Run;
  const isReady = async () => (await fetch(`http://127.0.0.1:${port}/readyz`)).status === 200;
  const starts = async () => {
    run = start();
    await serving(run);
  };

  it('names PORT when the port is taken, and stops the database again', async () => {
    const thief = createServer().listen(port, '127.0.0.1');
    await once(thief, 'listening');
    try {
      const late = start();
      expect(await ended(late)).toBe(1);
      expect(late.output()).toContain(`comanda: PORT: ${port} on 127.0.0.1 is taken`);
      expect(await embeddedUrl(dataDir)).toBeNull();
    } finally {
      thief.close();
    }
  });

  it('serves, and prints its address', async () => {
    await starts();
    expect(run.output()).toContain(`Base URL  http://127.0.0.1:${port}`);
    expect(await isReady()).toBe(true);
    expect(run.output()).toContain(
      `App       http://127.0.0.1:${port}/app; a link to sign in: npm run -s comanda`,
    );
    expect((await fetch(`http://127.0.0.1:${port}/app`)).status).toBe(200);
    expect(record().children).toHaveLength(2);
    await execute("CREATE TABLE kept AS SELECT 'here' AS word");
  });

  it('refuses a second start on the same data directory and leaves the first alone', async () => {
    const { owner, url } = record();
    const second = start({ PORT: String(await unusedPort()) });
    expect(await ended(second)).toBe(1);
    expect(second.output()).toContain(`already running on ${dataDir}: process ${owner.pid}, at ${url}`);
    expect(await isReady()).toBe(true);
  });

  it('npm run demo finds the server that runs here, and says where it looked when none does', async () => {
    const demo = start({ PORT: '1' }, 'extras/demo/demo.mjs');
    const nowhere = start({ COMANDA_URL: 'http://127.0.0.1:1' }, 'extras/demo/demo.mjs');
    expect([await ended(demo), demo.output()]).toEqual([0, expect.stringContaining('The main job works.')]);
    expect([await ended(nowhere), nowhere.output()]).toEqual([
      1,
      expect.stringContaining('demo: nothing answers at http://127.0.0.1:1/readyz'),
    ]);
    const help = start({}, 'extras/demo/demo.mjs', '--help');
    expect([await ended(help), help.output()]).toEqual([0, expect.stringContaining('COMANDA_URL')]);
  });

  it('serves as the service, migrates as the owner, and has a role for each who looks and edits', async () => {
    expect(
      await execute(
        `select distinct usename as name from pg_stat_activity where application_name ~ '^comanda-(api|worker)' and usename is not null`,
      ),
    ).toEqual([{ name: 'comanda_service' }]);
    for (const role of ['owner', 'service', 'admin', 'reader'] as const)
      expect(
        await runOn(
          dataDir,
          `select current_user as name, has_table_privilege('orders', 'SELECT') as reads, has_schema_privilege('public', 'CREATE') as makes`,
          role,
        ),
      ).toEqual([{ name: `comanda_${role}`, reads: true, makes: role === 'owner' }]);
    expect(new URL((await findDatabase({ DATA_DIR: dataDir })) ?? '').username).toBe('comanda_admin');
  });

  it('starts the API and the worker again when they die', async () => {
    const { children = [] } = record();
    for (const { pid } of children) process.kill(pid, 'SIGKILL');
    await until(() => ['api', 'worker'].every((name) => run.output().includes(`${name} is ready again`)));
    expect(await isReady()).toBe(true);
    expect(record().children?.filter(isAlive)).toHaveLength(2);
    expect(children.filter(isAlive)).toEqual([]);
  });

  it('starts the database again when it dies, on the same address, and API and worker go on', async () => {
    const before = { children: record().children, url: await embeddedUrl(dataDir) };
    process.kill(postmaster(), 'SIGKILL');
    await until(() => run.output().includes('the database runs again'));
    expect(await embeddedUrl(dataDir)).toBe(before.url);
    expect(await execute('SELECT word FROM kept')).toEqual([{ word: 'here' }]);
    while (!(await isReady())) await sleep(100);
    expect(record().children).toEqual(before.children);
    expect(before.children?.filter(isAlive)).toHaveLength(2);
  });

  it('leaves no API and no worker behind when it is killed, and recovers at the next start', async () => {
    const { children = [] } = record();
    await finish(run, 'SIGKILL');
    await until(() => !children.some(isAlive));
    await starts();
    expect(await execute('SELECT word FROM kept')).toEqual([{ word: 'here' }]);
  });

  it('recovers at the next start when everything was killed', async () => {
    for (const { pid } of record().children ?? []) process.kill(pid, 'SIGKILL');
    process.kill(postmaster(), 'SIGKILL');
    await finish(run, 'SIGKILL');
    await starts();
    expect(await execute('SELECT word FROM kept')).toEqual([{ word: 'here' }]);
  });

  const baseline = `migration_name like '%_baseline'`;
  let shipped: unknown;
  it('after signals drains to exit code 0 with no process left', async () => {
    const [row] = await execute(`SELECT checksum FROM _prisma_migrations WHERE ${baseline}`);
    shipped = row?.checksum;
    await execute(`UPDATE _prisma_migrations SET checksum = reverse(checksum) WHERE ${baseline}`);
    const { children = [] } = record();
    expect(children).toHaveLength(2);
    run.process.kill('SIGINT');
    run.process.kill('SIGTERM');
    expect(await finish(run, 'SIGTERM')).toBe(0);
    expect(children.filter(isAlive)).toEqual([]);
    expect(await embeddedUrl(dataDir)).toBeNull();
  });

  it('leaves PostgreSQL running after an edit of a checksum in _prisma_migrations, says which side differs, and goes on once it is fixed', async () => {
    run = start();
    await until(() => run.output().includes('PostgreSQL keeps running') || run.process.exitCode !== null);
    expect(run.output()).toMatch(
      /the row of migration \d+_baseline in _prisma_migrations was changed after it was applied; \S+ is as release \S+ shipped it/,
    );
    const statement = /update _prisma_migrations set checksum = '(\w+)' where migration_name = '\w+';/.exec(
      run.output(),
    );
    expect(statement?.[1]).toBe(shipped);
    expect(await embeddedUrl(dataDir)).not.toBeNull();
    await execute(statement?.[0] ?? '');
    await serving(run);
    expect(await isReady()).toBe(true);
  });

  it('runs on DATABASE_URL without a server of its own, and leaves that database running', async () => {
    const url = (await embeddedUrl(dataDir, 'superuser')) ?? '';
    const [own, unused] = [await unusedPort(), join(folder, 'unused')];
    await execute('create database elsewhere', 'superuser');
    const DATABASE_URL = Object.assign(new URL(url), { pathname: '/elsewhere' }).href;
    const other = start({ DATABASE_URL, DATA_DIR: unused, PORT: String(own) });
    await serving(other);
    expect(other.output()).not.toContain('embedded PostgreSQL');
    expect(other.output()).not.toContain('/app');
    expect((await fetch(`http://127.0.0.1:${own}/app`)).status).toBe(404);
    expect(await embeddedUrl(unused)).toBeNull();
    expect(await finish(other, 'SIGTERM')).toBe(0);
    const [row] = await sqlAt(DATABASE_URL)<{ applied: number }>(
      'SELECT count(*)::int AS applied FROM _prisma_migrations',
    );
    expect(row?.applied).toBeGreaterThan(0);
  });
});

function start(env: Record<string, string> = {}, script = 'scripts/start.mjs', ...words: string[]): Run {
  const run = startRun({ dataDir, port, env, script, words });
  started.push(run);
  return run;
}

function record(): RunningRecord {
  return JSON.parse(readFileSync(join(instance().home, 'running.json'), 'utf8'));
}

function instance() {
  const found = readInstance(dataDir);
  if (found === null) throw new Error(`${dataDir} has no note of a server`);
  return found;
}

function postmaster(): number {
  return Number(readFileSync(join(instance().cluster, 'postmaster.pid'), 'utf8').split('\n')[0]);
}

const execute = (sql: string, role?: 'superuser') => runOn(dataDir, sql, role);
