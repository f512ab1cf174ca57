import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Outcome, Thresholds } from '../../packages/api/src/doctor/check.ts';
import { type Diagnosis, diagnose } from '../../packages/api/src/doctor/doctor.ts';
import { createTestDatabase, superuserUrl } from '../support/database.ts';
import { waitFor } from '../support/wait.ts';
import { useWorkerKit } from '../worker/kit.ts';

// The cases where it said "well" while nothing worked. Each state is reported as it is.

vi.setConfig({ testTimeout: 60_000 });

const kit = useWorkerKit();
const role = `comanda_test_${randomBytes(4).toString('hex')}`;
let roleUrl: string;
let superuser: pg.Client;
beforeAll(async () => {
  await kit.startWorker();
  superuser = new pg.Client({ connectionString: superuserUrl(kit.url) });
  await superuser.connect();
  const url = new URL(kit.url);
  Object.assign(url, { username: role, password: 'secret' });
  roleUrl = url.href;
  await superuser.query(`create role ${role} login password 'secret'`);
  await superuser.query(`grant usage on schema public, internal, graphile_worker to ${role}`);
  await superuser.query(
    `grant select, insert, update, delete on all tables in schema public, internal, graphile_worker to ${role}`,
  );
  await superuser.query(
    `grant usage on all sequences in schema public, internal, graphile_worker to ${role}`,
  );
}, 60_000);
afterAll(async () => {
  await superuser.query(`drop owned by ${role}`);
  await superuser.query(`drop role ${role}`);
  await superuser.end();
});

const look = (more: Record<string, string> = {}, thresholds: Partial<Thresholds> = {}): Promise<Diagnosis> =>
  diagnose({ DATABASE_URL: kit.url, ENCRYPTION_KEY: kit.encryptionKey, ...more }, { thresholds });

/** The result of one check. */
function of({ checks }: Diagnosis, name: string): { outcome: Outcome; found: string } {
  const { outcome, found } = checks.find((check) => check.name === name) ?? {};
  if (outcome === undefined || found === undefined) throw new Error(`there is no check ${name}`);
  return { outcome, found };
}

describe('doctor', () => {
  it('looks past the pooler: over DATABASE_DIRECT_URL where it is set', async () => {
    const found = await look({ DATABASE_DIRECT_URL: kit.url });
    expect(found.checks.filter(({ outcome }) => outcome !== 'ok')).toEqual([]);
    expect(of(found, 'pooler').found).toMatch(/^it answers, as .*_service$/);
  });

  it('sees that the pooler is dead, though the database is well', async () => {
    const found = await look({
      DATABASE_URL: 'postgresql://u:p@127.0.0.1:1/nobody',
      DATABASE_DIRECT_URL: kit.url,
    });
    expect(found.checks.filter(({ outcome }) => outcome !== 'ok').map(({ name }) => name)).toEqual([
      'pooler',
    ]);
    expect(of(found, 'pooler')).toMatchObject({
      outcome: 'wrong',
      found: expect.stringMatching(/^it cannot be reached: /),
    });
  });

  it('sees that the pooler leads elsewhere', async () => {
    const other = await createTestDatabase();
    onTestFinished(() => other.drop());
    const found = await look({ DATABASE_URL: other.url, DATABASE_DIRECT_URL: kit.url });
    expect(of(found, 'pooler')).toEqual({ outcome: 'wrong', found: 'it leads to another database' });
  });

  it('counts a check that cannot be made as no success', async () => {
    await superuser.query(`revoke select on webhook_attempts from ${role}`);
    const found = await look({ DATABASE_URL: roleUrl });
    expect(of(found, 'failing endpoints')).toEqual({
      outcome: 'unknown',
      found: 'could not be looked at: permission denied for table webhook_attempts',
    });
    await superuser.query(`revoke select on locations from ${role}`);
    expect(of(await look({ DATABASE_URL: roleUrl }), 'payments')).toEqual({
      outcome: 'unknown',
      found: 'could not be looked at: permission denied for table locations',
    });
    await superuser.query(`grant select on webhook_attempts, locations to ${role}`);
  });

  it('sees that the database is read-only, which a mere question does not', async () => {
    await superuser.query(`alter role ${role} set default_transaction_read_only = on`);
    const found = await look({ DATABASE_URL: roleUrl });
    expect(of(found, 'database reachable').outcome).toBe('ok');
    expect(of(found, 'writing')).toEqual({
      outcome: 'wrong',
      found: 'it cannot be written to: cannot execute INSERT in a read-only transaction',
    });
    await superuser.query(`alter role ${role} reset default_transaction_read_only`);
  });

  it('sees that the tables of the queue hide their rows from a role that does not own them', async () => {
    const found = await look({ DATABASE_URL: roleUrl });
    expect(of(found, 'queue')).toMatchObject({
      outcome: 'wrong',
      found: expect.stringMatching(/^row security hides it from this role: .*_private_jobs/),
    });
  });

  it('says that it cannot see the transactions of other roles, unless it may', async () => {
    const other = new pg.Client({ connectionString: kit.url, application_name: 'forgotten-psql' });
    await other.connect();
    await other.query('begin; select 1');
    const blind = of(await look({ DATABASE_URL: roleUrl }), 'long transactions');
    expect(blind).toMatchObject({
      outcome: 'unknown',
      found: expect.stringMatching(new RegExp(`${role} cannot see into \\d+ sessions? of other roles`)),
    });
    await superuser.query(`grant pg_read_all_stats to ${role}`);
    const seeing = await look({ DATABASE_URL: roleUrl }, { idleInTransactionSeconds: 0 });
    expect(of(seeing, 'long transactions')).toMatchObject({
      outcome: 'warning',
      found: expect.stringContaining('forgotten-psql'),
    });
    await superuser.query(`revoke pg_read_all_stats from ${role}`);
    await other.end();
  });

  it('names who holds what calls wait for, and says of what it could not look at no word of repair', async () => {
    const other = new pg.Client({ connectionString: superuserUrl(kit.url), application_name: 'ana' });
    await other.connect();
    await other.query('begin; lock table products');
    const [{ pid } = {}] = (await other.query('select pg_backend_pid() as pid')).rows;
    const found = await look({ DATABASE_URL: roleUrl });
    expect(of(found, 'locks')).toMatchObject({
      outcome: 'warning',
      found: expect.stringContaining(`pid ${pid} (ana, `),
    });
    expect(of(found, 'locks').found).toContain('holds products (AccessExclusiveLock)');
    const hidden = found.checks.filter(
      ({ outcome, found }) => outcome === 'unknown' && /lock timeout/.test(found),
    );
    expect(hidden).not.toEqual([]);
    expect(hidden.filter(({ advice }) => /--repair/.test(advice ?? ''))).toEqual([]);
    await other.query('rollback');
    expect(of(await look(), 'locks').outcome).toBe('ok');
    await other.end();
  });

  it('says nothing of sessions of another database that wait for each other', async () => {
    const another = new URL(superuserUrl(kit.url));
    another.pathname = '/postgres';
    const [holder, waiter] = await connectTwo(another.href);
    const [{ pid } = {}] = (await holder.query('select pg_backend_pid() as pid, pg_advisory_lock(1972)'))
      .rows;
    const waited = waiter.query('select pg_advisory_lock(1972)');
    await waitFor('a wait of a second', async () => {
      const [{ seconds } = {}] = await kit.sql`
        select extract(epoch from clock_timestamp() - min(waitstart))::float8 as seconds from pg_locks where ${pid} = any (pg_blocking_pids(pid))`;
      return Number(seconds) > 1;
    });
    expect(of(await look(), 'locks').found).not.toContain(`pid ${pid}`);
    await holder.end();
    await waited;
    await waiter.end();
  });

  it('names who has a row that another session waits for', async () => {
    const [holder, waiter] = await connectTwo(superuserUrl(kit.url));
    await holder.query('begin; update locations set name = name');
    const waited = waiter.query('begin; update locations set name = name; rollback');
    const found = await waitFor('the wait to be found', async () => {
      const { found } = of(await look(), 'locks');
      return found.includes('hand 1') && found;
    });
    expect(found).toMatch(/\(hand 1, .*: 1 session waits for it/);
    await holder.query('rollback');
    await waited;
    await Promise.all([holder.end(), waiter.end()]);
  });

  it('sees that no job is queued on a timer, though the worker beats', async () => {
    await superuser.query(`update graphile_worker._private_known_crontabs
      set last_execution = now() - interval '3 hours', known_since = now() - interval '9 days'`);
    expect(of(await look(), 'queue').outcome).toBe('ok');
    await kit.sql(`update internal.process_heartbeats set started_at = now() - interval '2 hours'`);
    expect(of(await look(), 'queue')).toMatchObject({
      outcome: 'wrong',
      found: expect.stringMatching(/^what is due every hour was queued last: 20/),
    });
    await kit.sql('update internal.process_heartbeats set started_at = now()');
  });

  it('sees that a worker beats and does no job, and leaves no probe behind', async () => {
    await kit.stopWorkers();
    await kit.sql`
      insert into internal.process_heartbeats (id, kind, host, pid) values ('dead', 'worker', 'kitchen', 1)`;
    const found = await look({}, { probeSeconds: 0.3 });
    expect(of(found, 'workers').outcome).toBe('ok');
    expect(of(found, 'queue')).toEqual({
      outcome: 'wrong',
      found: 'no worker did probe-deliveries within 0.3 s; no worker did probe-imports within 0.3 s',
    });
    const [{ count } = {}] = await kit.sql`
      select count(*)::int as count from graphile_worker.jobs where task_identifier like 'probe-%'`;
    expect(count).toBe(0);
    await kit.sql(`delete from internal.process_heartbeats where id = 'dead'`);
    await kit.startWorker();
  });
});

/** `hand 1` and `hand 2`. */
async function connectTwo(connectionString: string): Promise<[pg.Client, pg.Client]> {
  const clients = [1, 2].map((n) => new pg.Client({ connectionString, application_name: `hand ${n}` }));
  await Promise.all(clients.map((client) => client.connect()));
  return clients as [pg.Client, pg.Client];
}
