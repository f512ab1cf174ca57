import { beforeAll, describe, expect, it } from 'vitest';
import { migrate } from '../../packages/db/src/migrations/migrate.ts';
import { migrateQueue } from '../../packages/db/src/migrations/queue.ts';
import { type CommandOutcome, callComanda } from '../support/command.ts';
import { type Operated, useOperated } from '../support/operated.ts';
import { runOnce } from '../support/server.ts';
import { openSession } from '../support/session.ts';

// Commands connect as a role that may create roles and is no superuser.

const applied = useOperated();
const printed = useOperated();

/** A command in the database of the first. */
const comanda = (settings: Record<string, string>, ...argv: string[]) =>
  callComanda({ DATABASE_ROLE_PREFIX: applied.prefix, ...settings }, ...argv);
const apply = (...argv: string[]) =>
  comanda({ DATABASE_URL: applied.url('operator') }, 'db', 'roles', '--apply', ...argv);
const service = () => applied.url('service');
const withoutPassword = (role: 'owner' | 'admin' | 'reader'): string =>
  Object.assign(new URL(applied.url(role)), { password: '' }).href;
const migrateAsOwner = async ({ url }: Operated, rolePrefix: string) => {
  await migrateQueue(url('owner'));
  await migrate(url('owner'), { rolePrefix });
};

/** Of two runs before there are tables, and of one after. */
const made: CommandOutcome[] = [];
beforeAll(async () => {
  made.push(await apply(), await apply());
  await applied.letIn();
  await migrateAsOwner(applied, applied.prefix);
  made.push(await apply('--json'));
});

describe('comanda db roles --apply', () => {
  it('makes the four before there are tables, and again, and says so', () => {
    const stdout = `${applied.prefix}_… are made; the database was not brought to this version yet: comanda migrate grants the rest\n`;
    for (const one of made.slice(0, 2)) expect(one, one.stderr).toMatchObject({ code: 0, stdout });
  });

  it('grants what there is to grant once the owner has migrated', () => {
    const last = made.at(-1);
    expect(last, last?.stderr).toMatchObject({ code: 0 });
    expect(JSON.parse(last?.stdout ?? '')).toEqual({ roles: `${applied.prefix}_…`, granted: true });
  });

  it('fails for a role that may create no roles, with the reason', async () => {
    const refused = await comanda({ DATABASE_URL: service() }, 'db', 'roles', '--apply');
    expect(refused.code).toBe(1);
    expect(refused.stderr).toMatch(/permission denied|must be/);
  });

  it('fails with a sentence where no database runs', async () => {
    const refused = await comanda({ DATA_DIR: `/nonexistent-${applied.prefix}` }, 'db', 'roles', '--apply');
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringMatching(/no database is running/) });
  });
});

it('comanda db roles prints SQL that does the same by psql, before the tables and after them', async () => {
  const { code, stdout } = await callComanda({ DATABASE_ROLE_PREFIX: printed.prefix }, 'db', 'roles');
  expect(code).toBe(0);
  const [setup = '', grants = ''] = stdout.split(/^-- For the owner.*$/m);
  await runOnce(printed.url('operator'), setup);
  await printed.letIn();
  // As one role that does everything: grants come from the printed SQL alone.
  await migrateAsOwner(printed, 'nobody');
  await runOnce(printed.url('owner'), grants);
  const access = async ({ url, prefix }: Operated) => {
    const client = await openSession(url('owner'));
    const { rows } = await client.query<{ given: string }>(
      `select c.relname || ' ' || coalesce(a.attname, '') || ' ' || coalesce(a.attacl, c.relacl)::text as given
         from pg_class c left join pg_attribute a on a.attrelid = c.oid and a.attacl is not null
         where c.relnamespace in ('public'::regnamespace, 'internal'::regnamespace, 'graphile_worker'::regnamespace)
           and c.relkind in ('r', 'v', 'S') order by 1`,
    );
    return rows.map(({ given }) => sorted(given.replaceAll(prefix, 'shop')));
  };
  expect(await access(printed)).toEqual(await access(applied));
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
    expect(await url({})).toBe(withoutPassword('reader'));
    for (const role of ['admin', 'owner'] as const)
      expect(await url({}, '--role', role)).toBe(withoutPassword(role));
  });

  it("gives the owner's as it is set, and the others' past a pooler", async () => {
    expect(await url({ DATABASE_OWNER_URL: applied.url('owner') }, '--role', 'owner')).toBe(
      applied.url('owner'),
    );
    const pooled = new URL(service());
    pooled.searchParams.set('application_name', 'pooled');
    expect(await url({ DATABASE_URL: pooled.href, DATABASE_DIRECT_URL: service() }, '--role', 'admin')).toBe(
      withoutPassword('admin'),
    );
  });

  it('refuses a role that is none, and one that is not there', async () => {
    expect(await url({}, '--role', 'service')).toMatch(/^[12] .*reader.*admin.*owner/s);
    expect(await url({ DATABASE_ROLE_PREFIX: 'elsewhere' }, '--role', 'admin')).toMatch(
      /^1 .*elsewhere_admin has nothing to do here: comanda db roles --apply makes the roles/s,
    );
  });
});
