import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { afterEach, beforeEach, expect, inject, test } from 'vitest';
import { migrate } from '../../packages/db/src/migrations/migrate.ts';
import { isUpToDate, planMigration } from '../../packages/db/src/migrations/plan.ts';
import { repositoryRoot } from '../../packages/db/src/root.ts';
import { copySql, type SqlCopy } from '../faults/rolling/sql-copy.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { roleUrl } from '../support/roles.ts';

// Builds of the version that the database of a test has.
const { version } = JSON.parse(readFileSync(join(repositoryRoot, 'package.json'), 'utf8'));
const older = `${version}+99990301T121000Z.aaaaaaa`;
const newer = `${version}+99990301T122000Z.bbbbbbb`;
const revert = `${version}+99990301T123000Z.ccccccc`;

let database: TestDatabase;
let url: string;
let client: pg.Client;
let oldSql: SqlCopy;
let newSql: SqlCopy;
beforeEach(async () => {
  database = await createTestDatabase();
  url = roleUrl(database.url, 'owner');
  client = new pg.Client({ connectionString: url });
  await client.connect();
  [oldSql, newSql] = [copySql(), copySql()];
  newSql.edit('changes', 'NEW.updated_at := date_trunc(', 'NEW.updated_at := /* newer */ date_trunc(');
});
afterEach(async () => {
  await client.end();
  await database.drop();
  oldSql.remove();
  newSql.remove();
});

const bring = (release: string, { directory: sqlDirectory }: SqlCopy, lines: string[] = []) =>
  migrate(url, {
    sqlDirectory,
    release,
    rolePrefix: inject('databasePrefix'),
    log: (line) => lines.push(line),
  });
const says = async (text: string) => (await client.query(text)).rows[0]?.yes;
const isNewer = () =>
  says(`select prosrc like '%/* newer */%' as yes from pg_proc where proname = 'touch_updated_at'`);
const reader = () => `${inject('databasePrefix')}_reader`;
const readerMayWrite = () =>
  says(`select has_column_privilege('${reader()}', 'locations', 'name', 'update') as yes`);

test('an older build of the same version leaves functions and grants as a newer one has made them, and says so', async () => {
  await bring(older, oldSql);
  await bring(newer, newSql);
  // As a newer version could: this one grants no such thing.
  await client.query(`grant update (name) on locations to ${reader()}`);
  const lines: string[] = [];
  expect(await bring(older, oldSql, lines)).toEqual({ applied: [], objects: [], dropped: [] });
  expect([await isNewer(), await readerMayWrite()]).toEqual([true, true]);
  expect(lines.join('\n')).toContain(`functions and triggers stay as release ${newer} has made them`);

  const plan = await planMigration(url, { release: older, sqlDirectory: oldSql.directory });
  expect(plan).toMatchObject({ migrations: [], objects: [], newer: { release: newer, left: 2 } });
  expect(isUpToDate(plan)).toBe(true);

  await bring(newer, newSql);
  expect([await isNewer(), await readerMayWrite()]).toEqual([true, false]);
});

test('a later commit that goes back to an older text is applied', async () => {
  await bring(older, oldSql);
  await bring(newer, newSql);
  expect((await bring(revert, oldSql)).objects).toContain('function touch_updated_at');
  expect(await isNewer()).toBe(false);
  // The build in between is the older one now.
  expect((await bring(newer, newSql)).objects).toEqual([]);
  expect(await isNewer()).toBe(false);
});

test('an edit without a commit is applied, and so is its undoing', async () => {
  await bring(newer, oldSql);
  await bring(`${newer}-dirty`, newSql);
  expect(await isNewer()).toBe(true);
  await bring(newer, oldSql);
  expect(await isNewer()).toBe(false);
});

test('an operator can still have the functions of an older build, as the documents say', async () => {
  await bring(older, oldSql);
  await bring(newer, newSql);
  const page = readFileSync(join(repositoryRoot, 'docs/operations/upgrades.md'), 'utf8');
  await client.query(/begin; .*delete from internal.sql_releases; commit;/.exec(page)?.[0] ?? '');
  await bring(older, oldSql);
  expect(await isNewer()).toBe(false);
});

test('an older build goes on with a newer one of the same functions', async () => {
  await bring(newer, oldSql);
  await bring(older, oldSql);
  const plan = await planMigration(url, { release: older, sqlDirectory: oldSql.directory });
  expect(plan).toMatchObject({ newer: { release: newer, left: 0 } });
  expect(plan.problem).toBeUndefined();
});
