import { once } from 'node:events';
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { RunningRecord } from '../../packages/embedded/src/claim.ts';
import { findDatabase } from '../../packages/embedded/src/database-url.ts';
import { readInstance } from '../../packages/embedded/src/instance.ts';
import { isAlive } from '../../packages/embedded/src/os-processes.ts';
import { embeddedUrl, startEmbedded } from '../../packages/embedded/src/server.ts';
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

afterEach(async () => {
  for (const run of started.splice(0)) {
    if (run.process.exitCode === null && run.process.signalCode === null) await finish(run, 'SIGTERM');
  }
}, 60_000);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('npm start', { timeout: 120_000 }, () => {
  it('serves, prints its address, and after signals drains to exit code 0 with no process left', async () => {
    const run = start();
    await serving(run);
    expect(run.output()).toContain(`Base URL  http://127.0.0.1:${port}`);
    expect((await fetch(`http://127.0.0.1:${port}/readyz`)).status).toBe(200);
    expect(run.output()).toContain(
      `App       http://127.0.0.1:${port}/app; a link to sign in: npm run -s comanda`,
    );
    expect((await fetch(`http://127.0.0.1:${port}/app`)).status).toBe(200);
    const { children = [] } = record();
    expect(children).toHaveLength(2);
    run.process.kill('SIGINT');
    run.process.kill('SIGTERM');
    expect(await finish(run, 'SIGTERM')).toBe(0);
    expect(children.filter(isAlive)).toEqual([]);
    expect(await embeddedUrl(dataDir)).toBeNull();
  });

  it('refuses a second start on the same data directory and leaves the first alone', async () => {
    await serving(start());
    const { owner, url } = record();
    const second = start({ PORT: String(await unusedPort()) });
    expect(await ended(second)).toBe(1);
    expect(second.output()).toContain(`already running on ${dataDir}: process ${owner.pid}, at ${url}`);
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
  });

  it('names PORT when the port is taken, and stops the database again', async () => {
    const thief = createServer().listen(port, '127.0.0.1');
    await once(thief, 'listening');
    try {
      const run = start();
      expect(await ended(run)).toBe(1);
      expect(run.output()).toContain(`comanda: PORT: ${port} on 127.0.0.1 is taken`);
      expect(await embeddedUrl(dataDir)).toBeNull();
    } finally {
      thief.close();
    }
  });

  it('npm run demo finds the server that runs here, and says where it looked when none does', async () => {
    const help = start({}, 'scripts/demo.mjs', '--help');
    expect([await ended(help), help.output()]).toEqual([0, expect.stringContaining('COMANDA_URL')]);
    await serving(start());
    const demo = start({ PORT: '1' }, 'scripts/demo.mjs');
    expect([await ended(demo), demo.output()]).toEqual([0, expect.stringContaining('The main job works.')]);
    const nowhere = start({ COMANDA_URL: 'http://127.0.0.1:1' }, 'scripts/demo.mjs');
    expect([await ended(nowhere), nowhere.output()]).toEqual([
      1,
      expect.stringContaining('demo: nothing answers at http://127.0.0.1:1/readyz'),
    ]);
  });

  it('was given links to another port by comanda app code than the one that it serves on', async () => {
    await serving(start());
    const comanda = (...words: string[]) => start({ PORT: '1' }, 'scripts/comanda.mjs', ...words, '--json');
    const made = comanda('locations', 'create', '--name', 'Bar', '--timezone', 'UTC', '--currency', 'EUR');
    expect(await ended(made)).toBe(0);
    const { id } = JSON.parse(made.output()) as { id: string };
    const code = comanda('app', 'code', '--location', id);
    expect([await ended(code), code.output()]).toEqual([0, expect.stringContaining('app#code=')]);
    const { url, address } = JSON.parse(code.output()) as Record<string, string>;
    expect(address).toBe('of the running service');
    expect(url).toMatch(new RegExp(`^http://127.0.0.1:${port}/app#code=.`));
  });

  it('names a setting that cannot be used, before it starts anything', async () => {
    const run = start({ WEBHOOK_TIMEOUT_MS: 'long' });
    expect(await ended(run)).toBe(1);
    expect(run.output()).toContain('comanda: WEBHOOK_TIMEOUT_MS: must be a whole number from 1 to 30000');
    expect(run.output()).not.toContain('database');
  });

  it.each([['api'], ['worker']] as const)('starts the %s again when it dies', async (name) => {
    const run = start();
    await serving(run);
    const victim = record().children?.[name === 'api' ? 0 : 1];
    if (victim === undefined) throw new Error(`no process of the ${name} is noted`);
    process.kill(victim.pid, 'SIGKILL');
    await until(() => run.output().includes(`${name} is ready again`));
    expect((await fetch(`http://127.0.0.1:${port}/readyz`)).status).toBe(200);
    expect(record().children?.filter(isAlive)).toHaveLength(2);
  });

  it('serves as the service, migrates as the owner, and has a role for each who looks and edits', async () => {
    await serving(start());
    expect(
      await execute(
        `select distinct usename as name from pg_stat_activity where application_name ~ '^comanda-(api|worker)' and usename is not null`,
      ),
    ).toEqual([{ name: 'comanda_service' }]);
    for (const role of ['owner', 'service', 'admin', 'reader'] as const) {
      const client = new pg.Client({ connectionString: (await embeddedUrl(dataDir, role)) ?? '' });
      await client.connect();
      const { rows } = await client.query(
        `select current_user as name, has_table_privilege('orders', 'SELECT') as reads, has_schema_privilege('public', 'CREATE') as makes`,
      );
      await client.end();
      expect(rows).toEqual([{ name: `comanda_${role}`, reads: true, makes: role === 'owner' }]);
    }
    expect(new URL((await findDatabase({ DATA_DIR: dataDir })) ?? '').username).toBe('comanda_admin');
  });

  it('starts the database again when it dies, on the same address, and API and worker go on', async () => {
    const run = start();
    await serving(run);
    const before = { children: record().children, url: await embeddedUrl(dataDir) };
    await execute("CREATE TABLE IF NOT EXISTS kept AS SELECT 'here' AS word");
    process.kill(postmaster(), 'SIGKILL');
    await until(() => run.output().includes('the database runs again'));
    expect(await embeddedUrl(dataDir)).toBe(before.url);
    expect(await execute('SELECT word FROM kept')).toEqual([{ word: 'here' }]);
    while ((await fetch(`http://127.0.0.1:${port}/readyz`)).status !== 200) await sleep(100);
    expect(record().children).toEqual(before.children);
    expect(before.children?.filter(isAlive)).toHaveLength(2);
  });

  it('leaves no API and no worker behind when it is killed, and recovers at the next start', async () => {
    const first = start();
    await serving(first);
    await execute("CREATE TABLE IF NOT EXISTS kept AS SELECT 'here' AS word");
    const { children = [] } = record();
    await finish(first, 'SIGKILL');
    await until(() => !children.some(isAlive));
    await serving(start());
    expect(await execute('SELECT word FROM kept')).toEqual([{ word: 'here' }]);
  });

  it('recovers at the next start when everything was killed', async () => {
    const first = start();
    await serving(first);
    await execute("CREATE TABLE IF NOT EXISTS kept AS SELECT 'here' AS word");
    const { children = [] } = record();
    for (const { pid } of children) process.kill(pid, 'SIGKILL');
    process.kill(postmaster(), 'SIGKILL');
    await finish(first, 'SIGKILL');
    await serving(start());
    expect(await execute('SELECT word FROM kept')).toEqual([{ word: 'here' }]);
  });

  it('leaves PostgreSQL running after an edit of a checksum in _prisma_migrations, says which side differs, and goes on once it is fixed', async () => {
    const first = start();
    await serving(first);
    const baseline = `migration_name like '%_baseline'`;
    const [{ checksum: shipped } = {}] = await execute(
      `SELECT checksum FROM _prisma_migrations WHERE ${baseline}`,
    );
    await execute(`UPDATE _prisma_migrations SET checksum = reverse(checksum) WHERE ${baseline}`);
    expect(await finish(first, 'SIGTERM')).toBe(0);

    const run = start();
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
    expect((await fetch(`http://127.0.0.1:${port}/readyz`)).status).toBe(200);
  });

  it('runs on DATABASE_URL without a server of its own, and leaves that database running', async () => {
    const server = await startEmbedded({ dataDir: join(folder, 'elsewhere') });
    try {
      const run = start({ DATABASE_URL: server.url, DATA_DIR: join(folder, 'unused') });
      await serving(run);
      expect(run.output()).not.toContain('embedded PostgreSQL');
      expect(run.output()).not.toContain('/app');
      expect((await fetch(`http://127.0.0.1:${port}/app`)).status).toBe(404);
      expect(await embeddedUrl(join(folder, 'unused'))).toBeNull();
      expect(await finish(run, 'SIGTERM')).toBe(0);
      const client = new pg.Client({ connectionString: server.url });
      await client.connect();
      const { rows } = await client.query('SELECT count(*)::int AS applied FROM _prisma_migrations');
      await client.end();
      expect(rows[0].applied).toBeGreaterThan(0);
    } finally {
      await server.stop();
    }
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

const execute = (sql: string) => runOn(dataDir, sql);
