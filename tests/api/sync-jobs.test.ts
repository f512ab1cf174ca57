import { describe, expect, it, test } from 'vitest';
import { StartedSyncJob, SyncJob, SyncJobPage } from '../../packages/api/src/resources/sync-jobs/schema.ts';
import { dataOf, refusalOf } from '../support/answers.ts';
import { useApi } from '../support/api.ts';
import type { createKey } from '../support/factories.ts';
import { parseStrict } from '../support/strict.ts';
import { runSyncJob } from '../support/sync-jobs.ts';

const api = useApi();

const least = { external_id: 'a', name: 'A', price: 1 };
let made = 0;

/** A location of its own with one key, limited as said. */
async function kitchen(limits: Partial<Parameters<typeof createKey>[1]> = {}, timezone = 'UTC') {
  const { locationId, rest } = await api.place({ location: { timezone }, key: { ...limits } });
  const start = (body: unknown, idempotencyKey = `key-${made++}`) =>
    rest('POST /v2/sync/products', { body, headers: { 'idempotency-key': idempotencyKey } });
  const apply = async (items: object[], mode = 'upsert') => {
    const { job_id: jobId } = dataOf(await start({ items, mode }), 202, StartedSyncJob);
    await runSyncJob(api.app.database, locationId);
    return jobId;
  };
  const jobs = async () => parseStrict(SyncJobPage, (await rest('GET /v2/sync/jobs')).body);
  return { locationId, rest, start, apply, jobs };
}

describe('POST /v2/sync/products', () => {
  it('answers 202 with the queued job, and queues it once', async () => {
    const { start, locationId, rest } = await kitchen();
    const answer = await start({ items: [least] });
    const { job_id } = dataOf(answer, 202, StartedSyncJob);
    expect(answer.body.data).toEqual({ job_id, status: 'queued', total_items: 1 });
    const rows = await api.sql`select key from graphile_worker._private_jobs
      where payload->>'locationId' = ${locationId}`;
    expect(rows).toEqual([{ key: `run-sync-jobs:${locationId}` }]);
    const job = dataOf(await rest(`GET /v2/sync/jobs/${job_id}`), 200, SyncJob);
    expect(job).toEqual({
      job_id,
      type: 'products',
      mode: 'upsert',
      status: 'queued',
      total_items: 1,
      processed_items: 0,
      success_items: 0,
      failed_items: 0,
      errors: [],
      created_at: job.created_at,
    });
  });

  it('replays the same key and body byte for byte, and counts no second batch job', async () => {
    const { start, jobs } = await kitchen({ batchJobsPerHour: 5 });
    const first = await start({ items: [least], mode: 'create' }, 'one');
    expect(first.headers.get('x-ratelimit-batch-remaining')).toBe('4');
    expect(first.headers.get('idempotency-replayed')).toBeNull();
    const again = await start({ mode: 'create', items: [{ price: 1, name: 'A', external_id: 'a' }] }, 'one');
    expect(again).toMatchObject({ status: 202, text: first.text });
    const replayed = { 'idempotency-replayed': 'true', 'x-ratelimit-batch-remaining': '4' };
    expect(Object.fromEntries(again.headers)).toMatchObject(replayed);
    expect((await jobs()).pagination.total).toBe(1);
  });

  it('refuses the key with another body', async () => {
    const { start } = await kitchen();
    await start({ items: [least] }, 'one');
    refusalOf(await start({ items: [{ ...least, price: 2 }] }, 'one'), 409, 'conflict');
  });

  it('makes one job of simultaneous calls with one key, and one counts', async () => {
    const { start, jobs } = await kitchen({ batchJobsPerHour: 5 });
    const answers = await Promise.all(Array.from({ length: 12 }, () => start({ items: [least] }, 'same')));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    const replayed = answers.filter(({ headers }) => headers.get('idempotency-replayed') === 'true');
    expect(replayed).toHaveLength(11);
    expect((await jobs()).pagination.total).toBe(1);
    const next = await start({ items: [least] });
    expect(next.headers.get('x-ratelimit-batch-remaining')).toBe('3');
  });

  it('accepts more simultaneous batches than there are connections', async () => {
    const { start } = await kitchen();
    const answers = await Promise.all(Array.from({ length: 25 }, () => start({ items: [least] })));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 202));
  });

  it('refuses a missing or malformed key by its name, which it leaves unused', async () => {
    const { rest } = await kitchen();
    const call = (headers: Record<string, string>) =>
      rest('POST /v2/sync/products', { body: { items: [least] }, headers });
    for (const headers of [{}, { 'idempotency-key': '' }, { 'idempotency-key': 'x'.repeat(256) }])
      expect(refusalOf(await call(headers), 422, 'validation_error')).toContain('Idempotency-Key: ');
  });

  test.each([
    ['items', {}],
    ['items', { items: [] }],
    ['items', { items: 'all' }],
    ['mode', { items: [least], mode: 'replace' }],
    ['items[0].external_id', { items: [{ name: 'A', price: 1 }] }],
    ['items[0].external_id', { items: [{ ...least, external_id: 1 }] }],
    ['items[0].name', { items: [{ ...least, name: undefined }] }],
    ['items[1].price', { items: [least, { ...least, external_id: 'b', price: '1' }] }],
    ['items[0].price', { items: [{ ...least, price: 0.001 }] }],
    ['items[0].sku', { items: [{ ...least, sku: null }] }],
    ['items[0].image_url', { items: [{ ...least, image_url: 'no url' }] }],
    ['items[0].category_external_ids[0]', { items: [{ ...least, category_external_ids: [''] }] }],
    ['items[0].stock.quantity', { items: [{ ...least, stock: { enabled: true, min_stock_alarm: 0 } }] }],
    ['items[0].name', { items: [{ ...least, name: 'a\0' }] }],
    ['items[2].external_id', { items: [least, { ...least, external_id: 'b' }, least] }],
  ])('refuses a bad %s by its name and counts nothing: %j', async (path, body) => {
    const { start, jobs } = await kitchen({ batchJobsPerHour: 3 });
    const answer = await start(body, 'kept');
    expect(refusalOf(answer, 422, 'validation_error')).toContain(`${path}: `);
    expect(answer.headers.get('x-ratelimit-batch-remaining')).toBe('3');
    expect((await jobs()).pagination.total).toBe(0);
    expect((await start({ items: [least] }, 'kept')).status).toBe(202);
  });

  it('refuses more items than the key may send, and counts nothing', async () => {
    const { start } = await kitchen({ maxItemsPerBatch: 2, batchJobsPerHour: 3 });
    const items = ['a', 'b', 'c'].map((external_id) => ({ ...least, external_id }));
    const answer = await start({ items });
    expect(refusalOf(answer, 422, 'validation_error')).toMatch(/items: .*2.*max_items_per_batch/);
    expect(answer.headers.get('x-ratelimit-batch-remaining')).toBe('3');
    dataOf(await start({ items: items.slice(0, 2) }), 202, StartedSyncJob);
  });

  it('answers 429 once the jobs of the hour are used up, but still replays', async () => {
    const { start, jobs } = await kitchen({ batchJobsPerHour: 2 });
    const first = await start({ items: [least] }, 'first');
    await start({ items: [least] });
    const refused = await start({ items: [least] }, 'third');
    refusalOf(refused, 429, 'rate_limited');
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    const used = { 'x-ratelimit-batch-limit': '2', 'x-ratelimit-batch-remaining': '0' };
    expect(Object.fromEntries(refused.headers)).toMatchObject(used);
    expect((await start({ items: [least] }, 'first')).text).toBe(first.text);
    expect((await jobs()).pagination.total).toBe(2);
  });
});

describe('GET /v2/sync/jobs/{id}', () => {
  it('shows what became of the items, in the time zone of the location', async () => {
    const { apply, rest } = await kitchen({}, 'America/Sao_Paulo');
    await apply([least]);
    const id = await apply([{ ...least, external_id: 'b' }, least], 'create');
    const job = dataOf(await rest(`GET /v2/sync/jobs/${id}`), 200, SyncJob);
    expect(job).toMatchObject({ status: 'completed', mode: 'create', processed_items: 2, success_items: 1 });
    expect(job.failed_items).toBe(1);
    const message = 'A product with external_id a exists already.';
    expect(job.errors).toEqual([{ index: 1, external_id: 'a', code: 'conflict', message }]);
    for (const time of [job.created_at, job.started_at, job.completed_at])
      expect(time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}-03:00$/);
  });

  it('says in one sentence why a job failed', async () => {
    const { apply, rest } = await kitchen();
    const job = dataOf(await rest(`GET /v2/sync/jobs/${await apply([least], 'update')}`), 200, SyncJob);
    expect(job).toMatchObject({ status: 'failed', processed_items: 1, success_items: 0, failed_items: 1 });
    expect(job.error).toBe('None of the items could be applied; errors says why.');
  });
});

it('GET /v2/sync/jobs lists newest first, ties by id, and pages', async () => {
  const { start, rest, jobs, locationId } = await kitchen();
  const ids: string[] = [];
  for (let n = 0; n < 5; n++) ids.push(dataOf(await start({ items: [least] }), 202, StartedSyncJob).job_id);
  expect((await jobs()).data.map(({ job_id }) => job_id)).toEqual([...ids].reverse());
  await api.sql('update sync_jobs set created_at = now() where location_id = $1', [locationId]);
  const { data } = await jobs();
  expect(data.map(({ job_id }) => job_id)).toEqual([...ids].sort().reverse());
  const page = parseStrict(SyncJobPage, (await rest('GET /v2/sync/jobs?limit=2&offset=3')).body);
  expect(page).toEqual({ data: data.slice(3), pagination: { limit: 2, offset: 3, total: 5 } });
});
