import { describe, expect, test } from 'vitest';
import { StartedSyncJob, SyncJob } from '../../packages/api/src/resources/sync-jobs/schema.ts';
import { dataOf, refusalOf } from '../support/answers.ts';
import { useApi } from '../support/api.ts';
import type { createKey } from '../support/factories.ts';
import { runSyncJob } from '../support/sync-jobs.ts';

const api = useApi();

let asked = 0;

/** A location of its own with a product "known" of 10.00 under "Hot" with a stock of 5, and the ways to sync. */
async function kitchen(limits: Partial<Parameters<typeof createKey>[1]> = {}) {
  const { locationId, rest, make, client } = await api.place({ key: { batchJobsPerHour: 20, ...limits } });
  const hot = await make.category({ name: 'Hot', externalId: 'hot' });
  await make.category({ name: 'Cold', externalId: 'cold' });
  const knownId = await make.product({
    externalId: 'known',
    sku: 'K-1',
    name: 'Known',
    price: 10,
    description: 'Old.',
    categoryIds: [hot],
    stock: { quantity: 5, minStockAlarm: 1 },
  });
  const send = (body: object, idempotencyKey = `dry-${asked++}`) =>
    rest('POST /v2/sync/products', { body, headers: { 'idempotency-key': idempotencyKey } });
  const preview = async (items: object[], mode = 'upsert') =>
    dataOf(await send({ items, mode, dry_run: true }), 202, StartedSyncJob);
  const state = async () => {
    const rows = await api.sql<{ state: string }>(
      `select json_build_array(
         (select json_agg(p order by p.id) from products p where p.location_id = $1),
         (select json_agg(c) from product_categories c where c.location_id = $1),
         (select json_agg(s) from product_stock s where s.location_id = $1),
         (select count(*) from sync_jobs j where j.location_id = $1),
         (select count(*) from internal.idempotency_keys k where k.location_id = $1),
         (select count(*) from internal.captured_changes c where c.location_id = $1))::text as state`,
      [locationId],
    );
    return rows[0]?.state;
  };
  const apply = async (items: object[], mode = 'upsert') => {
    const { job_id: jobId } = dataOf(await send({ items, mode }), 202, StartedSyncJob);
    await runSyncJob(api.app.database, locationId);
    return dataOf(await rest(`GET /v2/sync/jobs/${jobId}`), 200, SyncJob);
  };
  return { rest, client, knownId, send, preview, state, apply };
}

const least = (external_id: string) => ({ external_id, name: external_id, price: 1 });

describe('POST /v2/sync/products with dry_run answers 202', () => {
  test('field by field what would be created, updated or left', async () => {
    const { knownId, preview } = await kitchen();
    const answer = await preview([
      {
        external_id: 'known',
        name: 'Known',
        price: 12.5,
        sku: 'K-2',
        visible: false,
        category_external_ids: ['cold'],
        stock: { enabled: true, quantity: 7.5, min_stock_alarm: 1 },
      },
      { ...least('new'), category_external_ids: ['hot', 'cold', 'hot'] },
      { external_id: 'bare', name: 'Bare', price: 2, sku: 'B-1', description: 'Plain.' },
    ]);
    expect(answer).toEqual({
      job_id: '',
      status: 'completed',
      total_items: 3,
      dry_run: true,
      success_items: 3,
      failed_items: 0,
      errors: [],
      changes: [
        {
          index: 0,
          external_id: 'known',
          id: knownId,
          action: 'updated',
          changes: [
            { field: 'price', before: 10, after: 12.5 },
            { field: 'sku', before: 'K-1', after: 'K-2' },
            { field: 'visible', before: true, after: false },
            { field: 'category_external_ids', before: ['hot'], after: ['cold'] },
            { field: 'stock.quantity', before: 5, after: 7.5 },
          ].sort(byField),
        },
        {
          index: 1,
          external_id: 'new',
          action: 'created',
          changes: made({ description: '', name: 'new', price: 1, category_external_ids: ['cold', 'hot'] }),
        },
        {
          index: 2,
          external_id: 'bare',
          action: 'created',
          changes: made({ description: 'Plain.', sku: 'B-1', name: 'Bare', price: 2 }),
        },
      ],
    });
  });

  test('what keeps its values as unchanged', async () => {
    const { knownId, preview } = await kitchen();
    const same = { external_id: 'known', name: 'Known', price: 10, category_external_ids: ['hot'] };
    const unchanged = { index: 0, external_id: 'known', id: knownId, action: 'unchanged', changes: [] };
    expect((await preview([same])).changes).toEqual([unchanged]);
  });

  test('why items would fail, by the mode, a category and a sku, as the job then does', async () => {
    const { preview, apply } = await kitchen();
    const items = [
      { ...least('known'), sku: 'K-9' },
      { ...least('taker'), sku: 'K-1' },
      { ...least('late'), sku: 'K-9' },
      { ...least('lost'), category_external_ids: ['warm'] },
    ];
    for (const mode of ['create', 'update', 'upsert']) {
      const foreseen = await preview(items, mode);
      const job = await apply(items, mode);
      expect({ mode, errors: foreseen.errors }).toEqual({ mode, errors: job.errors });
      expect(foreseen).toMatchObject({
        status: job.status,
        total_items: 4,
        success_items: job.success_items,
        failed_items: job.failed_items,
      });
    }
  });

  test('changes nothing, counts no batch job, and leaves the key to the real one', async () => {
    const { send, state, knownId, rest } = await kitchen();
    const before = await state();
    const items = [{ ...least('known') }, least('new')];
    const dry = await send({ items, dry_run: true }, 'the-key');
    expect(dry.status).toBe(202);
    expect(dry.headers.get('x-ratelimit-batch-remaining')).toBe('20');
    expect(dry.headers.get('idempotency-replayed')).toBeNull();
    expect(await state()).toBe(before);
    const real = await send({ items }, 'the-key');
    expect(dataOf(real, 202, StartedSyncJob).job_id).not.toBe('');
    expect(real.headers.get('x-ratelimit-batch-remaining')).toBe('19');
    // The key is now that of another body.
    refusalOf(await send({ items, dry_run: true }, 'the-key'), 409, 'conflict');
    expect((await rest(`GET /v2/products/${knownId}`)).body).toMatchObject({ data: { price: 10 } });
  });

  test('when the batch jobs of the hour are used up', async () => {
    const { send } = await kitchen({ batchJobsPerHour: 1 });
    expect((await send({ items: [least('new')] })).status).toBe(202);
    expect((await send({ items: [least('new')], dry_run: true })).status).toBe(202);
    refusalOf(await send({ items: [least('new')] }), 429, 'rate_limited');
  });

  test('with dry_run false as if it were not there', async () => {
    const { send } = await kitchen();
    const answer = dataOf(await send({ items: [least('a')], dry_run: false }), 202, StartedSyncJob);
    expect(answer).toEqual({ job_id: answer.job_id, status: 'queued', total_items: 1 });
  });

  test('the same through the typed client', async () => {
    const { client, preview } = await kitchen();
    const items = [least('known'), least('new')];
    const input = { idempotencyKey: 'client', items, dry_run: true };
    expect(await client().syncJobs.startProducts.mutate(input)).toEqual(await preview(items));
  });
});

test('POST /v2/sync/products with dry_run answers 422 to more items than a batch holds, and to what the real one refuses', async () => {
  const { send } = await kitchen({ maxItemsPerBatch: 2 });
  const items = [least('a'), least('b'), least('c')];
  expect(refusalOf(await send({ items, dry_run: true }), 422, 'validation_error')).toContain('items');
  const twice = await send({ items: [least('a'), least('a')], dry_run: true });
  expect(refusalOf(twice, 422, 'validation_error')).toContain('items[1].external_id');
  refusalOf(await send({ items: [least('a')], dry_run: 'yes' }), 422, 'validation_error');
});

/** The fields of a creation, each as a change: those given, and the defaults. */
const made = (given: object) =>
  Object.entries({ visible: true, image_url: '', ...given })
    .map(([field, after]) => ({ field, after }))
    .sort(byField);

function byField(a: { field: string }, b: { field: string }): number {
  return a.field < b.field ? -1 : 1;
}
