import { describe, expect, test } from 'vitest';
import { migrateQueue } from '../../packages/db/src/migrations/queue.ts';
import { waitFor } from '../support/wait.ts';
import { useMigrations } from './migrations-folder.ts';

const { url, write, run, query, select } = useMigrations();

describe('a migration whose table is in use', () => {
  test('steps aside and tries again until it has its lock', async () => {
    write('20260101000000_first', 'create table steps (step integer)');
    await run();
    write('20260102000000_second', 'alter table steps add column name text');
    await query('begin; lock table steps in access share mode');
    const waits: string[] = [];
    const migration = run({ log: (line) => waits.push(line) });
    await waitFor('an attempt to be given up', () => waits.some((line) => line.includes('waits for a lock')));
    await query('commit');
    expect(await migration).toEqual({ applied: ['20260102000000_second'] });
  });

  test('is given up after its attempts and may be tried again', async () => {
    write('20260101000000_first', 'create table steps (step integer)');
    await run();
    write('20260102000000_second', 'alter table steps add column name text');
    await query('begin; lock table steps in access share mode');
    const { rows } = await query<{ pid: number }>('select pg_backend_pid() as pid');
    // The transaction is old enough to be named.
    await query('select pg_sleep(0.6)');
    const refusal = await run({ lockAttempts: 2 }).catch((error: Error) => error.message);
    expect(refusal).toMatch(
      new RegExp(
        `^migration 20260102000000_second got no lock in 2 attempts: a long transaction holds its tables; nothing was changed\\. pid ${rows[0]?.pid} \\(.*\\) has been in a transaction for \\d+ s\\. Let it end, or end it .* and migrate again`,
      ),
    );
    expect(await select('select migration_name from _prisma_migrations')).toHaveLength(1);
    await query('commit');
    expect(await run()).toEqual({ applied: ['20260102000000_second'] });
  });

  test('CONCURRENTLY gives up behind an older transaction, and its next run begins again', async () => {
    write('20260101000000_first', 'create table steps (step integer)');
    await run();
    write(
      '20260102000000_second',
      'drop index concurrently if exists steps_idx; create index concurrently steps_idx on steps (step)',
    );
    await query('begin; insert into steps values (1)');
    await expect(run({ concurrentLockMs: 300 })).rejects.toThrow(
      'migration 20260102000000_second got no lock in 1 attempt: a long transaction holds its tables; an index that it began is built again by the next run',
    );
    await query('commit');
    const index = `select indisvalid as valid from pg_index where indexrelid = 'steps_idx'::regclass`;
    expect(await select(index)).toEqual([{ valid: false }]);
    expect(await run()).toEqual({ applied: ['20260102000000_second'] });
    expect(await select(index)).toEqual([{ valid: true }]);
  });

  test('of the queue is given up, too, and may be tried again', async () => {
    await migrateQueue(url());
    await query('delete from graphile_worker.migrations where id = 19');
    await query('begin; lock table graphile_worker.migrations in access exclusive mode');
    await expect(migrateQueue(url(), { lockAttempts: 1 })).rejects.toThrow(
      "the queue's tables got no lock in 1 attempt",
    );
    await query('rollback');
    await migrateQueue(url());
    expect((await select('select id from graphile_worker.migrations')).length).toBe(19);
  });
});
