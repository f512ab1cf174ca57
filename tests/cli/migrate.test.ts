import { randomBytes } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type pg from 'pg';
import { afterAll, beforeAll, expect, inject, it, vi } from 'vitest';
import { roleKinds } from '../../packages/db/src/roles/names.ts';
import { runComanda } from '../support/command.ts';
import { quoteName, runOnce, urlOfDatabase } from '../support/server.ts';
import { openSession } from '../support/session.ts';

// As an operator would: roles by `comanda db roles --apply`, then migrations as the owner, apart from anything that serves.

vi.setConfig({ testTimeout: 120_000 });

const suffix = randomBytes(4).toString('hex');
const password = 'operators-of-tests-need-no-secret';
const prefix = () => `${inject('databasePrefix')}_m${suffix}`;
const operator = () => `${prefix()}_operator`;
const name = () => `${prefix()}_db`;
const urlOf = (user: string): string =>
  Object.assign(new URL(urlOfDatabase(inject('adminUrl'), name())), { username: user, password }).href;
const ownerFile = () => join(inject('runDirectory'), `owner-${suffix}`);

const asService = () => ({ DATABASE_ROLE_PREFIX: prefix(), DATABASE_URL: urlOf(`${prefix()}_service`) });

/** With the service's connection in the environment and the owner's in a file. */
const comanda = (...argv: string[]) =>
  runComanda({ ...asService(), DATABASE_OWNER_URL_FILE: ownerFile() }, ...argv);

const query = async <Row extends pg.QueryResultRow>(text: string): Promise<Row[]> => {
  const client = await openSession(urlOf(`${prefix()}_owner`));
  return (await client.query<Row>(text)).rows;
};

beforeAll(async () => {
  await runOnce(inject('adminUrl'), `create role ${operator()} login createrole password '${password}'`);
  await runOnce(inject('adminUrl'), `create database ${quoteName(name())} owner ${operator()}`);
  const made = await runComanda(
    { DATABASE_ROLE_PREFIX: prefix(), DATABASE_URL: urlOf(operator()) },
    ...['db', 'roles', '--apply'],
  );
  expect(made, made.stderr).toMatchObject({ code: 0 });
  for (const kind of roleKinds)
    await runOnce(urlOf(operator()), `alter role ${prefix()}_${kind} login password '${password}'`);
  writeFileSync(ownerFile(), `${urlOf(`${prefix()}_owner`)}\n`, { mode: 0o600 });
}, 120_000);
afterAll(async () => {
  rmSync(ownerFile(), { force: true });
  await runOnce(inject('adminUrl'), `drop database if exists ${quoteName(name())} with (force)`);
  for (const kind of roleKinds) await runOnce(inject('adminUrl'), `drop role if exists ${prefix()}_${kind}`);
  await runOnce(inject('adminUrl'), `drop role ${operator()}`);
});

it('says what an empty database lacks, with exit code 1, and changes nothing', async () => {
  const status = await comanda('migrate', '--status');
  expect(status.code, status.stderr).toBe(1);
  expect(status.stdout).toMatch(
    /^To do, by comanda migrate:\nqueue: from 0 to \d+\nmigration \d{14}_baseline\n/,
  );
  expect(status.stdout).toMatch(/\n\d+ functions, views and triggers, and those that are made of tables\n$/);
  expect(await query(`select relname from pg_class where relnamespace = 'public'::regnamespace`)).toEqual([]);
});

it('needs no key in production, since it seals nothing: as comanda-migrate.service starts it', async () => {
  const unit = { NODE_ENV: 'production', DATA_DIR: '/tmp', DATABASE_URL_FILE: ownerFile() };
  const status = await runComanda({ DATABASE_ROLE_PREFIX: prefix(), ...unit }, 'migrate', '--status');
  expect(status.stdout, status.stderr).toMatch(/^To do, by comanda migrate:\n/);
});

it('shows the SQL of each migration before it runs', async () => {
  const dry = await comanda('migrate', '--dry-run', '--json');
  expect(dry.code, dry.stderr).toBe(1);
  const { plan } = JSON.parse(dry.stdout);
  expect(plan.migrations[0].sql).toMatch(/CREATE TABLE/);
  expect(plan.objects).toContain('function place_orders');
  const schemas = `select nspname from pg_namespace where nspname in ('internal', 'graphile_worker')`;
  expect(await query(schemas)).toEqual([]);
});

it('applies all of it as the owner, the queue included, and is then up to date', async () => {
  const made = await comanda('migrate');
  expect(made, made.stderr).toMatchObject({ code: 0 });
  expect(made.stdout).toMatch(/^\d+ migrations applied, \d+ functions and triggers made\n$/);
  expect(made.stderr).toMatch(/^migration \d{14}_baseline$/m);
  const tables = await query<{ owner: string }>(
    `select distinct pg_get_userbyid(relowner) as owner from pg_class
     where relkind = 'r' and relnamespace in ('public'::regnamespace, 'internal'::regnamespace, 'graphile_worker'::regnamespace)`,
  );
  expect(tables).toEqual([{ owner: `${prefix()}_owner` }]);

  // Also the number that this version expects of the queue, which is in the code.
  const [queue] = await query<{ last: number }>('select max(id) as last from graphile_worker.migrations');
  const status = await comanda('migrate', '--status', '--json');
  expect(status, status.stderr).toMatchObject({ code: 0 });
  expect(JSON.parse(status.stdout).plan).toEqual({
    queue: { applied: queue?.last, latest: queue?.last },
    ...{ migrations: [], objects: [], unknown: [] },
  });
  expect(await comanda('migrate')).toMatchObject({ code: 0, stdout: 'up to date\n' });
});

it('is distinguished from serving: doctor finds nothing that another command would have to do first', async () => {
  const doctor = await comanda('doctor', '--json');
  const { checks } = JSON.parse(doctor.stdout) as { checks: { name: string; outcome: string }[] };
  const outcomes = Object.fromEntries(checks.map(({ name: check, outcome }) => [check, outcome]));
  expect(outcomes).toMatchObject({ migrations: 'ok', roles: 'ok', writing: 'ok' });
});

it('fails as the service, which may change no table, and says so', async () => {
  await runOnce(
    urlOf(`${prefix()}_owner`),
    `update internal.sql_objects set checksum = '' where identity = 'function place_orders'`,
  );
  const refused = await runComanda(asService(), 'migrate');
  expect(refused.code).toBe(1);
  expect(refused.stderr).toMatch(/permission denied|must be owner/);
  expect(await comanda('migrate')).toMatchObject({ code: 0, stdout: '1 functions and triggers made\n' });
});
