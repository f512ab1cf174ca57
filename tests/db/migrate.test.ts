import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { repositoryRoot } from '../../packages/db/src/root.ts';
import { waitFor } from '../support/wait.ts';
import { useMigrations } from './migrations-folder.ts';

const { path, write, run, query, select } = useMigrations();

describe('migrate', () => {
  test('applies every migration once, in the order of the names', async () => {
    write('20260102000000_second', 'insert into steps values (2)');
    write('20260101000000_first', 'create table steps (step integer); insert into steps values (1);');
    const lines: string[] = [];
    expect(await run({ log: (line) => lines.push(line) })).toEqual({
      applied: ['20260101000000_first', '20260102000000_second'],
    });
    expect(lines).toEqual(['migration 20260101000000_first', 'migration 20260102000000_second']);
    expect(await run()).toEqual({ applied: [] });
    expect(await select('select step from steps order by step')).toEqual([{ step: 1 }, { step: 2 }]);
  });

  test('applies what was added since', async () => {
    write('20260101000000_first', 'create table steps (step integer)');
    await run();
    write('20260102000000_second', 'insert into steps values (2)');
    expect(await run()).toEqual({ applied: ['20260102000000_second'] });
  });

  test('keeps the history table that Prisma keeps', async () => {
    write('20260101000000_first', 'select 1');
    await run();
    expect(
      await select(`
        select column_name as name, udt_name as type, character_maximum_length as length,
               is_nullable = 'YES' as nullable, column_default as "default"
        from information_schema.columns where table_name = '_prisma_migrations' order by ordinal_position`),
    ).toEqual([
      { name: 'id', type: 'varchar', length: 36, nullable: false, default: null },
      { name: 'checksum', type: 'varchar', length: 64, nullable: false, default: null },
      { name: 'finished_at', type: 'timestamptz', length: null, nullable: true, default: null },
      { name: 'migration_name', type: 'varchar', length: 255, nullable: false, default: null },
      { name: 'logs', type: 'text', length: null, nullable: true, default: null },
      { name: 'rolled_back_at', type: 'timestamptz', length: null, nullable: true, default: null },
      { name: 'started_at', type: 'timestamptz', length: null, nullable: false, default: 'now()' },
      { name: 'applied_steps_count', type: 'int4', length: null, nullable: false, default: '0' },
    ]);
    const [row] = await select('select *, finished_at >= started_at as in_order from _prisma_migrations');
    expect(row).toMatchObject({
      id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/),
      checksum: createHash('sha256').update('select 1').digest('hex'),
      migration_name: '20260101000000_first',
      in_order: true,
      rolled_back_at: null,
      logs: null,
      applied_steps_count: 1,
    });
  });

  test('called by several at once applies each migration once', async () => {
    write('20260101000000_first', 'select pg_sleep(0.3); create table steps (step integer)');
    write('20260102000000_second', 'insert into steps values (2)');
    const results = await Promise.all([run(), run(), run(), run()]);
    expect(results.flatMap(({ applied }) => applied)).toHaveLength(2);
    expect(await select('select step from steps')).toEqual([{ step: 2 }]);
  });

  test('gives up when another process migrates for too long', async () => {
    await query('select pg_advisory_lock(72707369)');
    await expect(run({ waitSeconds: 1 })).rejects.toThrow('another process has been migrating');
    await query('select pg_advisory_unlock(72707369)');
    expect(await run()).toEqual({ applied: [] });
  });

  test('refuses a file that was changed after it was applied', async () => {
    write('20260101000000_first', 'create table steps (step integer)');
    await run();
    write('20260101000000_first', 'create table steps (step bigint)');
    write('20260102000000_second', 'insert into steps values (2)');
    await expect(run()).rejects.toThrow('20260101000000_first was changed after it was applied');
    expect(await select('select * from steps')).toEqual([]);
  });

  test('finds from the files of the release whether the file or the row was changed', async () => {
    const sources = { sqlDirectory: join(repositoryRoot, 'prisma', 'sql'), release: '1.2.3' };
    cpSync(join(repositoryRoot, 'prisma', 'migrations'), path(), { recursive: true });
    await run(sources);
    const [{ name, checksum } = { name: '', checksum: '' }] = await select<{
      name: string;
      checksum: string;
    }>('select migration_name as name, checksum from _prisma_migrations order by migration_name limit 1');
    const note = (noted: string) =>
      query('update _prisma_migrations set checksum = $1 where migration_name = $2', [noted, name]);
    await note('edited');
    await expect(run(sources)).rejects.toThrow(
      `the row of migration ${name} in _prisma_migrations was changed after it was applied; prisma/migrations/${name}/migration.sql is as release 1.2.3 shipped it. Set the row right:\n  update _prisma_migrations set checksum = '${checksum}' where migration_name = '${name}';`,
    );
    const file = path(name, 'migration.sql');
    const text = readFileSync(file, 'utf8');
    writeFileSync(file, `${text}-- edited`);
    await expect(run(sources)).rejects.toThrow('neither is known to be right');
    await note(checksum);
    await expect(run(sources)).rejects.toThrow(
      `the row in _prisma_migrations is as release 1.2.3 left it, and the file differs: restore prisma/migrations/${name}/migration.sql`,
    );
    writeFileSync(file, text);
    expect(await run(sources)).toMatchObject({ applied: [] });
  }, 60_000);

  test('takes the same file with other line endings for the same', async () => {
    write('20260101000000_first', 'create table steps\n(step integer);\n');
    await run();
    write('20260101000000_first', 'create table steps\r\n(step integer);\r\n');
    expect(await run()).toEqual({ applied: [] });
  });

  test('goes on when the database knows a migration that the code does not', async () => {
    write('20260101000000_newer', 'create table steps (step integer)');
    await run();
    rmSync(path('20260101000000_newer'), { recursive: true });
    const lines: string[] = [];
    expect(await run({ log: (line) => lines.push(line) })).toEqual({ applied: [] });
    expect(lines).toEqual([expect.stringContaining('20260101000000_newer, which this version')]);
  });

  test('refuses a database of a version before the first migration, in one sentence, and leaves it alone', async () => {
    write('20250101000000_old', 'create table steps (step integer)');
    await run();
    rmSync(path('20250101000000_old'), { recursive: true });
    write('20260101000000_first', 'create table firsts (step integer)');
    await expect(run()).rejects.toThrow(
      'the database was made by a version before the first release (it has migration 20250101000000_old): start with an empty one, for the embedded database by moving DATA_DIR away',
    );
    expect(await select(`select to_regclass('firsts') as firsts`)).toEqual([{ firsts: null }]);
  });

  test('names a folder without a file', async () => {
    mkdirSync(path('20260101000000_empty'));
    await expect(run()).rejects.toThrow('20260101000000_empty has no migration.sql');
  });
});

describe('a failed migration', () => {
  const broken = 'create table half (step integer);\ninsert into nowhere values (1);';

  test('leaves nothing behind but its row, and says where it failed', async () => {
    write('20260101000000_first', 'create table steps (step integer)');
    write('20260102000000_broken', broken);
    write('20260103000000_third', 'insert into steps values (3)');
    await expect(run()).rejects.toThrow(
      'migration 20260102000000_broken failed: line 2: relation "nowhere" does not exist (42P01)',
    );
    expect(await select(`select to_regclass('half') as half`)).toEqual([{ half: null }]);
    expect(await select('select * from steps')).toEqual([]);
    expect(await select('select migration_name, finished_at, logs from _prisma_migrations offset 1')).toEqual(
      [
        {
          migration_name: '20260102000000_broken',
          finished_at: null,
          logs: 'line 2: relation "nowhere" does not exist (42P01)',
        },
      ],
    );
  });

  test('is refused from then on, until the way the message shows', async () => {
    write('20260101000000_broken', broken);
    await run().catch(() => {});
    write('20260101000000_broken', 'create table repaired (step integer)');
    const refusal: Error = await run().then(
      () => expect.fail('should have been refused'),
      (error: Error) => error,
    );
    expect(refusal.message).toContain('20260101000000_broken failed earlier: line 2: relation "nowhere"');
    const way = /update .*;/.exec(refusal.message)?.[0] ?? expect.fail('shows no way');
    await query(way);
    expect(await run()).toEqual({ applied: ['20260101000000_broken'] });
    expect(await run()).toEqual({ applied: [] });
  });

  test('that commits by itself keeps what it committed and is reported', async () => {
    write('20260101000000_own', 'begin; create table kept (step integer); commit; select 1 / 0;');
    await expect(run()).rejects.toThrow('division by zero');
    expect(await select(`select to_regclass('kept') is not null as kept`)).toEqual([{ kept: true }]);
    expect(await select('select logs from _prisma_migrations')).toEqual([
      { logs: expect.stringContaining('division by zero') },
    ]);
    await expect(run()).rejects.toThrow('failed earlier');
  });
});

describe('a migration whose process dies', () => {
  test('leaves nothing behind and is applied by the next', async () => {
    write('20260101000000_slow', 'create table half (step integer); select pg_sleep(60);');
    const dying = run().catch((error: Error) => error);
    await waitFor('the migration to sleep', () => endMigrator('pg_sleep'));
    expect(await dying).toBeInstanceOf(Error);
    expect(await select(`select to_regclass('half') as half`)).toEqual([{ half: null }]);
    write('20260101000000_slow', 'create table half (step integer);');
    expect(await run()).toEqual({ applied: ['20260101000000_slow'] });
  });
});

/** Cuts the migrator's connection while it runs a statement that contains `text`. */
async function endMigrator(text: string): Promise<boolean> {
  const { rowCount } = await query(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and application_name = 'comanda-migrate' and query like $1
       and wait_event = 'PgSleep'`,
    [`%${text}%`],
  );
  return (rowCount ?? 0) > 0;
}
