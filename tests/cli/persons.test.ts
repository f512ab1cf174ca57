import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { diagnose } from '../../packages/api/src/doctor/doctor.ts';
import { sessionsOfPeople } from '../../packages/api/src/doctor/roles-check.ts';
import { AuditEntry } from '../../packages/api/src/resources/audit/schema.ts';
import { roleBounds, sessionDefaults } from '../../packages/db/src/roles/bounds.ts';
import { useApi } from '../support/api.ts';
import { callComanda } from '../support/command.ts';
import { superuserUrl } from '../support/database.ts';
import { openAs, roleUrl } from '../support/roles.ts';
import { runOnce } from '../support/server.ts';
import { openSession } from '../support/session.ts';
import { withClient } from '../support/sql.ts';
import { parseStrict } from '../support/strict.ts';

const api = useApi();
const suffix = randomBytes(4).toString('hex');
const prefix = inject('databasePrefix');
const [operator, stranger] = [`operator_${suffix}`, `metabase_${suffix}`];
const password = 'operators-of-tests-need-no-secret';

const asSuperuser = (sql: string) => runOnce(superuserUrl(api.databaseUrl), sql);
const urlOf = (username: string, secret = password): string =>
  Object.assign(new URL(api.databaseUrl), { username, password: secret }).href;
const comanda = (url: string, ...argv: string[]) =>
  callComanda({ DATABASE_URL: url, DATABASE_ROLE_PREFIX: prefix, USER: 'somebody' }, ...argv);
const person = (...argv: string[]) => comanda(urlOf(operator), 'db', 'roles', 'person', ...argv);

/** A name that no other test has; the login of it is dropped after the test. */
function newName(name: string): string {
  const own = `${name}_${randomBytes(4).toString('hex')}`;
  onTestFinished(() => asSuperuser(`drop role if exists ${own}`));
  return own;
}

async function made(...argv: string[]) {
  const { code, stdout, stderr } = await person(...argv, '--json');
  expect(code, stdout + stderr).toBe(0);
  return JSON.parse(stdout) as Record<'name' | 'role' | 'url', string> & { new_password: boolean };
}

/** A session of a connection string, closed after the work. */
const signedIn = <Result>(url: string, work: (client: pg.Client) => Promise<Result>): Promise<Result> =>
  withClient(url, work, 'psql');

const refusedWith = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'nothing',
    (error: { code?: string }) => error.code ?? String(error),
  );

const entries = async (by: string) =>
  parseStrict(
    z.array(AuditEntry),
    JSON.parse((await comanda(api.databaseUrl, 'audit', '--by', by, '--json')).stdout),
  );

// No superuser, as of a managed database: who may make roles, and grant those of the service.
beforeAll(async () => {
  await asSuperuser(
    `create role ${operator} login createrole password '${password}';
     grant ${prefix}_admin, ${prefix}_reader to ${operator} with admin option;
     create role ${stranger} login password '${password}'`,
  );
});
afterAll(async () => {
  for (const name of [stranger, operator]) await asSuperuser(`drop role if exists ${name}`);
});

describe('comanda db roles person', () => {
  it('makes a login whose name no SQL changes in the audit, and a shared login only states one', async () => {
    const ana = newName('ana');
    const { url, ...rest } = await made(ana);
    expect(rest).toEqual({ name: ana, role: 'admin', new_password: true });
    expect(new URL(url).username).toBe(ana);
    const ids = await Promise.all([2, 3].map((price) => api.make.product({ price })));
    const change = 'update products set price = price + 1 where id = $1';
    await signedIn(url, async (client) => {
      await client.query(`set application_name = 'bob'`);
      for (const pretence of [
        `set session authorization ${prefix}_owner`,
        `set session authorization ${operator}`,
        `set role ${prefix}_owner`,
        `set role ${operator}`,
        `alter role ${ana} rename to bob_${suffix}`,
      ])
        expect(await refusedWith(client.query(pretence)), pretence).toMatch(/^(42501|0A000)$/);
      await client.query(`set role ${prefix}_admin`);
      await client.query(change, [ids[0]]);
    });
    const shared = await openAs(api.databaseUrl, 'admin');
    await shared.query(`set application_name = '${ana}'`);
    await shared.query(change, [ids[1]]);
    await shared.end();

    const [stated, known, ...others] = await entries(ana);
    expect(others).toEqual([]);
    const own = { role: ana, application: 'bob', by: ana, by_known: true };
    expect(known).toMatchObject({ resource_id: ids[0], ...own });
    expect(stated).toMatchObject({ resource_id: ids[1], role: `${prefix}_admin`, by: ana, by_known: false });
    const { stdout } = await comanda(api.databaseUrl, 'audit', '--by', ana);
    expect(stdout).toContain(` ${ana} by bob  `);
    expect(stdout).toContain(` ${prefix}_admin by ${ana} (stated) `);
  });

  it('gives the login the bounds of its role, which a member does not inherit', async () => {
    const { url } = await made(newName('ana'));
    await signedIn(url, async (client) => {
      for (const [setting, value] of Object.entries(sessionDefaults('admin'))) {
        const compared = 'select current_setting($1)::interval = $2::interval as same';
        const { rows } = await client.query(compared, [setting, value]);
        expect(rows, setting).toEqual([{ same: true }]);
      }
      const own = 'select rolconnlimit, rolinherit from pg_roles where rolname = session_user';
      const { rows } = await client.query(own);
      expect(rows).toEqual([{ rolconnlimit: roleBounds.admin.connections, rolinherit: true }]);
    });
  });

  it('done again keeps the password unless another is asked for', async () => {
    const ana = newName('ana');
    const first = await made(ana);
    const again = await made(ana);
    expect(again.new_password).toBe(false);
    expect(new URL(again.url).password).toBe('');
    const user = (client: pg.Client) => client.query('select session_user').then(({ rowCount }) => rowCount);
    expect(await signedIn(first.url, user)).toBe(1);
    const other = await made(ana, '--new-password');
    expect(await refusedWith(signedIn(first.url, user))).toBe('28P01');
    expect(await signedIn(other.url, user)).toBe(1);
  });

  it('makes a reader that writes nothing, and of an admin a reader when it is said', async () => {
    const rita = newName('rita');
    await api.make.product();
    const { url, role } = await made(rita);
    expect(role).toBe('admin');
    expect((await made(rita, '--role', 'reader')).role).toBe('reader');
    await signedIn(url, async (client) => {
      expect((await client.query('select 1 from products')).rowCount).toBeGreaterThan(0);
      expect(await refusedWith(client.query('update products set price = 1'))).toBe('25006');
      await client.query('set default_transaction_read_only = off');
      expect(await refusedWith(client.query('update products set price = 1'))).toBe('42501');
    });
  });

  it('leaves a login without a bound to doctor, and db roles --apply repairs settings that are no choice of the operator', async () => {
    const look = async () => {
      const { checks } = await diagnose({ DATABASE_URL: api.databaseUrl, DATABASE_ROLE_PREFIX: prefix });
      return checks.find(({ name }) => name === sessionsOfPeople.name)?.found ?? '';
    };
    const [ana, rita] = [newName('ana'), newName('rita')];
    await made(ana);
    await made(rita, '--role', 'reader');
    const before = await look();
    expect(before).not.toContain(ana);
    await asSuperuser(
      `alter role ${ana} reset statement_timeout; alter role ${ana} set lock_timeout = 0; alter role ${rita} connection limit -1;
       alter role ${rita} set statement_timeout = '7s'`,
    );
    expect(await look()).toMatch(new RegExp(`logins of people without some of them: .*${ana}.*${rita}`));
    const applied = await comanda(superuserUrl(api.databaseUrl), 'db', 'roles', '--apply');
    expect(applied.code, applied.stderr).toBe(0);
    expect(await look()).not.toMatch(new RegExp(`${ana}|${rita}`));
    const client = await openSession(superuserUrl(api.databaseUrl));
    const { rows } = await client.query<{ name: string; own: string[] }>(
      `select r.rolname as name, s.setconfig as own from pg_roles r join pg_db_role_setting s on s.setrole = r.oid
       where r.rolname in ($1, $2) order by 1`,
      [ana, rita],
    );
    expect(rows[0]?.own).toEqual(expect.arrayContaining(['statement_timeout=60s', 'lock_timeout=5s']));
    expect(rows[1]?.own).toContain('statement_timeout=7s');
  });

  it.each([
    ['Ana', 'must be 1 to 40 small letters'],
    ['ana; drop role x', 'must be 1 to 40 small letters'],
    ['comanda', 'is not a name for a person'],
    ['comanda_ana', 'is not a name for a person'],
    ['pg_ana', 'is not a name for a person'],
    ['public', 'is not a name for a person'],
    ['shop_service', 'is not a name for a person'],
    [`${prefix}_maria`, 'is not a name for a person'],
  ])('refuses the name %s', async (name, reason) => {
    const { code, stderr } = await person(name);
    expect(code).toBe(1);
    expect(stderr).toContain(reason);
  });

  it('takes no role that belongs to another person, and removes none', async () => {
    for (const argv of [[stranger], [operator], [operator, '--remove'], [stranger, '--remove']]) {
      const { code, stdout } = await person(...argv, '--json');
      expect(code, argv.join(' ')).toBe(1);
      expect(JSON.parse(stdout)).toEqual({
        error: { code: 'conflict', message: expect.stringMatching(/is not a person's here/) },
      });
    }
    await signedIn(urlOf(stranger), (client) => client.query('select 1'));
  });

  it('names its needs to a role that may create no roles, and where there are none', async () => {
    const lacking = await comanda(urlOf(stranger), 'db', 'roles', 'person', `bob_${suffix}`, '--json');
    expect(lacking.code).toBe(1);
    const needs = /^this needs CREATEROLE, and from PostgreSQL 16 on ADMIN OPTION on \w+_admin/;
    const { error } = JSON.parse(lacking.stdout);
    expect(error).toEqual({ code: 'permission_denied', message: expect.stringMatching(needs) });
    const absent = await callComanda(
      { DATABASE_URL: urlOf(operator), DATABASE_ROLE_PREFIX: 'nowhere' },
      ...['db', 'roles', 'person', `bob_${suffix}`],
    );
    const none = 'there is no role nowhere_admin: comanda db roles --apply makes the roles';
    expect(absent.stderr).toContain(none);
  });

  it('is taken away with its sessions, and what it did stays known', async () => {
    const ana = newName('ana');
    const { url } = await made(ana);
    const client = new pg.Client({ connectionString: url });
    const ended = new Promise((resolve) => client.on('error', resolve));
    await client.connect();
    await client.query(`set role ${prefix}_admin`);
    await client.query('update products set price = 3 where id = $1', [await api.make.product()]);
    // As a superuser, who may end it.
    const argv = ['db', 'roles', 'person', ana, '--remove', '--json'];
    const removed = await comanda(superuserUrl(api.databaseUrl), ...argv);
    expect(JSON.parse(removed.stdout)).toEqual({ name: ana, removed: true, kept: false, sessions: 0 });
    expect(await ended).toMatchObject({ code: '57P01' });
    expect(await refusedWith(signedIn(url, async () => {}))).toBe('28P01');
    expect((await entries(ana)).map(({ by_known }) => by_known)).toEqual([true]);
    const again = await person(ana, '--remove');
    expect(again).toMatchObject({ code: 0, stdout: `there is no login ${ana}\n` });
  });

  it('leaves a login that is a member of other roles, and takes what it had here', async () => {
    const rita = newName('rita');
    const { url } = await made(rita);
    await asSuperuser(`grant ${stranger} to ${rita}`);
    const removed = await person(rita, '--remove');
    expect(removed.stdout).toContain(`${rita} has nothing to do here any more; the login stays`);
    await signedIn(url, async (client) => {
      expect(await refusedWith(client.query('select 1 from products'))).toBe('42501');
    });
  });
});

it('a name over the role that does everything is stated', async () => {
  const id = await api.make.product();
  for (const url of [roleUrl(api.databaseUrl, 'owner'), superuserUrl(api.databaseUrl)])
    await (await openSession(url, 'eva')).query('update products set price = price + 1 where id = $1', [id]);
  const shown = (await entries('eva')).map(({ by, by_known }) => [by, by_known]);
  expect(shown).toEqual(Array(2).fill(['eva', false]));
});
