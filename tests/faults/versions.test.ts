import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase, statement } from '@comanda/db';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { migrate } from '../../packages/db/src/migrations/migrate.ts';
import { repositoryRoot } from '../../packages/db/src/root.ts';
import { compare } from '../model/compare.ts';
import { startDrive } from '../model/drive.ts';
import { openService } from '../model/service.ts';
import { createEmptyDatabase, createTestDatabase } from '../support/database.ts';
import { startProcess } from '../support/processes.ts';
import { roleUrl } from '../support/roles.ts';
import { reportFault } from '../support/trials.ts';
import { waitFor } from '../support/wait.ts';
import { hold } from './pressure/holder.ts';

let directory: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'comanda-newer-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

/** The changes that a newer version may make while this one runs: additions. Each name sorts behind every landed migration. */
const newer = {
  '29990101000001_columns': `alter table orders add column color text; alter table products add column color text;
    alter table product_stock add column shelf text`,
  '29990101000002_table': 'create table colors (name text primary key)',
  '29990101000003_index': `drop index concurrently if exists orders_color_idx;
    create index concurrently orders_color_idx on orders (location_id, color)`,
};

test('while a newer version migrates this version serves without a single 5xx, and nothing is lost', {
  timeout: 300_000,
}, async () => {
  const service = await openService({ restaurants: 2, callers: 3 });
  const worker = await service.start('worker');
  writeOurs();
  for (const [name, sql] of Object.entries(newer)) write(name, sql);
  const driven = startDrive(service.restaurants, { callers: 3, seed: 3, paceMs: 5, jobEvery: 200 });
  const orders = () => service.restaurants.reduce((sum, { model }) => sum + model.orders.length, 0);
  await waitFor('orders', () => orders() > 10, { timeoutMs: 60_000 });
  // A reader holds its lock for long: the migration has to give way more than once, and blocks no caller meanwhile.
  const reader = await hold(service.databaseUrl, 'select count(*) from orders');
  const waits: string[] = [];
  const migration = migrate(roleUrl(service.databaseUrl, 'owner'), {
    directory,
    log: (line) => waits.push(line),
  });
  await waitFor('the migration to step aside', () => waits.filter(isWait).length >= 2, {
    timeoutMs: 60_000,
  });
  const before = orders();
  await waitFor('orders while it waits', () => orders() > before + 5, {
    timeoutMs: 60_000,
  });
  await reader.close();
  expect((await migration).applied).toEqual(Object.keys(newer));
  const after = orders();
  await waitFor('orders afterwards', () => orders() > after + 10, { timeoutMs: 60_000 });
  await driven.stop();
  await compare(service);
  for (const { counts } of service.restaurants)
    expect(counts).toMatchObject({ unavailable: 0, unanswered: 0 });
  reportFault('migrated while a version runs', {
    trials: 1,
    real: waits.filter(isWait).length > 1 ? 1 : 0,
    steppedAside: waits.filter(isWait).length,
    orders: orders(),
  });
  await Promise.all([service.api.stop(), worker.stop()]);
  await service.close();
});

test('prepared statements whose columns a migration changed go on, on every connection and in transactions', async () => {
  const own = await createEmptyDatabase();
  const database = openDatabase({ url: own.url, poolSize: 4 });
  const readThings = statement<Record<string, unknown>>('test_things', 'select * from things');
  await database.pool.query('create table things (a int); insert into things values (1)');
  const everywhere = () => Promise.all([1, 2, 3, 4].map(() => database.run(readThings, [])));
  expect(await everywhere()).toEqual(Array(4).fill([{ a: 1 }]));
  await database.pool.query('alter table things add column b int');
  expect(await everywhere()).toEqual(Array(4).fill([{ a: 1, b: null }]));
  await database.pool.query('alter table things add column c int');
  const inside = await database.transaction(undefined, async (tx) => {
    await tx.run(statement('test_add_thing', 'insert into things values (2)'), []);
    return tx.run(readThings, []);
  });
  expect(inside).toHaveLength(2);
  expect(await database.run(readThings, [])).toHaveLength(2);
  await database.close();
  await own.drop();
});

const entries = ['api', 'worker'] as const;

test('API and worker go on with migrations that are newer than they are, and say so', async () => {
  const own = await createTestDatabase();
  writeOurs();
  write('29990101000002_table', newer['29990101000002_table']);
  await migrate(roleUrl(own.url, 'owner'), { directory });
  await Promise.all(
    entries.map(async (entry) => {
      const running = await startProcess({ entry, env: { DATABASE_URL: own.url, LOG_LEVEL: 'warn' } });
      await waitFor('the warning', () => running.output().includes('29990101000002_table'));
      expect(await running.stop()).toEqual({ code: 0, signal: null });
    }),
  );
  await own.drop();
});

// That they refuse one without their functions and triggers is in tests/db/schema-state.test.ts.
test('API and worker refuse in one line to serve a database that lacks migrations', async () => {
  const own = await createEmptyDatabase();
  await Promise.all(
    entries.map(async (entry) => {
      // On a slow machine the API answers already when it finds that out.
      const refusal = await startProcess({ entry, env: { DATABASE_URL: own.url } }).then(
        async ({ ended, output }) => `exit code ${(await ended).code}\n${output()}`,
        (error: Error) => error.message,
      );
      expect(refusal).toMatch(
        /exit code 78.*DATABASE_URL: the database lacks migration 20261122000000_baseline( and \d+ more)?; comanda migrate applies/s,
      );
    }),
  );
  await own.drop();
});

test('an index that is built CONCURRENTLY by one start does not stop another start that waits for it', async () => {
  const own = await createEmptyDatabase();
  write('29990101000001_base', 'create table orders (location_id int, color text)');
  write('29990101000003_index', newer['29990101000003_index']);
  const both = await Promise.all([migrate(own.url, { directory }), migrate(own.url, { directory })]);
  expect(both.flatMap(({ applied }) => applied)).toEqual(['29990101000001_base', '29990101000003_index']);
  await own.drop();
});

/** A newer version has what this one has. */
function writeOurs(): void {
  cpSync(join(repositoryRoot, 'prisma', 'migrations'), directory, { recursive: true });
}

const isWait = (line: string) => line.includes('waits for a lock');

function write(name: string, sql: string): void {
  mkdirSync(join(directory, name), { recursive: true });
  writeFileSync(join(directory, name, 'migration.sql'), sql);
}
