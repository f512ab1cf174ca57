import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { migrate } from '../../packages/db/src/migrations/migrate.ts';
import { migrateQueue } from '../../packages/db/src/migrations/queue.ts';
import { createEmptyDatabase, type TestDatabase } from '../support/database.ts';
import { waitFor } from '../support/wait.ts';

let database: TestDatabase;
let directory: string;
let client: pg.Client;

beforeEach(async () => {
  database = await createEmptyDatabase();
  directory = mkdtempSync(join(tmpdir(), 'comanda-migrations-'));
  client = new pg.Client({ connectionString: database.url });
  await client.connect();
});

afterEach(async () => {
  await client.end();
  await database.drop();
  rmSync(directory, { recursive: true });
});

describe('a migration whose table is in use', () => {
  test('steps aside and tries again until it has its lock', async () => {
    write('20260101000000_first', 'create table steps (step integer)');
    await run();
    write('20260102000000_second', 'alter table steps add column name text');
    await client.query('begin; lock table steps in access share mode');
    const waits: string[] = [];
    const migration = run({ log: (line) => waits.push(line) });
    await waitFor('an attempt to be given up', () => waits.some((line) => line.includes('waits for a lock')));
    await client.query('commit');
    expect(await migration).toEqual({ applied: ['20260102000000_second'] });
  });

  test('is given up after its attempts and may be tried again', async () => {
    write('20260101000000_first', 'create table steps (step integer)');
    await run();
    write('20260102000000_second', 'alter table steps add column name text');
    await client.query('begin; lock table steps in access share mode');
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
    // The transaction is old enough to be named.
    await client.query('select pg_sleep(0.6)');
    const refusal = await run({ lockAttempts: 2 }).catch((error: Error) => error.message);
    expect(refusal).toMatch(
      new RegExp(
        `^migration 20260102000000_second got no lock in 2 attempts: a long transaction holds its tables; nothing was changed\\. pid ${rows[0]?.pid} \\(.*\\) has been in a transaction for \\d+ s\\. Let it end, or end it .* and migrate again`,
      ),
    );
    expect(await select('select migration_name from _prisma_migrations')).toHaveLength(1);
    await client.query('commit');
    expect(await run()).toEqual({ applied: ['20260102000000_second'] });
  });

  test('CONCURRENTLY gives up behind an older transaction, and its next run begins anew', async () => {
    write('20260101000000_first', 'create table steps (step integer)');
    await run();
    write(
      '20260102000000_second',
      'drop index concurrently if exists steps_idx; create index concurrently steps_idx on steps (step)',
    );
    await client.query('begin; insert into steps values (1)');
    await expect(run({ concurrentLockMs: 300 })).rejects.toThrow(
      'migration 20260102000000_second got no lock in 1 attempt: a long transaction holds its tables; an index that it began is built again by the next run',
    );
    await client.query('commit');
    const index = `select indisvalid as valid from pg_index where indexrelid = 'steps_idx'::regclass`;
    expect(await select(index)).toEqual([{ valid: false }]);
    expect(await run()).toEqual({ applied: ['20260102000000_second'] });
    expect(await select(index)).toEqual([{ valid: true }]);
  });

  test('of the queue is given up, too, and may be tried again', async () => {
    await migrateQueue(database.url);
    await client.query('delete from graphile_worker.migrations where id = 19');
    await client.query('begin; lock table graphile_worker.migrations in access exclusive mode');
    await expect(migrateQueue(database.url, { lockAttempts: 1 })).rejects.toThrow(
      "the queue's tables got no lock in 1 attempt",
    );
    await client.query('rollback');
    await migrateQueue(database.url);
    expect((await select('select id from graphile_worker.migrations')).length).toBe(19);
  });
});

function write(name: string, sql: string): void {
  mkdirSync(join(directory, name), { recursive: true });
  writeFileSync(join(directory, name, 'migration.sql'), sql);
}

async function run(options: Parameters<typeof migrate>[1] = {}): Promise<{ applied: string[] }> {
  const { applied } = await migrate(database.url, { directory, ...options });
  return { applied };
}

async function select<Row = unknown>(sql: string): Promise<Row[]> {
  return (await client.query(sql)).rows as Row[];
}
