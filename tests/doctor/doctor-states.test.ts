import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { type CheckResult, diagnose } from '../../packages/api/src/doctor/doctor.ts';
import { superuserUrl } from '../support/database.ts';
import { quoteName, runOnce } from '../support/server.ts';
import { useWorkerKit } from '../worker/kit.ts';

// A shortage of the server itself appears in every check: each names it, and the remedy.

vi.setConfig({ testTimeout: 60_000 });

const kit = useWorkerKit();
beforeAll(() => kit.startWorker(), 60_000);

const look = async (url = kit.url): Promise<Map<string, CheckResult>> => {
  const { checks } = await diagnose({ DATABASE_URL: url, ENCRYPTION_KEY: kit.encryptionKey });
  return new Map(checks.map((check) => [check.name, check]));
};

describe.each([
  [
    '53100',
    'could not extend file "base/1/2": No space left on device',
    'disk of the database server is full',
  ],
  ['53300', 'sorry, too many clients already', 'no connection left'],
  ['57P03', 'the database system is not yet accepting connections', 'starts, stops or recovers'],
])('SQLSTATE %s', (state, message, means) => {
  const advice = expect.stringMatching(new RegExp(`^SQLSTATE ${state}: .*${means}`));

  it.each([
    ['a write', 'writing', 'wrong', 'internal.process_heartbeats'],
    ['a job of the queue', 'queue', 'unknown', 'graphile_worker._private_jobs'],
  ])('met by %s is named, with what to do', async (_, check, outcome, table) => {
    const superuser = superuserUrl(kit.url);
    await runOnce(
      superuser,
      `create function short_of() returns trigger language plpgsql as $$ begin
         raise exception using message = '${message}', errcode = '${state}'; end $$;
       create trigger short_of before insert on ${table} for each statement
         execute function short_of()`,
    );
    onTestFinished(() => runOnce(superuser, 'drop function short_of cascade'));
    expect((await look()).get(check)).toMatchObject({
      outcome,
      found: expect.stringContaining(message),
      advice,
    });
  });
});

describe('a server without a connection left', () => {
  const role = `comanda_test_${randomBytes(4).toString('hex')}`;
  const superuser = () => superuserUrl(kit.url);
  afterAll(() => runOnce(superuser(), `drop role ${role}`));

  it('is no wrong server: the advice is to end sessions', async () => {
    const service = quoteName(new URL(kit.url).username);
    await runOnce(
      superuser(),
      `create role ${role} login password 'secret' connection limit 0 in role ${service}`,
    );
    const url = new URL(kit.url);
    Object.assign(url, { username: role, password: 'secret' });
    expect((await look(url.href)).get('database reachable')).toMatchObject({
      outcome: 'wrong',
      found: expect.stringContaining('too many connections'),
      advice: expect.stringMatching(/^SQLSTATE 53300: .*End sessions/),
    });
  });
});

describe('the clock of a process elsewhere', () => {
  it.each([
    ['two hours ahead', -7_200_000, 'wrong', 'worker kitchen:7 is 7200.0 s ahead of the database'],
    ['five seconds behind', 5_000, 'warning', 'worker kitchen:7 is 5.0 s behind the database'],
    ['unknown, as of the release before', null, 'ok', 'less than a second apart'],
  ])('%s is seen from here', async (_, skew, outcome, found) => {
    await kit.sql(
      `insert into internal.process_heartbeats (id, kind, host, pid, clock_skew_ms)
       values ('elsewhere', 'worker', 'kitchen', 7, ${skew})`,
    );
    expect((await look()).get('clock')).toMatchObject({ outcome, found });
    await kit.sql(`delete from internal.process_heartbeats where id = 'elsewhere'`);
  });
});
