import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { migrate } from '../../../packages/db/src/migrations/migrate.ts';
import { migrateQueue } from '../../../packages/db/src/migrations/queue.ts';
import { embeddedRoles } from '../../../packages/embedded/src/roles.ts';
import {
  type EmbeddedServer,
  embeddedLoginUrl,
  startEmbedded,
} from '../../../packages/embedded/src/server.ts';
import { callComanda } from '../../../tests/support/command.ts';
import { openStudioDatabase } from '../src/database.ts';
import { openStudio, type StudioSettings } from './run.ts';

// Studio on an embedded database of its own, whose operator makes logins for persons.

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const folder = mkdtempSync(join(tmpdir(), 'comanda-persons-'));
const dataDir = join(folder, 'data');
let server: EmbeddedServer;
let superuser: pg.Client;
let adminUrl: string;

const comanda = (...argv: string[]) => callComanda({ DATA_DIR: dataDir }, ...argv);
const person = async (...argv: string[]): Promise<string> => {
  const { code, stdout, stderr } = await comanda('db', 'roles', 'person', ...argv, '--json');
  expect(code, stdout + stderr).toBe(0);
  return (JSON.parse(stdout) as { url: string }).url;
};

let anaUrl: string;
let productId: string;

beforeAll(async () => {
  server = await startEmbedded({ dataDir, settings: { fsync: 'off' } });
  const urls = await embeddedRoles(dataDir, 'comanda');
  adminUrl = urls.admin;
  await migrateQueue(urls.owner);
  await migrate(urls.owner, { rolePrefix: 'comanda' });
  superuser = new pg.Client({ connectionString: server.url });
  await superuser.connect();
  anaUrl = await person('ana');
  await person('bob');
  const { rows } = await superuser.query<{ id: string }>(
    `with l as (insert into locations (name, timezone, currency) values ('Bar', 'UTC', 'USD') returning id)
     insert into products (location_id, sku, name, price) select id, 'FW', 'Flat White', 2 from l returning id`,
  );
  productId = rows[0]?.id ?? '';
});
afterAll(async () => {
  await superuser?.end();
  await server?.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Studio with these settings for the rest of the test. */
async function studio(settings: StudioSettings, ...args: string[]) {
  const run = await openStudio({ DATA_DIR: dataDir, ...settings }, args);
  onTestFinished(async () => void (await run.close()));
  return {
    output: run.output,
    /** As whom a page of it is signed in to the database. */
    users: async () => {
      await run.query(`select current_setting('timezone') as "timezone"`);
      const { rows } = await superuser.query<{ name: string }>(
        `select distinct usename as name from pg_stat_activity where application_name in ('studio', 'eva')`,
      );
      return rows.map(({ name }) => name);
    },
  };
}

describe('npm run studio', () => {
  it('signs in as the person of --as where there is a login, so the name is known', async () => {
    const run = await studio({}, '--edit', '--as', 'ana');
    expect(await run.users()).toEqual(['ana']);
    expect(run.output()).toContain('as ana, comanda_admin;');
    expect(run.output()).not.toContain('stated');
  });

  it('says that a name is only stated where the person has no login', async () => {
    const run = await studio({}, '--edit', '--as', 'eva');
    expect(await run.users()).toEqual(['comanda_admin']);
    expect(run.output()).toMatch(/the audit marks eva as stated, .*: comanda db roles person makes one/);
  });

  it('takes the name of the login in DATABASE_URL, and no other', async () => {
    const run = await studio({ DATABASE_URL: anaUrl }, '--edit');
    expect(await run.users()).toEqual(['ana']);
    expect(run.output()).toContain('as ana, comanda_admin;');
    await expect(studio({ DATABASE_URL: anaUrl }, '--edit', '--as', 'bob')).rejects.toThrow(
      '--as: the database is opened as ana, so ana makes the edits: leave --as out',
    );
  });
});

// No query of a grid is one of these: what holds would hold if one were.
describe('a statement that gets to the database of Studio', () => {
  const open = async (url: string, name: string) => {
    const database = await openStudioDatabase({ url, name, role: 'comanda_admin', readOnly: false });
    onTestFinished(() => database.close());
    return database;
  };
  const update = (price: number) => ({
    sql: 'update products set price = $1 where id = $2',
    parameters: [price, productId],
  });
  const last = async () => {
    const { stdout } = await comanda('audit', '--limit', '1', '--json');
    return (JSON.parse(stdout) as Record<string, unknown>[])[0];
  };
  let price = 3;

  it.each([
    ["set application_name = 'bob'"],
    ["set local application_name = 'bob'"],
    ['reset role'],
    ['set role none'],
    ['set session authorization default'],
    ['set session authorization ana'],
    ["select set_config('application_name', 'bob', true)"],
  ])('leaves the name of a person as it is after %s', async (sql) => {
    const console = await open(anaUrl, 'studio');
    price += 1;
    expect(await console.run([{ sql }, update(price)])).toHaveProperty('rows');
    expect(await last()).toMatchObject({ role: 'ana', by: 'ana', by_known: true });
  });

  it.each([
    ['set session authorization bob'],
    ['set session authorization comanda_owner'],
    ['set session authorization comanda'],
    ['set local session authorization bob'],
    ['set role bob'],
    ['set role comanda_owner'],
    ["select set_config('session_authorization', 'bob', true)"],
    ["select set_config('role', 'bob', true)"],
    ['alter role ana rename to eva'],
    ["alter role bob password 'mine'"],
    ['grant bob to ana'],
  ])('refuses %s, and all that comes with it', async (sql) => {
    const [console, before] = [await open(anaUrl, 'studio'), await last()];
    expect(await console.run([{ sql }, update(99)])).toHaveProperty('refusal');
    // Behind it, in a statement of its own, too.
    expect(await console.run([{ sql: `${sql}; update products set price = 99` }])).toHaveProperty('refusal');
    expect(await last()).toEqual(before);
  });

  it('over the login of all admins changes a name that is only stated', async () => {
    const console = await open(adminUrl, 'ana');
    price += 1;
    expect(await console.run([{ sql: "set local application_name = 'bob'" }, update(price)])).toHaveProperty(
      'rows',
    );
    expect(await last()).toMatchObject({ role: 'comanda_admin', by: 'bob', by_known: false });
  });
});

describe('the embedded database', () => {
  it('keeps the password of a person only for its operator, and forgets it with the login', async () => {
    const [folderMode, fileMode] = [join(dataDir, 'logins'), join(dataDir, 'logins', 'ana')].map(
      (path) => statSync(path).mode & 0o777,
    );
    expect([folderMode, fileMode]).toEqual([0o700, 0o600]);
    expect(await embeddedLoginUrl(dataDir, 'ana')).toBe(anaUrl);
    expect(await embeddedLoginUrl(dataDir, '../postgres.json')).toBeNull();
    await person('bob', '--remove');
    expect(readdirSync(join(dataDir, 'logins'))).toEqual(['ana']);
    expect(await embeddedLoginUrl(dataDir, 'bob')).toBeNull();
    const again = await person('bob');
    expect(await embeddedLoginUrl(dataDir, 'bob')).toBe(again);
  });
});
