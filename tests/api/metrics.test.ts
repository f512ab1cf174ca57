import { newId } from '@comanda/db';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { MetricFamily } from '../../packages/api/src/metrics/family.ts';
import { createReadiness } from '../../packages/api/src/metrics/readiness.ts';
import { createRequestMeters } from '../../packages/api/src/metrics/request-meters.ts';
import { startTestApi, useApi } from '../support/api.ts';
import { superuserUrl } from '../support/database.ts';
import { expectRowsOf } from '../support/metric-rows.ts';
import { createOrderKitchen } from '../support/orders.ts';
import { runOnce } from '../support/server.ts';
import { thrownBy } from '../support/thrown.ts';
import { waitFor } from '../support/wait.ts';

const api = useApi();

/** Values by metric and labels, as the text has them: `comanda_database_up`, `x_total{a="b"}`. */
async function scrape(url = api.url): Promise<Map<string, number>> {
  const response = await fetch(`${url}/metrics`);
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toContain('text/plain; version=0.0.4');
  return parse(await response.text());
}

function parse(text: string): Map<string, number> {
  const rows = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    rows.map((row) => {
      const [, name = '', value] = /^(.*) (\S+)$/.exec(row) ?? [];
      return [name, Number(value)] as const;
    }),
  );
}

const requests = (operation: string, entrance: string, method: string, code: number) =>
  `comanda_http_requests_total{operation="${operation}",entrance="${entrance}",method="${method}",code="${code}"}`;

it('says what requests meet at the database, its connections, and each clock', async () => {
  await runOnce(
    api.databaseUrl,
    `insert into internal.process_heartbeats (id, kind, host, pid, clock_skew_ms) values ('late', 'worker', 'kitchen', 7, -7200000)`,
  );
  const values = await waitFor('the clock', async () => {
    const found = await scrape();
    return found.has('comanda_clock_skew_seconds{kind="worker",host="kitchen",pid="7"}') && found;
  });
  await runOnce(api.databaseUrl, `delete from internal.process_heartbeats where id = 'late'`);
  expect(values.get('comanda_clock_skew_seconds{kind="worker",host="kitchen",pid="7"}')).toBe(7_200);
  const state = (name: string) => values.get(`comanda_database_state{state="${name}"}`);
  expect(['ok', 'read-only', 'disk-full', 'unreachable'].map(state)).toEqual([1, 0, 0, 0]);
  expect(values.get('comanda_database_connections')).toBeGreaterThan(0);
  expect(values.get('comanda_database_connections_limit')).toBeGreaterThan(10);
});

describe('requests', () => {
  it('are counted by operation, entrance, method and code, and never by their path', async () => {
    await api.rest('GET /v2/orders?limit=1');
    await api.rest('GET /v2/orders?limit=2');
    await api.rest(`GET /v2/orders/${newId()}`);
    await fetch(`${api.url}/v2/orders`, { method: 'HEAD' });
    await fetch(`${api.url}/v2/nothing/here/${newId()}`);
    await api.client().orders.list.query({});
    await thrownBy(api.client().orders.get.query({ id: newId() }));
    await fetch(`${api.url}/trpc/no.such.call`);
    const values = await scrape();
    expect(values.get(requests('orders.list', 'rest', 'GET', 200))).toBe(2);
    expect(values.get(requests('orders.get', 'rest', 'GET', 404))).toBe(1);
    expect(values.get(requests('orders.list', 'rest', 'HEAD', 401))).toBe(1);
    expect(values.get(requests('none', 'rest', 'GET', 404))).toBe(1);
    expect(values.get(requests('orders.list', 'trpc', 'query', 200))).toBe(1);
    expect(values.get(requests('orders.get', 'trpc', 'query', 404))).toBe(1);
    const noCall = [...values].filter(([name]) => name.includes('operation="none",entrance="trpc"'));
    expect(noCall.some(([name, value]) => name.includes('code="404"') && value === 1)).toBe(true);
    const of = 'operation="orders.list",entrance="rest"';
    expect(values.get(`comanda_http_request_duration_seconds_count{${of}}`)).toBe(3);
    expect(values.get(`comanda_http_request_duration_seconds_bucket{le="+Inf",${of}}`)).toBe(3);
  });

  it('refused by a limit are counted by its kind', async () => {
    const minute = await api.make.key({ perMinute: 1 });
    const month = await api.make.key({ monthly: 1 });
    for (const { key } of [minute, month]) {
      await waitFor('a refusal', async () => (await api.rest('GET /v2/orders', { key })).status === 429);
    }
    const values = await scrape();
    expect(values.get('comanda_limit_refusals_total{limit="minute"}')).toBeGreaterThanOrEqual(1);
    expect(values.get('comanda_limit_refusals_total{limit="month"}')).toBeGreaterThanOrEqual(1);
    expect(values.get('comanda_limit_refusals_total{limit="batch_hour"}')).toBe(0);
  });

  it('of unknown names share one place, however many there are', () => {
    const meters = createRequestMeters(['orders.list']);
    const line = { requestId: '', entrance: 'trpc', status: 404 } as const;
    for (let n = 0; n < 1_000; n += 1)
      meters.observe({ ...line, method: `M${n}`, operation: `made.up${n}` }, n);
    const [answers, latency] = meters.families();
    expect(answers?.values).toEqual([
      { labels: { operation: 'none', entrance: 'trpc', method: 'other', code: 404 }, value: 1_000 },
    ]);
    expect(latency?.values.find(({ labels }) => labels.le === 0.5)?.value).toBe(501);
    expect(latency?.values.at(-2)?.value).toBeCloseTo(499.5);
  });
});

describe('the state of the work', () => {
  it('reports changes, deliveries, jobs and workers that wait, and their ages', async () => {
    const { locationId, databaseUrl } = api;
    await runOnce(
      databaseUrl,
      `with endpoint as (
         insert into webhook_endpoints (location_id, url, events) values ('${locationId}', 'https://erp.example.com', '{order.created}') returning id
       ), event as (
         insert into events (location_id, id, number, type, resource_id, body, created_at)
         values ('${locationId}', '${newId()}', 1, 'order.created', '${newId()}', '{}', now()) returning id
       ) insert into webhook_deliveries (location_id, endpoint_id, event_id, next_attempt_at)
         select '${locationId}', endpoint.id, event.id, now() + due from endpoint, event,
           unnest('{-70 seconds,-1 second,1 hour}'::interval[]) as due;
       insert into sync_jobs (location_id, total_items, status, created_at) values ('${locationId}', 1, 'queued', now() - interval '40 seconds');
       insert into sync_jobs (location_id, total_items, status) values ('${locationId}', 1, 'processing');
       update sync_jobs set status = 'completed' where status = 'processing';
       insert into internal.process_heartbeats (id, kind, host, pid, seen_at) values
         ('a', 'worker', 'kitchen', 1, now()), ('b', 'worker', 'kitchen', 2, now() - interval '30 seconds');
       select graphile_worker.add_job('run-sync-jobs', '{}');
       delete from internal.captured_changes;
       insert into internal.captured_changes (location_id, resource, resource_ids, operation, captured_at, failures, retry_at) values
         ('${locationId}', 'orders', array['${newId()}'::uuid], 'insert', now() - interval '90 seconds', 0, null),
         ('${locationId}', 'orders', array['${newId()}'::uuid], 'insert', now(), 10, now())`,
    );
    const values = await waitFor('a fresh look', async () => {
      const found = await scrape();
      return (found.get('comanda_relay_lag_seconds') ?? 0) >= 90 && found;
    });
    expect(values.get('comanda_database_up')).toBe(1);
    expect(values.get('comanda_relay_changes{state="waiting"}')).toBe(1);
    expect(values.get('comanda_relay_changes{state="set_aside"}')).toBe(1);
    expect(values.get('comanda_deliveries{state="due"}')).toBe(2);
    expect(values.get('comanda_deliveries{state="scheduled"}')).toBe(1);
    expect(values.get('comanda_deliveries_oldest_due_seconds')).toBeGreaterThanOrEqual(70);
    expect(values.get('comanda_sync_jobs{state="queued"}')).toBe(1);
    expect(values.get('comanda_sync_jobs_oldest_seconds')).toBeGreaterThanOrEqual(40);
    expect(values.get('comanda_sync_jobs_ended_total{state="completed"}')).toBe(1);
    expect(values.get('comanda_processes_alive{kind="worker"}')).toBe(1);
    const age = values.get('comanda_worker_heartbeat_age_seconds{host="kitchen",pid="2"}');
    expect(age).toBeGreaterThanOrEqual(30);
    expect(values.get('comanda_jobs{task="run-sync-jobs",state="ready"}')).toBe(1);
    expect(values.get('comanda_pool_connections{state="total"}')).toBeGreaterThan(0);
    expect(values.get('process_resident_memory_bytes')).toBeGreaterThan(1e6);
    expect([...values.keys()]).toContain('nodejs_eventloop_lag_p99_seconds');
    // Each scrape begins anew, and the loop is looked at each 100 ms.
    const least = async () => (await scrape()).get('nodejs_eventloop_lag_min_seconds') ?? Number.NaN;
    await waitFor('a delay without the time between two looks', async () => (await least()) < 0.05, {
      intervalMs: 300,
    });
    expect([...values.keys()].join()).toContain('comanda_build_info{version=');
  });

  it('has every metric of the table and no other of the service, and counts only in a metric that is named a total', async () => {
    expectRowsOf('api', await (await fetch(`${api.url}/metrics`)).text());
  });

  it('holds nothing of a location but its id, where it is one of those with most', async () => {
    await api.rest('GET /v2/turns');
    const text = await (await fetch(`${api.url}/metrics`)).text();
    for (const secret of [api.key.id, api.key.key, 'erp.example.com', 'Test Kitchen'])
      expect(text).not.toContain(secret);
    const withIds = text.split('\n').filter((line) => /[0-9a-f]{8}-[0-9a-f]{4}-/.test(line));
    const ofLocations = /^comanda_location_(requests|orders)\{location_id="[0-9a-f-]{36}"\} \d+$/;
    expect(withIds.filter((line) => !ofLocations.test(line))).toEqual([]);
    expect(withIds.join('\n')).toContain(`comanda_location_requests{location_id="${api.locationId}"}`);
  });

  it('of a location counts its orders of v1 with those of v2', async () => {
    const kitchen = await createOrderKitchen(api);
    const name = `comanda_location_orders{location_id="${api.locationId}"}`;
    const before = (await scrape()).get(name) ?? 0;
    for (const path of ['/v1/orders', '/v2/orders'])
      expect((await kitchen.post({}, { path })).status).toBe(201);
    expect((await scrape()).get(name)).toBe(before + 2);
  });

  it('of several processes is added up, and what they all see alike is not', async () => {
    await api.rest('GET /v2/turns');
    const own = await api.app.metrics.own();
    const sibling = JSON.parse(JSON.stringify(own)) as MetricFamily[];
    const both = parse(await api.app.metrics.text([sibling]));
    const alone = parse(await api.app.metrics.text());
    const name = requests('turns.list', 'rest', 'GET', 200);
    expect(alone.get(name)).toBeGreaterThan(0);
    expect(both.get(name)).toBe(2 * (alone.get(name) ?? 0));
    expect(both.get('comanda_database_up')).toBe(1);
  });
});

it('answers GET and HEAD without a key, and nothing else', async () => {
  const head = await fetch(`${api.url}/metrics`, { method: 'HEAD' });
  expect([head.status, await head.text()]).toEqual([200, '']);
  const post = await fetch(`${api.url}/metrics`, { method: 'POST' });
  expect([post.status, post.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
});

it('publishing that is stalled is seen, and refuses no request', async () => {
  const own = await startTestApi();
  onTestFinished(() => own.close());
  const sql = (text: string) => runOnce(own.databaseUrl, text);
  const { database } = own.app;
  const look = async () => (await createReadiness({ health: database, pools: [database] })()).publishing;
  const change = (failures: number) =>
    sql(`delete from internal.captured_changes;
      insert into internal.captured_changes (location_id, resource, resource_ids, operation, captured_at, failures, retry_at)
      values ('${own.locationId}', 'orders', array['${newId()}'::uuid], 'insert', now() - interval '90 seconds', ${failures}, now())`);
  const worker = (publishedSeconds: number) =>
    sql(`insert into internal.process_heartbeats (id, kind, host, pid, published_at)
      values ('w', 'worker', 'kitchen', 1, now() - interval '${publishedSeconds} seconds')
      on conflict (id) do update set published_at = excluded.published_at`);

  await change(0);
  expect(await look()).toEqual({ state: 'stalled', setAside: 0 });
  const ready = await fetch(`${own.url}/readyz`);
  expect([ready.status, await ready.json()]).toEqual([
    200,
    expect.objectContaining({ status: 'ok', publishing: 'stalled', changes_set_aside: 0 }),
  ]);
  expect((await scrape(own.url)).get('comanda_publishing{state="stalled"}')).toBe(1);
  await worker(50);
  expect(await look()).toEqual({ state: 'ok', setAside: 0 });
  await worker(100);
  expect(await look()).toEqual({ state: 'stalled', setAside: 0 });
  await change(10);
  expect(await look()).toEqual({ state: 'stalled', setAside: 1 });
  // Others that came later were published.
  await worker(70);
  expect(await look()).toEqual({ state: 'ok', setAside: 1 });
});

it('with the database away reports what the process knows, and that the database is away; readiness says so too', async () => {
  const own = await startTestApi();
  onTestFinished(() => own.close());
  const read = await fetch(`${own.url}/readyz`);
  expect(await read.json()).toEqual({
    status: 'ok',
    database: 'ok',
    worker: 'silent',
    publishing: 'ok',
    changes_set_aside: 0,
  });
  await runOnce(
    own.databaseUrl,
    `insert into internal.process_heartbeats (id, kind, host, pid) values ('w', 'worker', 'kitchen', 1)`,
  );
  await waitFor('the beat', async () => {
    const ready = await fetch(`${own.url}/readyz`);
    return ready.status === 200 && ((await ready.json()) as { worker: string }).worker === 'ok';
  });
  const name = decodeURIComponent(new URL(own.databaseUrl).pathname.slice(1));
  const superuser = superuserUrl(api.databaseUrl);
  await runOnce(superuser, `alter database "${name}" with allow_connections false`);
  await runOnce(
    superuser,
    `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`,
  );
  const values = await waitFor('the outage', async () => {
    const found = await scrape(own.url);
    return found.get('comanda_database_up') === 0 && found;
  });
  expect([...values.keys()].filter((key) => key.startsWith('comanda_relay'))).toEqual([]);
  expect(values.get('process_resident_memory_bytes')).toBeGreaterThan(1e6);
  const ready = await waitFor('readiness to notice', async () => {
    const found = await fetch(`${own.url}/readyz`);
    return found.status === 503 && found;
  });
  const away = { status: 'database unreachable', database: 'unreachable', worker: 'unknown' };
  expect(await ready.json()).toEqual(away);
  expect((await fetch(`${own.url}/healthz`)).status).toBe(200);
  await runOnce(api.databaseUrl, `alter database "${name}" with allow_connections true`);
  await waitFor('the recovery', async () => (await fetch(`${own.url}/readyz`)).status === 200);
}, 60_000);
