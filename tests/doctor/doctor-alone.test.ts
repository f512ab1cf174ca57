import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { repositoryRoot } from '@comanda/db';
import { afterAll, beforeAll, expect, it, onTestFinished, test, vi } from 'vitest';
import { judgeDisk } from '../../packages/api/src/doctor/disk-check.ts';
import type { Diagnosis } from '../../packages/api/src/doctor/doctor.ts';
import { defaultThresholds, diagnose } from '../../packages/api/src/doctor/doctor.ts';
import { migrate } from '../../packages/db/src/migrations/migrate.ts';
import { type EmbeddedServer, startEmbedded } from '../../packages/embedded/src/server.ts';
import { openHand } from '../support/by-hand.ts';
import { type CommandOutcome, callComanda } from '../support/command.ts';
import { sqlAt, sqlBy } from '../support/sql.ts';

// The command on an embedded database of its own.

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const folder = mkdtempSync(join(tmpdir(), 'comanda-doctor-'));
const dataDir = join(folder, 'data');
let server: EmbeddedServer | undefined;

beforeAll(async () => {
  server = await startEmbedded({
    dataDir,
    settings: { max_connections: '16', max_prepared_transactions: '2', fsync: 'off' },
  });
  await migrate(server.url);
});
afterAll(async () => {
  await server?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const sql = sqlBy((text, values) => sqlAt(server?.url ?? '')(text, values));
const comanda = (argv: string[], dir = dataDir) => callComanda({ DATA_DIR: dir }, ...argv);

/** The bundle as a process of its own. */
function run(...argv: string[]): Promise<CommandOutcome> {
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, DATA_DIR: dataDir };
  return promisify(execFile)(process.execPath, [join(repositoryRoot, 'dist/comanda.js'), ...argv], {
    env,
  }).then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    (error: CommandOutcome) => error,
  );
}

const outcomes = (stdout: string) =>
  new Map(
    (JSON.parse(stdout) as Diagnosis).checks.map(({ name, outcome, found }) => [name, { outcome, found }]),
  );

it('finds the embedded database by itself; what is wrong makes the exit code 1', async () => {
  const alone = await comanda(['doctor']);
  expect(alone.code, alone.stdout + alone.stderr).toBe(1);
  expect(alone.stdout).toMatch(/WRONG +workers +no worker is alive\n +Start one/);
  expect(alone.stdout).toMatch(/ok +disk +\d+\.\d GiB free|warning +disk|WRONG +disk/);
  expect(alone.stdout.trimEnd().endsWith('Something is wrong: see above what to do.')).toBe(true);

  await sql`insert into internal.process_heartbeats (id, kind, host, pid) values ('w', 'worker', 'kitchen', 1)`;
  const better = await comanda(['doctor', '--json']);
  expect(better.code, better.stdout + better.stderr).toBe(1);
  expect(outcomes(better.stdout).get('workers')?.outcome).toBe('ok');
  expect(outcomes(better.stdout).get('queue')).toMatchObject({
    outcome: 'wrong',
    found: 'there is no queue yet: no worker has ever run here',
  });
});

it('runs as node dist/comanda.js, too, with the same exit codes', async () => {
  const alone = await run('doctor');
  expect(alone.code).toBe(1);
  expect(alone.stdout).toContain('no worker has ever run here');
  const listed = await run('locations', 'list', '--json');
  expect(listed).toMatchObject({ code: 0, stdout: '[]\n' });
});

it('sees that the connections run out', async () => {
  const hands = await Promise.all(Array.from({ length: 10 }, () => openHand(server?.url ?? '')));
  const { stdout } = await comanda(['doctor', '--json']);
  await Promise.all(hands.map((hand) => hand.close()));
  expect(outcomes(stdout).get('connections')?.outcome, stdout).toMatch(/warning|wrong/);
});

it('sees a transaction that a session prepared and forgot', async () => {
  await sql(`begin; create table held (n integer); prepare transaction 'forgotten'`);
  const options = { thresholds: { idleInTransactionSeconds: 0, probeSeconds: 0 } };
  const { checks } = await diagnose({ DATABASE_URL: server?.url }, options);
  await sql(`rollback prepared 'forgotten'`);
  expect(checks.find(({ name }) => name === 'prepared transactions')).toMatchObject({
    outcome: 'warning',
    found: expect.stringMatching(/^forgotten of \w+ for \d+ s$/),
  });
});

test.each([
  ['5 s', 5_000, 'warning'],
  ['minus an hour', -3_600_000, 'wrong'],
])('sees a clock that is off by %s', async (_, offset, outcome) => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + offset });
  onTestFinished(() => void vi.useRealTimers());
  const { stdout } = await comanda(['doctor', '--json']);
  const clock = outcomes(stdout).get('clock');
  expect(clock?.outcome, stdout).toBe(outcome);
  expect(clock?.found).toContain(offset > 0 ? 'ahead of the database' : 'behind the database');
});

it('brings back with relay retry what was set aside', async () => {
  await sql`
    insert into internal.captured_changes (location_id, resource, resource_ids, operation, failures, retry_at, error)
    select uuid_v7(), 'mystery', array[uuid_v7()], 'insert', f, now(), 'why' from unnest(array[3, 10]) f`;
  const { stdout } = await comanda(['relay', 'retry', '--json']);
  expect(JSON.parse(stdout)).toEqual({ retried: 2 });
  const rows = await sql('select distinct failures, retry_at, error from internal.captured_changes');
  expect(rows).toEqual([{ failures: 0, retry_at: null, error: null }]);
  await sql('delete from internal.captured_changes');
});

it('says in one line that no database runs, and what to do', async () => {
  const { code, stdout } = await comanda(['doctor'], join(folder, 'none'));
  expect(code).toBe(1);
  expect(stdout).toMatch(/WRONG +database reachable +no database is running: DATABASE_URL is not set/);
  expect(stdout).toContain('npm start');
});

test.each([
  ['half of a disk', 50, 100, 'ok'],
  ['a sliver of a large disk', 30, 2_000, 'ok'],
  ['little of a small one', 0.9, 20, 'warning'],
  ['almost nothing', 0.2, 2_000, 'wrong'],
  ['nothing', 0, 0, 'wrong'],
])('%s free is judged by bytes and share', (_, free, size, outcome) => {
  expect(judgeDisk(free * 1024 ** 3, size * 1024 ** 3, defaultThresholds).outcome).toBe(outcome);
});
