import { addJob, newId } from '@comanda/db';
import { beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { type RuleName, retentionRules } from '../../packages/worker/src/retention/rules.ts';
import { sweepRule } from '../../packages/worker/src/retention/sweep-rule.ts';
import { createKey, createLocation } from '../support/factories.ts';
import { stepWorker } from '../support/stepped-worker.ts';
import { waitFor } from '../support/wait.ts';
import { type TestEndpoint, useWorkerKit } from './kit.ts';

const kit = useWorkerKit();
let endpoint: TestEndpoint;
let apiKeyId: string;

beforeAll(async () => {
  endpoint = await kit.createEndpoint({ url: 'http://127.0.0.1:9/none', events: ['order.created'] });
  ({ id: apiKeyId } = await createKey(kit.database, { locationId: kit.locationId }));
});

beforeEach(async () => {
  await kit.sql('delete from events');
  await kit.sql('delete from internal.captured_changes');
});

describe('retention', () => {
  it('removes events past their days with deliveries and attempts, and keeps those within', async () => {
    const old = await event({ daysAgo: 32.1, deliveries: ['delivered', 'dead', 'dropped'] });
    const within = await event({ daysAgo: 30.9, deliveries: ['delivered'] });
    expect(await sweep('events with their deliveries', 30)).toBe(1);
    expect(await eventIds()).toEqual([within]);
    expect(await kit.count('webhook_deliveries')).toBe(1);
    expect(await kit.count('webhook_attempts')).toBe(1);
    expect(await eventIds()).not.toContain(old);
  });

  it('keeps an event as long as one of its deliveries is still due, and the events after it are still removed', async () => {
    const waiting = await event({ daysAgo: 90, deliveries: ['delivered', 'pending'] });
    const retried = await event({ daysAgo: 89, deliveries: ['failed'] });
    for (let n = 0; n < 5; n += 1) await event({ daysAgo: 60, deliveries: ['delivered'] });
    expect(await sweep('events with their deliveries', 30)).toBe(5);
    expect((await eventIds()).sort()).toEqual([waiting, retried].sort());
    const left = await kit.sql<{ status: string }>('select status from webhook_deliveries order by status');
    expect(left.map(({ status }) => status)).toEqual(['pending', 'failed']);
  });

  it('never removes an event for which a delivery is made while it is looked at', async () => {
    const id = await event({ daysAgo: 90, deliveries: ['dead'] });
    const client = await kit.database.pool.connect();
    try {
      await client.query('begin');
      await client.query(
        `insert into webhook_deliveries (location_id, endpoint_id, event_id, next_attempt_at) values ($1, $2, $3, now())`,
        [kit.locationId, endpoint.id, id],
      );
      // The event is held by the new delivery's foreign key: it is left for the next round.
      expect(await sweep('events with their deliveries', 30)).toBe(0);
      await client.query('commit');
    } finally {
      client.release();
    }
    expect(await sweep('events with their deliveries', 30)).toBe(0);
    expect(await eventIds()).toEqual([id]);
    const left = await kit.sql<{ status: string }>('select status from webhook_deliveries');
    expect(left).toEqual([{ status: 'pending' }]);
  });

  it('goes through more old events than one batch holds, and through all locations in slices', async () => {
    const others = await Promise.all([1, 2, 3].map(() => createLocation(kit.database)));
    for (const location of [kit.locationId, ...others])
      await kit.sql`insert into events (location_id, id, number, type, resource_id, body, created_at)
        select ${location}, gen_random_uuid(), n, 'order.created', gen_random_uuid(), '{}', now() - interval '40 days'
        from generate_series(1, 2300) n`;
    await event({ daysAgo: 1, deliveries: [], number: 10_000 });
    // Each pass ends after its first batch, as a slice of time would make it.
    let after: string | undefined;
    let removed = 0;
    let passes = 0;
    do {
      const pass = await sweepRule(kit.database, rule('events with their deliveries'), {
        keep: 30,
        after,
        over: () => true,
        restMs: () => 0,
      });
      removed += pass.removed;
      passes += 1;
      after = pass.after;
    } while (after !== undefined);
    expect({ removed, left: await kit.count('events') }).toEqual({ removed: 9_200, left: 1 });
    expect(passes).toBeGreaterThanOrEqual(12);
  });

  it('removes attempts by a border of their own, but not those of a delivery that is still due', async () => {
    const id = await event({ daysAgo: 20, deliveries: ['delivered', 'failed'] });
    await event({ daysAgo: 5, deliveries: ['delivered'] });
    expect(await sweep('delivery attempts', 10)).toBe(1);
    const left = await kit.sql<{ status: string }>`
      select status from webhook_attempts where event_id = ${id}`;
    expect(left).toEqual([{ status: 'failed' }]);
    expect(await kit.count('webhook_attempts')).toBe(2);
    expect(await kit.count('webhook_deliveries')).toBe(3);
  });

  it('removes idempotency keys an hour after their answers are no longer replayed', async () => {
    for (const [key, hours] of [
      ['old', 25.1],
      ['border', 24.5],
      ['young', 1],
    ] as const)
      await kit.sql`
        insert into internal.idempotency_keys (location_id, api_key_id, operation, key, request_hash, response, created_at)
        values (${kit.locationId}, ${apiKeyId}, 'orders.create', ${key}, '\\x00', '{}', now() - make_interval(secs => ${hours}::float8 * 3600))`;
    expect(await sweep('idempotency keys', 24)).toBe(1);
    const left = await kit.sql<{ key: string }>('select key from internal.idempotency_keys order by key');
    expect(left.map(({ key }) => key)).toEqual(['border', 'young']);
  });

  it('removes sync jobs that ended long ago, and none that still has to run', async () => {
    const job = (status: string, daysAgo: number, endedDaysAgo: number | null) =>
      kit.sql`insert into sync_jobs (location_id, status, total_items, created_at, completed_at)
        values (${kit.locationId}, ${status}::sync_job_status, 1, now() - make_interval(secs => ${daysAgo}::float8 * 86400),
          now() - make_interval(secs => ${endedDaysAgo}::float8 * 86400))`;
    await job('completed', 95, 95);
    await job('failed', 95, 95);
    await job('completed', 95, 89);
    await job('completed', 90.5, 90.5);
    await job('queued', 200, null);
    await job('processing', 200, null);
    expect(await sweep('sync jobs', 90)).toBe(2);
    expect(await kit.count('sync_jobs')).toBe(4);
  });

  it('removes audit entries past their days', async () => {
    for (const daysAgo of [402.1, 400.5, 1])
      await kit.sql`insert into audit_entries (location_id, actor_kind, operation, created_at)
        values (${kit.locationId}, 'command_line', 'test', now() - make_interval(secs => ${daysAgo}::float8 * 86400))`;
    const before = await kit.count('audit_entries');
    expect(await sweep('audit entries', 400)).toBe(1);
    expect(await kit.count('audit_entries')).toBe(before - 1);
  });

  it('removes audit entries that belong to no location, too', async () => {
    for (const daysAgo of [402.1, 1])
      await kit.sql`insert into audit_entries (actor_kind, operation, created_at)
        values ('database', 'of old', now() - make_interval(secs => ${daysAgo}::float8 * 86400))`;
    expect(await sweep('audit entries', 400)).toBe(0);
    expect(await sweep('audit entries of no location', 400)).toBe(1);
    expect(await kit.sql(`select from audit_entries where operation = 'of old'`)).toHaveLength(1);
  });

  it('removes limit windows after their end, also those of keys that are gone, and not the month that may still run', async () => {
    const window = (key: string, name: string, start: string) =>
      kit.sql(
        `insert into internal.limit_counters (api_key_id, "window", window_start, used) values ($1, $2, ${start}, 1)`,
        [key, name],
      );
    const gone = newId();
    await window(apiKeyId, 'minute', `now() - interval '10 days'`);
    await window(apiKeyId, 'minute', `now() - interval '5 days'`);
    await window(apiKeyId, 'batch_hour', `now() - interval '10 days'`);
    await window(apiKeyId, 'month', `now() - interval '20 days'`);
    await window(gone, 'month', `now() - interval '60 days'`);
    expect(await sweep('limit windows', 7)).toBe(3);
    const left = await kit.sql<{ window: string }>('select "window" from internal.limit_counters order by 1');
    expect(left.map(({ window: name }) => name)).toEqual(['minute', 'month']);
  });

  it('removes changes that were set aside long ago, and none that is still to be published', async () => {
    const change = (failures: number, daysAgo: number) =>
      kit.sql`
        insert into internal.captured_changes (location_id, resource, operation, resource_ids, failures, captured_at)
        values (${kit.locationId}, 'order', 'insert', array[${kit.locationId}::uuid], ${failures}, now() - make_interval(secs => ${daysAgo}::float8 * 86400))`;
    await change(10, 93);
    await change(10, 90.5);
    await change(9, 200);
    await change(0, 200);
    expect(await sweep('changes set aside', 90)).toBe(1);
    expect(await kit.count('internal.captured_changes')).toBe(3);
  });

  it('removes jobs that were given up, and none that will run again', async () => {
    const job = async (attempts: number, daysAgo: number) => {
      const id = await addJob(
        kit.database,
        'remove-old',
        { rule: 'none' },
        { runAt: new Date('2100-01-01') },
      );
      await kit.sql`
        update graphile_worker._private_jobs set attempts = ${attempts}, updated_at = now() - make_interval(secs => ${daysAgo}::float8 * 86400)
        where id = ${id}`;
    };
    const others = await kit.count('graphile_worker.jobs');
    await job(3, 33);
    await job(3, 30.5);
    await job(2, 33);
    expect(await sweep('jobs given up', 30)).toBe(1);
    expect(await kit.count('graphile_worker.jobs')).toBe(others + 2);
  });

  it('publishes nothing: no change is captured and no catalog gets a new version', async () => {
    await event({ daysAgo: 90, deliveries: ['delivered'] });
    const tallies =
      'select (select count(*) from internal.tallies) as tallies, (select count(*) from internal.tally_notes) as notes';
    const before = await kit.sql(tallies);
    for (const { name } of retentionRules) await sweep(name, 30);
    expect(await kit.count('events')).toBe(0);
    expect(await kit.count('internal.captured_changes')).toBe(0);
    expect(await kit.sql(tallies)).toEqual(before);
  });

  it('runs by itself: a worker knows the hours of every rule', async () => {
    await kit.startWorker();
    onTestFinished(kit.stopWorkers);
    const hours = async () => {
      const rows = await kit.sql<{ identifier: string }>`
        select identifier from graphile_worker._private_known_crontabs order by 1`;
      return rows.map(({ identifier }) => identifier);
    };
    await waitFor('the hours of the rules', async () => (await hours()).length > 0);
    expect((await hours()).sort()).toEqual(retentionRules.map(({ name }) => `remove-old:${name}`).sort());
  });

  it('removes what is old when its hour has come', async () => {
    const worker = await stepWorker(kit);
    await event({ daysAgo: 90, deliveries: ['delivered'] });
    await worker.turn();
    expect(await kit.count('events')).toBe(1);
    worker.clock.advance(3_600_000);
    await worker.turn();
    expect(await kit.count('events')).toBe(0);
  });
});

/** Makes an event with one delivery per status, each finished one with an attempt. */
async function event(made: {
  daysAgo: number;
  deliveries: readonly string[];
  number?: number;
}): Promise<string> {
  const id = newId();
  await kit.sql`with made as (
      insert into events (location_id, id, number, type, resource_id, body, created_at)
      values (${kit.locationId}, ${id}, coalesce(${made.number ?? null}::bigint, (select coalesce(max(number), 0) + 1 from events where location_id = ${kit.locationId})),
        'order.created', ${kit.locationId}, '{}', now() - make_interval(secs => ${made.daysAgo}::float8 * 86400))
      returning location_id, id, created_at
    ), sent as (
      insert into webhook_deliveries (location_id, endpoint_id, event_id, status, attempts, next_attempt_at, created_at)
      select location_id, ${endpoint.id}, id, s::delivery_status, case s when 'pending' then 0 else 1 end,
        case when s in ('pending', 'failed') then now() + interval '1 hour' end, created_at
      from made, unnest(${made.deliveries}::text[]) s returning *
    )
    insert into webhook_attempts (location_id, delivery_id, endpoint_id, event_id, event_type, attempt, status,
      duration_ms, attempted_at)
    select location_id, id, endpoint_id, event_id, 'order.created', 1,
      (case status::text when 'delivered' then 'delivered' when 'dead' then 'dead' else 'failed' end)::delivery_status,
      1, created_at from sent where status <> 'pending'`;
  return id;
}

function rule(name: RuleName) {
  const found = retentionRules.find((known) => known.name === name);
  if (found === undefined) throw new Error(`no rule ${name}`);
  return found;
}

/** Removes by one rule until nothing is left; returns how many rows went. */
async function sweep(name: RuleName, keep: number): Promise<number> {
  const options = { keep, over: () => false, restMs: () => 0 };
  const { removed, after } = await sweepRule(kit.database, rule(name), options);
  expect(after).toBeUndefined();
  return removed;
}

async function eventIds(): Promise<string[]> {
  return (await kit.sql<{ id: string }>('select id from events')).map(({ id }) => id);
}
