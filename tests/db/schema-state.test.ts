import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readSchemaState, requireSchema, SettingsError } from '@comanda/db';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { SchemaSources } from '../../packages/db/src/migrations/migrate.ts';
import { superuserUrl } from '../support/database.ts';
import { openSqlFolder, type SqlFolderKit } from '../support/sql-folder.ts';

let kit: SqlFolderKit;

beforeEach(async () => {
  kit = await openSqlFolder();
  kit.write({ one: 'CREATE VIEW one AS select 1 as number;' });
});
afterEach(() => kit.close());

const state = (release: string, more: SchemaSources = {}) =>
  readSchemaState(kit.client, { sqlDirectory: kit.directory, release, ...more });

/** The message of a process of this release when it starts; throws its refusal. */
async function start(release: string, more: SchemaSources = {}): Promise<string[]> {
  const warnings: string[] = [];
  const sources = { sqlDirectory: kit.directory, release, ...more };
  await requireSchema(kit.client, (line) => warnings.push(line), undefined, sources);
  return warnings;
}

describe('a start', () => {
  const refused = async (change: (url: URL) => void, asSuperuser = false) => {
    const url = new URL(asSuperuser ? superuserUrl(kit.url) : kit.url);
    change(url);
    const pool = new pg.Pool({ connectionString: url.href });
    const warnings: string[] = [];
    const sources = { sqlDirectory: kit.directory, release: '1.0.0', refusalMs: 700 };
    const started = requireSchema(pool, (line) => warnings.push(line), undefined, sources);
    const reason = await started.catch((error: unknown) => error);
    await pool.end();
    return { reason, warnings };
  };

  test.each<[string, (url: URL) => void, RegExp]>([
    [
      'a database that is not there',
      (url) => (url.pathname = '/nowhere'),
      /database "nowhere" does not exist/,
    ],
    ['a user who may not in', (url) => (url.username = 'nobody'), /"nobody"/],
  ])('reports from the first try why it waits for %s, and ends', async (_, change, why) => {
    const { reason, warnings } = await refused(change);
    expect(reason).toBeInstanceOf(SettingsError);
    expect(String(reason)).toMatch(/SettingsError: DATABASE_URL: /);
    expect(String(reason)).toMatch(why);
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toMatch(/^the database cannot be used yet: /);
    expect(warnings[0]).toMatch(why);
  });

  test.each([
    [
      'default_transaction_read_only=on',
      /default_transaction_read_only is on .* nothing can be written: reset it/,
    ],
    [
      'session_replication_role=replica',
      /session_replication_role is replica .* no trigger would record a change: reset it/,
    ],
  ])('ends with one sentence where sessions have %s', async (setting, why) => {
    await kit.apply({ release: '1.0.0' });
    const { reason, warnings } = await refused(
      (url) => url.searchParams.set('options', `-c ${setting}`),
      true,
    );
    expect(String(reason)).toMatch(/^SettingsError: DATABASE_URL: [^.]+$/);
    expect(String(reason)).toMatch(why);
    expect(warnings).toEqual([expect.stringMatching(why)]);
  });

  test('waits for a database that does not answer for as long as that takes', async () => {
    const asked = new AbortController();
    const pool = new pg.Pool({ connectionString: 'postgresql://u:p@127.0.0.1:1/x' });
    const warnings: string[] = [];
    const warn = (line: string) => {
      warnings.push(line);
      asked.abort();
    };
    await expect(requireSchema(pool, warn, asked.signal, { refusalMs: 0 })).rejects.toThrow('aborted');
    expect(warnings).toEqual([expect.stringMatching(/^the database cannot be used yet: .*ECONNREFUSED/)]);
    await pool.end();
  });
});

describe('a database', () => {
  test('that never had the folder is refused, until it is applied', async () => {
    expect(await state('1.0.0')).toEqual({ missing: [], unknown: [], misnoted: [], sql: 'missing' });
    await expect(start('1.0.0')).rejects.toThrow(
      'DATABASE_URL: the database lacks the functions and triggers of this version; comanda migrate applies what is missing, and so does npm start',
    );
    await kit.apply();
    expect(await state('1.0.0')).toEqual({ missing: [], unknown: [], misnoted: [], sql: 'applied' });
    expect(await start('1.0.0')).toEqual([]);
  });

  test('that has another text of the folder is refused', async () => {
    await kit.apply();
    kit.write({ one: 'CREATE VIEW one AS select 2 as number;' });
    await expect(start('1.1.0')).rejects.toThrow('lacks the functions and triggers of this version');
  });

  test('to which a newer release was applied is accepted by one that was there before, with a warning', async () => {
    await kit.apply();
    kit.write({ two: 'CREATE VIEW two AS select 2 as number;' });
    await kit.apply({ release: '1.1.0' });
    kit.write({ two: null });
    expect(await state('1.0.0')).toEqual({ missing: [], unknown: [], misnoted: [], sql: 'followed' });
    expect(await start('1.0.0')).toEqual([
      'the database has functions and triggers of another version, after those of this one: going on',
    ]);
  });

  test('to which a newer release was applied is refused by one that never was', async () => {
    await kit.apply({ release: '1.1.0' });
    kit.write({ one: 'CREATE VIEW one AS select 2 as number;' });
    await kit.apply({ release: '1.0.0' });
    await expect(start('1.0.0')).rejects.toThrow(
      'DATABASE_URL: the database has the functions and triggers of release 1.1.0, and never had those of this one, 1.0.0: run that release',
    );
  });

  test('is refused when the folder cannot be read, or holds what it may not', async () => {
    await kit.apply();
    kit.write({ one: 'DROP VIEW one;' });
    await expect(start('1.0.0')).rejects.toThrow('one.sql:1: "DROP VIEW one;" belongs to no object');
    const sqlDirectory = join(kit.directory, 'nowhere');
    await expect(start('1.0.0', { sqlDirectory })).rejects.toThrow('nowhere has no .sql files');
  });
});

test('a database of a version before the first migration is refused with a message', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'comanda-migrations-'));
  mkdirSync(join(directory, '29990101000000_baseline'));
  writeFileSync(join(directory, '29990101000000_baseline', 'migration.sql'), 'select 1');
  const reason =
    /^the database was made by a version before the first release \(it has migration \d+_\w+\): start with an empty one/;
  expect(await state('1.0.0', { directory })).toMatchObject({
    missing: ['29990101000000_baseline'],
    problem: expect.stringMatching(reason),
  });
  await expect(start('1.0.0', { directory })).rejects.toThrow('before the first release');
  await expect(kit.apply({ directory })).rejects.toThrow(reason);
  rmSync(directory, { recursive: true });
});
