import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { makePersonLogin } from '../../packages/db/src/roles/persons.ts';
import { verifier } from '../../packages/embedded/src/password.ts';
import { type HandSession, lookAtHands, lookForOthers } from '../../packages/worker/src/warden.statements.ts';
import { givenToPublic } from '../attack/role-functions.ts';
import { superuserUrl } from '../support/database.ts';
import { openAs, roleUrl } from '../support/roles.ts';
import { runOnce } from '../support/server.ts';
import { waitFor } from '../support/wait.ts';
import { useWorkerKit } from './kit.ts';

const kit = useWorkerKit();
const prefix = () => new URL(kit.url).username.replace(/_service$/, '');

/** Looks once, with bounds of this many seconds; the session of this pid. */
async function look(session: pg.Client, seconds: number, most = 1_000): Promise<HandSession | undefined> {
  const bounds = ['admin', 'reader'].map((role) => ({
    role,
    statement: seconds,
    idleInTransaction: seconds,
    transaction: seconds,
  }));
  const seen = await kit.database.run(lookAtHands, [prefix(), JSON.stringify(bounds), 0.1, most]);
  return seen.find(({ pid }) => pid === pidOf(session));
}

const pidOf = (session: pg.Client): number => (session as unknown as { processID: number }).processID;

const asSuperuser = (sql: string): Promise<void> => runOnce(superuserUrl(kit.url), sql);

let session: pg.Client;
afterEach(() => session.end());

describe.each(['admin', 'reader'] as const)('a session of %s', (role) => {
  beforeEach(async () => {
    session = await openAs(kit.url, role);
  });

  it('has passed no bound while it rests, under any name', async () => {
    await session.query(`set application_name = 'comanda-worker'`);
    expect(await look(session, 0)).toMatchObject({ role, past: null, held: [] });
  });

  it('has passed its bound when its statement runs for longer', async () => {
    const ended = session.query('select pg_sleep(3600)').catch((error: { code: string }) => error.code);
    await waitFor('the statement to run', async () => (await look(session, 0))?.past === 'ran');
    expect((await look(session, 3_600))?.past).toBeNull();
    await asSuperuser(`select pg_terminate_backend(${pidOf(session)}, 5000)`);
    expect(await ended).toBe('57P01');
  });

  it('has passed its bound when its transaction lies idle for longer, or is open for longer', async () => {
    await session.query('begin');
    expect((await look(session, 0))?.past).toBe('idle');
    expect((await look(session, 3_600))?.past).toBeNull();
    const bounds = JSON.stringify([{ role, statement: 3_600, idleInTransaction: 3_600, transaction: 0 }]);
    const seen = await kit.database.run(lookAtHands, [prefix(), bounds, 1, 1_000]);
    expect(seen.find(({ pid }) => pid === pidOf(session))?.past).toBe('open');
  });

  it('has passed its bound when it holds more locks than an edit takes', async () => {
    await session.query('begin; select count(*) from orders');
    expect((await look(session, 3_600, 1))?.past).toBe('locks');
    expect((await look(session, 3_600))?.past).toBeNull();
  });
});

it.each(['owner', 'service'] as const)('a session of %s has no bounds', async (role) => {
  session = await openAs(kit.url, role);
  expect(await look(session, 0)).toBeUndefined();
});

it.each([
  ['admin', true],
  ['reader', true],
  ['owner', true],
  ['service', false],
] as const)('a session of %s is one to look at: %s', async (role, isOther) => {
  const others = async () => (await kit.database.run(lookForOthers, []))[0]?.found;
  await waitFor('the sessions before to end', async () => (await others()) === false);
  session = await openAs(kit.url, role);
  expect(await others()).toBe(isOther);
});

it('a login of the service may have any name', async () => {
  const url = new URL(roleUrl(kit.url, 'service'));
  const name = `Odd "${prefix()}"`;
  const quoted = pg.escapeIdentifier(name);
  await asSuperuser(`create role ${quoted} login password '${url.password}' in role ${prefix()}_service`);
  onTestFinished(() => asSuperuser(`drop owned by ${quoted}; drop role ${quoted}`));
  url.username = encodeURIComponent(name);
  session = new pg.Client({ connectionString: url.href });
  await session.connect();
  // The pool of the test is of another login.
  const { rows } = await session.query(lookForOthers.text);
  expect(rows).toEqual([{ found: true }]);
  await session.end();
});

describe('a worker', () => {
  it('ends a session of an admin that the service waits for, and leaves one that no call waits for', async () => {
    await kit.startWorker();
    session = await openAs(kit.url, 'admin');
    const other = await openAs(kit.url, 'admin');
    for (const each of [session, other])
      await each.query('set idle_in_transaction_session_timeout = 0; set lock_timeout = 0; begin');
    await session.query('lock table orders in access exclusive mode');
    await other.query('select count(*) from products');
    const ended = new Promise((resolve) => session.once('error', resolve));
    const { rows } = await kit.database.pool.query('select count(*)::int as orders from orders');
    expect(rows).toEqual([{ orders: 0 }]);
    expect(await ended).toMatchObject({ code: '57P01' });
    await other.query('commit');
    await other.end();
  });

  it('ends the session of a person as it ends that of an admin, with any settings of the own login', async () => {
    const name = `ana_${prefix().slice(-6).replace(/\W/g, '')}_w`;
    const url = new URL(roleUrl(kit.url, 'admin'));
    const superuser = new pg.Client({ connectionString: superuserUrl(kit.url) });
    await superuser.connect();
    onTestFinished(async () => {
      await superuser.query(`drop role if exists ${name}`);
      await superuser.end();
    });
    const secret = { verifier: verifier(url.password), always: true };
    await makePersonLogin(superuser, prefix(), { name, role: 'admin' }, secret);
    url.username = name;
    await runOnce(url.href, `alter role ${name} set idle_in_transaction_session_timeout = 0`);
    await kit.startWorker();
    session = await openAs(url.href, 'admin');
    await session.query('set lock_timeout = 0; begin; lock table products in access exclusive mode');
    const ended = new Promise((resolve) => session.once('error', resolve));
    await kit.database.pool.query('select count(*) from products');
    expect(await ended).toMatchObject({ code: '57P01' });
  });

  it('ends a login role that is a member of reader, and holds a lock over one statement after the other', async () => {
    const name = `${prefix()}_maria`;
    const url = new URL(roleUrl(kit.url, 'reader'));
    await asSuperuser(givenToPublic('grant', 'to'));
    await asSuperuser(`create role ${name} login password '${url.password}' in role ${prefix()}_reader`);
    onTestFinished(() => asSuperuser(`drop owned by ${name}; drop role ${name}`));
    await kit.startWorker();
    url.username = name;
    session = await openAs(url.href, 'reader');
    session.on('error', () => {});
    const worked = (async () => {
      await session.query('begin; select count(*) from orders; commit');
      await session.query(`select pg_advisory_lock_shared(change_lock(), 5)`);
      for (;;) await session.query('select pg_sleep(0.05)');
    })();
    // Between two statements nothing but the end of the connection is heard.
    await expect(worked).rejects.toThrow(/terminat|connection/);
  });
});
