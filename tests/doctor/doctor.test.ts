import { newId } from '@comanda/db';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Outcome, Thresholds } from '../../packages/api/src/doctor/check.ts';
import { type CheckResult, diagnose } from '../../packages/api/src/doctor/doctor.ts';
import { waitFor } from '../support/wait.ts';
import { useWorkerKit } from '../worker/kit.ts';

vi.setConfig({ testTimeout: 60_000 });

const kit = useWorkerKit();
const clients: pg.Client[] = [];
beforeAll(async () => {
  await kit.startWorker();
}, 60_000);
afterAll(async () => {
  for (const client of clients) await client.end();
});

const environment = () => ({ DATABASE_URL: kit.url, ENCRYPTION_KEY: kit.encryptionKey });

async function look(name: string, thresholds: Partial<Thresholds> = {}): Promise<CheckResult> {
  const { checks } = await diagnose(environment(), { thresholds });
  const found = checks.find((check) => check.name === name);
  if (found === undefined) throw new Error(`there is no check ${name}`);
  return found;
}

/** Expects an outcome, with words of what was found, and of the advice. */
const sees = async (name: string, outcome: Outcome, found: string | RegExp, advice = '') =>
  expect(await look(name)).toMatchObject({
    outcome,
    advice: expect.stringContaining(advice),
    found: typeof found === 'string' ? expect.stringContaining(found) : expect.stringMatching(found),
  });

async function openClient(): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: kit.url, application_name: 'forgotten-psql' });
  client.on('error', () => {});
  clients.push(client);
  await client.connect();
  return client;
}

it('a healthy system is well in every respect', async () => {
  const { outcome, checks } = await diagnose(environment());
  expect(checks.filter((check) => check.outcome !== 'ok')).toEqual([]);
  expect(outcome).toBe('ok');
  expect(checks.length).toBeGreaterThanOrEqual(20);
  expect(checks.every(({ means, found }) => means.length > 10 && found.length > 3)).toBe(true);
});

describe('it sees', () => {
  it('a setting that cannot be used, and one that bites', async () => {
    const unusable = await diagnose({ ...environment(), PORT: 'many' });
    expect(unusable.outcome).toBe('wrong');
    expect(unusable.checks.map(({ found }) => found)).toEqual([
      expect.stringMatching(/^PORT: must be a whole number/),
    ]);
    const biting = await diagnose({ ...environment(), NODE_ENV: 'production', WEBHOOK_TARGETS: 'any' });
    expect(biting.checks[0]).toMatchObject({
      outcome: 'warning',
      found: expect.stringContaining('WEBHOOK_TARGETS'),
    });
  });

  it('a database that does not answer, in one line with what to do', async () => {
    const { outcome, checks } = await diagnose({
      ...environment(),
      DATABASE_URL: 'postgresql://u:p@127.0.0.1:1/x',
    });
    expect(outcome).toBe('wrong');
    expect(checks).toHaveLength(2);
    expect(checks[1]?.found).toMatch(/^the database cannot be reached: .*ECONNREFUSED/);
    expect(checks[1]?.advice).toContain('npm start');
    expect(JSON.stringify(checks)).not.toContain('u:p');
  });

  it('a migration that is pending, one that was changed, and one from a newer version', async () => {
    const last = `(select max(migration_name) from _prisma_migrations where migration_name < '3')`;
    await kit.sql(`update _prisma_migrations set rolled_back_at = now() where migration_name = ${last}`);
    await sees('migrations', 'wrong', '1 migration pending');
    await kit.sql(
      `update _prisma_migrations set rolled_back_at = null, checksum = reverse(checksum) where migration_name = ${last}`,
    );
    await sees('migrations', 'wrong', 'was changed after it was applied');
    await kit.sql(
      `update _prisma_migrations set checksum = reverse(checksum) where migration_name = ${last}`,
    );
    await kit.sql`
      insert into _prisma_migrations (id, checksum, migration_name, finished_at) values ('f', 'f', '39990101000000_future', now())`;
    await sees('migrations', 'warning', '39990101000000_future');
    await kit.sql(`delete from _prisma_migrations where id = 'f'`);
    expect((await look('migrations')).outcome).toBe('ok');
  });

  it('functions and triggers that are pending, and those of another version', async () => {
    await kit.sql`
      insert into internal.sql_releases (hash, release, applied_at) values ('other', '0.0.1', now() + interval '1 minute')`;
    await sees('migrations', 'wrong', /^functions and triggers of this version are pending$/);
    await kit.sql(`update internal.sql_releases set release = '999.0.0' where hash = 'other'`);
    await sees('migrations', 'warning', 'functions and triggers of another version');
    await kit.sql(`update internal.sql_releases set hash = 'ours ' || hash where hash <> 'other'`);
    await sees('migrations', 'wrong', 'the functions and triggers of release 999.0.0');
    await kit.sql(`delete from internal.sql_releases where hash = 'other'`);
    await kit.sql(`update internal.sql_releases set hash = replace(hash, 'ours ', '')`);
    expect((await look('migrations')).outcome).toBe('ok');
  });

  it('a signing secret that the present key cannot open', async () => {
    const { id } = await kit.createEndpoint({ url: 'http://127.0.0.1:1/', events: ['turn.open'] });
    expect((await look('secrets')).outcome).toBe('ok');
    const other = await diagnose({
      ...environment(),
      ENCRYPTION_KEY: 'another key that was never used in here',
    });
    const found = other.checks.find(({ name }) => name === 'secrets');
    expect(found).toMatchObject({ outcome: 'wrong', found: expect.stringContaining(id) });
    await kit.sql('update internal.webhook_secrets set sealed = sealed || $1::bytea', [Buffer.from('x')]);
    expect((await look('secrets')).outcome).toBe('wrong');
    await kit.sql('delete from webhook_endpoints');
  });

  it('a change that cannot be published; relay retry brings it back', async () => {
    await kit.sql`
      insert into internal.captured_changes (location_id, resource, resource_ids, operation, failures, retry_at, error)
      values (${kit.locationId}, 'mystery', array[${newId()}::uuid], 'insert', 10, now(), 'unknown resource mystery')`;
    await sees(
      'changes set aside',
      'wrong',
      '1 of mystery (10 failures): unknown resource mystery',
      'relay retry',
    );
    await kit.sql(`delete from internal.captured_changes where resource = 'mystery'`);
  });

  it('an endpoint that fails every time, and deliveries that died', async () => {
    const { id } = await kit.createEndpoint({ url: 'http://127.0.0.1:1/', events: ['turn.open'] });
    const menus = Array.from({ length: 2 }, () => newId());
    for (const menu of menus)
      await kit
        .sql(`insert into menus (location_id, id, name, items) values ($1, $2, 'Menu', '[]')`, [
          kit.locationId,
          menu,
        ])
        .catch(() => {});
    const event = newId();
    await kit.sql`
      insert into events (location_id, id, number, type, resource_id, body, created_at) values (${kit.locationId}, ${event}, 900, 'turn.open', ${event}, '{}', now())`;
    for (let n = 0; n < 2; n += 1)
      await kit.sql`
        insert into webhook_deliveries (location_id, endpoint_id, event_id, next_attempt_at) values (${kit.locationId}, ${id}, ${event}, now())`;
    const dead = await waitFor('two dead deliveries', async () => {
      const found = await look('dead deliveries');
      return found.outcome === 'warning' && found.found.startsWith('2 deliveries to 1 endpoint') && found;
    });
    expect(dead.advice).toContain('replay');
    await sees('failing endpoints', 'warning', `${id} of location ${kit.locationId}: connection refused`);
    const [totals] = await kit.sql<{ failed: string; dead: string }>`
      select sum(total) filter (where name = 'deliveries_failed') as failed,
      sum(total) filter (where name = 'deliveries_dead') as dead from internal.work_totals`;
    expect(totals).toEqual({ failed: '8', dead: '2' });
    await kit.sql('delete from webhook_endpoints');
    await kit.sql('delete from events where number = 900');
  });

  it('a job that was given up', async () => {
    await kit.sql(`select graphile_worker.add_job('unknown-task', '{}', max_attempts := 1)`);
    await kit.sql`
      update graphile_worker._private_jobs set attempts = max_attempts, last_error = 'it burnt' where locked_at is null`;
    await sees('jobs given up', 'wrong', '1 unknown-task: it burnt');
    await kit.sql(`delete from graphile_worker._private_jobs`);
  });

  it('a transaction that a session left open', async () => {
    const client = await openClient();
    await client.query('begin');
    await client.query('select 1');
    const found = await waitFor('the open transaction', async () => {
      const check = await look('long transactions', { idleInTransactionSeconds: 0.2 });
      return check.outcome === 'warning' && check.found.includes('forgotten-psql') && check;
    });
    expect(found.found).toContain('idle');
    expect((await look('long transactions')).outcome).toBe('ok');
    await client.query('rollback');
  });

  it('a transaction that has changed something and stays open', async () => {
    const client = await openClient();
    await client.query('begin');
    await client.query(`insert into locations (name) values ('Forgotten')`);
    await client.query(
      `insert into products (location_id, sku, name, price) select id, 'tea', 'Tea', 1 from locations where name = 'Forgotten'`,
    );
    const found = await waitFor('the transaction to grow old', async () => {
      const check = await look('reading changes', { openWriterSeconds: 0.2 });
      return check.outcome === 'warning' && check;
    });
    expect(found.found).toContain('forgotten-psql');
    expect((await look('reading changes')).outcome).toBe('ok');
    await client.query('rollback');
    expect((await look('reading changes', { openWriterSeconds: 0 })).outcome).toBe('ok');
  });

  it('a table that autovacuum does not keep up with', async () => {
    await kit.sql('create table litter (n integer) with (autovacuum_enabled = false)');
    await kit.sql('insert into litter select generate_series(1, 3000)');
    await kit.sql('delete from litter');
    const found = await waitFor('the statistics', async () => {
      await kit.sql('select pg_stat_force_next_flush()');
      const check = await look('vacuum', { deadRows: 2_000 });
      return check.outcome === 'warning' && check;
    });
    expect(found.found).toContain('litter: 3000 dead rows');
    await kit.sql('drop table litter');
  });

  it('a worker that fell silent, then that none is left, and what is left undone', async () => {
    await kit.sql`
      insert into internal.process_heartbeats (id, kind, host, pid, seen_at) values ('gone', 'worker', 'kitchen', 77, now() - interval '3 minutes')`;
    await sees('workers', 'warning', 'kitchen:77 for 3 min');
    await kit.stopWorkers();
    await sees('workers', 'wrong', /^no worker is alive$/);

    await kit.sql`
      insert into internal.captured_changes (location_id, resource, resource_ids, operation, captured_at)
      values (${kit.locationId}, 'orders', array[${newId()}::uuid], 'insert', now() - interval '30 seconds')`;
    await sees('relay lag', 'warning', 'waiting, the oldest for 3');
    await kit.sql(`update internal.captured_changes set captured_at = now() - interval '2 hours'`);
    expect((await look('relay lag')).outcome).toBe('wrong');

    const { id } = await kit.createEndpoint({ url: 'http://127.0.0.1:1/', events: ['turn.open'] });
    const event = newId();
    await kit.sql`
      insert into events (location_id, id, number, type, resource_id, body, created_at) values (${kit.locationId}, ${event}, 901, 'turn.open', ${event}, '{}', now())`;
    await kit.sql`
      insert into webhook_deliveries (location_id, endpoint_id, event_id, next_attempt_at) values (${kit.locationId}, ${id}, ${event}, now() - interval '5 minutes')`;
    await sees(
      'stuck deliveries',
      'wrong',
      /^1 delivery to 1 endpoint due and untouched, the oldest for 5 min$/,
    );
    await kit.sql('delete from internal.process_heartbeats');
    for (const rows of ['internal.captured_changes', 'webhook_endpoints', 'events'])
      await kit.sql(`delete from ${rows}`);
    await kit.startWorker();
  });
});
