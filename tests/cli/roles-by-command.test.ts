import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { migrate } from '../../packages/db/src/migrations/migrate.ts';
import { migrateQueue } from '../../packages/db/src/migrations/queue.ts';
import { roleKinds } from '../../packages/db/src/roles/names.ts';
import { runComanda } from '../support/command.ts';
import { quoteName, runOnce, urlOfDatabase } from '../support/server.ts';
import { openSession } from '../support/session.ts';

// Every command is a process of its own, and connects as a role that may create roles and is no superuser.

vi.setConfig({ testTimeout: 120_000 });

const suffix = randomBytes(4).toString('hex');
const password = 'operators-of-tests-need-no-secret';
const prefix = (n = 1) => `${inject('databasePrefix')}_c${n}${suffix}`;
const operator = () => `${prefix()}_operator`;
const name = (n = 1) => `${prefix(n)}_db`;
const urlOf = (user: string, n = 1): string => {
  const url = new URL(urlOfDatabase(inject('adminUrl'), name(n)));
  return Object.assign(url, { username: user, password }).href;
};
const service = () => urlOf(`${prefix()}_service`);
const ownerUrl = (n = 1) => urlOf(`${prefix(n)}_owner`, n);
const withoutPassword = (user: string): string => {
  const url = new URL(urlOf(user));
  url.password = '';
  return url.href;
};

/** A command in the database of a prefix. */
const comanda = (settings: Record<string, string>, ...argv: string[]) =>
  runComanda({ DATABASE_ROLE_PREFIX: prefix(), ...settings }, ...argv);
const asOperator = (...argv: string[]) => comanda({ DATABASE_URL: urlOf(operator()) }, ...argv);
const letIn = async (n = 1) => {
  for (const kind of roleKinds)
    await runOnce(urlOf(operator(), n), `alter role ${prefix(n)}_${kind} login password '${password}'`);
};

beforeAll(async () => {
  const admin = inject('adminUrl');
  await runOnce(admin, `create role ${operator()} login createrole password '${password}'`);
  for (const n of [1, 2]) await runOnce(admin, `create database ${quoteName(name(n))} owner ${operator()}`);
});
afterAll(async () => {
  const admin = inject('adminUrl');
  for (const n of [1, 2]) {
    await runOnce(admin, `drop database if exists ${quoteName(name(n))} with (force)`);
    for (const kind of roleKinds) await runOnce(admin, `drop role if exists ${prefix(n)}_${kind}`);
  }
  await runOnce(admin, `drop role ${operator()}`);
});

describe('comanda db roles --apply', () => {
  it('makes the four before there are tables, and again, and says so', async () => {
    for (let n = 0; n < 2; n += 1) {
      const made = await asOperator('db', 'roles', '--apply');
      expect(made, made.stderr).toMatchObject({ code: 0 });
      expect(made.stdout).toBe(
        `${prefix()}_… are made; the database was not brought to this version yet: comanda migrate grants the rest\n`,
      );
    }
    await letIn();
  });

  it('grants what there is to grant once the owner has migrated', async () => {
    await migrateQueue(ownerUrl());
    await migrate(ownerUrl(), { rolePrefix: prefix() });
    const made = await asOperator('db', 'roles', '--apply', '--json');
    expect(made, made.stderr).toMatchObject({ code: 0 });
    expect(JSON.parse(made.stdout)).toEqual({ roles: `${prefix()}_…`, granted: true });
  });

  it('fails for a role that may create no roles, with the reason', async () => {
    const made = await comanda({ DATABASE_URL: service() }, 'db', 'roles', '--apply');
    expect(made.code).toBe(1);
    expect(made.stderr).toMatch(/permission denied|must be/);
  });

  it('fails with a sentence where no database runs', async () => {
    const made = await comanda({ DATA_DIR: `/nonexistent-${suffix}` }, 'db', 'roles', '--apply');
    expect(made).toMatchObject({ code: 1, stderr: expect.stringMatching(/no database is running/) });
  });
});

it('comanda db roles prints SQL that does the same by psql, before the tables and after them', async () => {
  const { code, stdout } = await runComanda({ DATABASE_ROLE_PREFIX: prefix(2) }, 'db', 'roles');
  expect(code).toBe(0);
  const [setup = '', grants = ''] = stdout.split(/^-- For the owner.*$/m);
  await runOnce(urlOf(operator(), 2), setup);
  await letIn(2);
  await migrateQueue(ownerUrl(2));
  // As one role that does everything: grants come from the printed SQL alone.
  await migrate(ownerUrl(2), { rolePrefix: 'nobody' });
  await runOnce(ownerUrl(2), grants);
  const access = async (n: number) => {
    const client = await openSession(ownerUrl(n));
    const { rows } = await client.query<{ given: string }>(
      `select c.relname || ' ' || coalesce(a.attname, '') || ' ' || coalesce(a.attacl, c.relacl)::text as given
         from pg_class c left join pg_attribute a on a.attrelid = c.oid and a.attacl is not null
         where c.relnamespace in ('public'::regnamespace, 'internal'::regnamespace, 'graphile_worker'::regnamespace)
           and c.relkind in ('r', 'v', 'S') order by 1`,
    );
    return rows.map(({ given }) => sorted(given.replaceAll(prefix(n), 'shop')));
  };
  expect(await access(2)).toEqual(await access(1));
});

/** With the entries of its list in one order, which is that in which they were granted. */
const sorted = (given: string): string =>
  given.replace(/\{(.*)\}$/, (_, list: string) => `{${list.split(',').sort().join(',')}}`);

describe('comanda db url', () => {
  const url = async (settings: Record<string, string>, ...argv: string[]) => {
    const outcome = await comanda({ DATABASE_URL: service(), ...settings }, 'db', 'url', ...argv);
    const { code, stdout, stderr } = outcome;
    return code === 0 ? stdout.trim() : `${code} ${stderr.trim()}`;
  };

  it("gives the reader's unless another is asked for, without a password", async () => {
    expect(await url({})).toBe(withoutPassword(`${prefix()}_reader`));
    for (const role of ['admin', 'owner'])
      expect(await url({}, '--role', role)).toBe(withoutPassword(`${prefix()}_${role}`));
  });

  it("gives the owner's as it is set, and the others' past a pooler", async () => {
    expect(await url({ DATABASE_OWNER_URL: ownerUrl() }, '--role', 'owner')).toBe(ownerUrl());
    const pooled = new URL(service());
    pooled.searchParams.set('application_name', 'pooled');
    expect(await url({ DATABASE_URL: pooled.href, DATABASE_DIRECT_URL: service() }, '--role', 'admin')).toBe(
      withoutPassword(`${prefix()}_admin`),
    );
  });

  it('refuses a role that is none, and one that is not there', async () => {
    expect(await url({}, '--role', 'service')).toMatch(/^[12] .*reader.*admin.*owner/s);
    expect(await url({ DATABASE_ROLE_PREFIX: 'elsewhere' }, '--role', 'admin')).toMatch(
      /^1 .*elsewhere_admin has nothing to do here: comanda db roles --apply makes the roles/s,
    );
  });
});
