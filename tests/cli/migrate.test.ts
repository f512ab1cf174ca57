import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type pg from 'pg';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { type CommandOutcome, callComanda } from '../support/command.ts';
import { useOperated } from '../support/operated.ts';
import { runOnce } from '../support/server.ts';
import { openSession } from '../support/session.ts';
import { useClosed } from '../support/use.ts';

// As an operator would: roles by `comanda db roles --apply`, then migrations as the owner, apart from anything that serves.

/** A database with the roles, and the owner's connection in a file. */
function useRoles() {
  const place = useOperated();
  return useClosed(async () => {
    const { prefix, url } = place;
    const asOperator = { DATABASE_ROLE_PREFIX: prefix, DATABASE_URL: url('operator') };
    const made = await callComanda(asOperator, 'db', 'roles', '--apply');
    expect(made, made.stderr).toMatchObject({ code: 0 });
    await place.letIn();
    const ownerFile = join(inject('runDirectory'), `owner-${prefix}`);
    writeFileSync(ownerFile, `${url('owner')}\n`, { mode: 0o600 });
    const asService = { DATABASE_ROLE_PREFIX: prefix, DATABASE_URL: url('service') };
    return {
      prefix,
      url,
      ownerFile,
      asService,
      comanda: (...argv: string[]) =>
        callComanda({ ...asService, DATABASE_OWNER_URL_FILE: ownerFile }, ...argv),
      query: async <Row extends pg.QueryResultRow>(text: string): Promise<Row[]> =>
        (await (await openSession(url('owner'))).query<Row>(text)).rows,
      close: async () => rmSync(ownerFile, { force: true }),
    };
  });
}

describe('comanda migrate of an empty database', () => {
  const empty = useRoles();

  it('says what an empty database lacks, with exit code 1, and changes nothing', async () => {
    const status = await empty.comanda('migrate', '--status');
    expect(status.code, status.stderr).toBe(1);
    expect(status.stdout).toMatch(
      /^To do, by comanda migrate:\nqueue: from 0 to \d+\nmigration \d{14}_baseline\n/,
    );
    expect(status.stdout).toMatch(
      /\n\d+ functions, views and triggers, and those that are made of tables\n$/,
    );
    expect(
      await empty.query(`select relname from pg_class where relnamespace = 'public'::regnamespace`),
    ).toEqual([]);
  });

  it('needs no key in production, since it seals nothing: as comanda-migrate.service starts it', async () => {
    const unit = { NODE_ENV: 'production', DATA_DIR: '/tmp', DATABASE_URL_FILE: empty.ownerFile };
    const status = await callComanda({ DATABASE_ROLE_PREFIX: empty.prefix, ...unit }, 'migrate', '--status');
    expect(status.stdout, status.stderr).toMatch(/^To do, by comanda migrate:\n/);
  });

  it('shows the SQL of each migration before it runs', async () => {
    const dry = await empty.comanda('migrate', '--dry-run', '--json');
    expect(dry.code, dry.stderr).toBe(1);
    const { plan } = JSON.parse(dry.stdout);
    expect(plan.migrations[0].sql).toMatch(/CREATE TABLE/);
    expect(plan.objects).toContain('function place_order_batch');
    const schemas = `select nspname from pg_namespace where nspname in ('internal', 'graphile_worker')`;
    expect(await empty.query(schemas)).toEqual([]);
  });
});

describe('comanda migrate', () => {
  const migrated = useRoles();
  let made: CommandOutcome;
  beforeAll(async () => {
    made = await migrated.comanda('migrate');
  });

  it('applies all of it as the owner, the queue included, and is then up to date', async () => {
    expect(made, made.stderr).toMatchObject({ code: 0 });
    expect(made.stdout).toMatch(/^\d+ migrations applied, \d+ functions and triggers made\n$/);
    expect(made.stderr).toMatch(/^migration \d{14}_baseline$/m);
    const tables = await migrated.query<{ owner: string }>(
      `select distinct pg_get_userbyid(relowner) as owner from pg_class
       where relkind = 'r' and relnamespace in ('public'::regnamespace, 'internal'::regnamespace, 'graphile_worker'::regnamespace)`,
    );
    expect(tables).toEqual([{ owner: `${migrated.prefix}_owner` }]);

    // Also the number that this version expects of the queue, which is in the code.
    const [queue] = await migrated.query<{ last: number }>(
      'select max(id) as last from graphile_worker.migrations',
    );
    const status = await migrated.comanda('migrate', '--status', '--json');
    expect(status, status.stderr).toMatchObject({ code: 0 });
    expect(JSON.parse(status.stdout).plan).toEqual({
      queue: { applied: queue?.last, latest: queue?.last },
      migrations: [],
      objects: [],
      unknown: [],
    });
    expect(await migrated.comanda('migrate')).toMatchObject({ code: 0, stdout: 'up to date\n' });
  });

  it('is distinguished from serving: doctor finds nothing that another command would have to do first', async () => {
    const doctor = await migrated.comanda('doctor', '--json');
    const { checks } = JSON.parse(doctor.stdout) as { checks: { name: string; outcome: string }[] };
    const outcomes = Object.fromEntries(checks.map(({ name: check, outcome }) => [check, outcome]));
    expect(outcomes).toMatchObject({ migrations: 'ok', roles: 'ok', writing: 'ok' });
  });

  it('fails as the service, which may change no table, and says so', async () => {
    await runOnce(
      migrated.url('owner'),
      `update internal.sql_objects set checksum = '' where identity = 'function place_order_batch'`,
    );
    const refused = await callComanda(migrated.asService, 'migrate');
    expect(refused.code).toBe(1);
    expect(refused.stderr).toMatch(/permission denied|must be owner/);
    expect(await migrated.comanda('migrate')).toMatchObject({
      code: 0,
      stdout: '1 functions and triggers made\n',
    });
  });
});
