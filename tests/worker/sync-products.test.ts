import { applySyncJob, beginSyncJob } from '@comanda/api/services';
import { addJob, type Database, newId, openDatabase } from '@comanda/db';
import { beforeEach, describe, expect, it } from 'vitest';
import { itemsPerChunk } from '../../packages/api/src/resources/sync-jobs/apply.store.ts';
import type { ProductSyncItem } from '../../packages/api/src/resources/sync-jobs/schema.ts';
import { runSyncJobs } from '../../packages/worker/src/tasks/run-sync-jobs.ts';
import type { TaskContext } from '../../packages/worker/src/tasks/task.ts';
import { createCategory, createLocation, createProduct } from '../support/factories.ts';
import { prismaOf } from '../support/prisma.ts';
import { atLocks } from '../support/sql.ts';
import { stepWorker } from '../support/stepped-worker.ts';
import { runSyncJob } from '../support/sync-jobs.ts';
import { waitFor } from '../support/wait.ts';
import { silent, useWorkerKit } from './kit.ts';
import { createSyncKit, item, outcome, type SyncKit } from './sync-kit.ts';

const kit = useWorkerKit();
let sync: SyncKit;
let locationId: string;
beforeEach(async () => {
  locationId = await createLocation(kit.database);
  sync = createSyncKit(kit, locationId);
});

const many = (count: number, more: Partial<ProductSyncItem> = {}) =>
  Array.from({ length: count }, (_, n) => item(n, more));

describe('what becomes of the items', () => {
  it('creates with the defaults of product creation, and keeps on update what is left out', async () => {
    for (const externalId of ['c1', 'c2'])
      await createCategory(kit.database, { locationId, externalId, name: externalId });
    const stock = { enabled: true, quantity: 2.5, min_stock_alarm: 0.125 };
    const full = {
      sku: '☕',
      visible: false,
      description: 'd',
      image_url: 'https://images.example.com/a.jpg',
      stock,
      category_external_ids: ['c2', 'c1', 'c2'],
    };
    expect(outcome(await sync.run([item(1), item(2, full)]))).toEqual(['completed', 2, 2, 0]);
    const before = await sync.products();
    const id = (
      await prismaOf(kit.database).product.findFirstOrThrow({ where: { externalId: 'e-1', locationId } })
    ).id;
    expect(before['e-1']).toEqual({
      external_id: 'e-1',
      sku: id,
      name: 'Product 1',
      price: 1.25,
      description: '',
      visible: true,
      image_url: '',
      stock: { enabled: false, quantity: 0, min_stock_alarm: 0 },
      categories: [],
    });
    expect(before['e-2']).toMatchObject({ sku: '☕', visible: false, description: 'd', stock });
    expect(before['e-2']?.categories).toMatchObject([{ name: 'c1' }, { name: 'c2' }]);

    await sync.captured();
    await sync.run([item(1, { name: 'New' }), item(2, { price: 7 })]);
    const after = await sync.products();
    expect(after).toEqual({
      'e-1': { ...before['e-1'], name: 'New' },
      'e-2': { ...before['e-2'], price: 7 },
    });
    await sync.run([item(2, { price: 7, category_external_ids: ['c1'] })]);
    expect((await sync.products())['e-2']?.categories).toMatchObject([{ name: 'c1' }]);
    await sync.run([item(2, { price: 7, category_external_ids: [] })]);
    expect((await sync.products())['e-2']?.categories).toEqual([]);
  });

  it('captures only what really differs, under the id of the request', async () => {
    await createCategory(kit.database, { locationId, externalId: 'c' });
    const more = { category_external_ids: ['c'], stock: { enabled: true, quantity: 1, min_stock_alarm: 0 } };
    await sync.run(many(10, more));
    const requests = await kit.sql<{ request_id: string }>`
      select distinct request_id from internal.captured_changes where location_id = ${locationId} and resource = 'product'`;
    expect(requests).toEqual([{ request_id: 'sync-1' }]);
    const { 'sync_job update': _, 'category insert': __, ...first } = await sync.captured();
    expect(first).toEqual({ 'product insert': 10, 'product_categories insert': 10, 'stock insert': 10 });
    await sync.run(many(10, more));
    expect(await sync.captured()).toEqual({ 'sync_job update': 2 });
    await sync.run([...many(9, more), item(9, { ...more, name: 'Other' })]);
    expect(await sync.captured()).toEqual({ 'product update': 1, 'sync_job update': 2 });
  });

  it('fails what the mode forbids, alone', async () => {
    await sync.run([item(1)]);
    const made = await sync.run([item(1, { name: 'No' }), item(2)], 'create');
    expect(outcome(made)).toEqual(['completed', 2, 1, 1]);
    expect(made.errors).toMatchObject([{ index: 0, external_id: 'e-1', code: 'conflict' }]);
    const changed = await sync.run([item(3), item(2, { name: 'Yes' })], 'update');
    expect(changed.errors).toMatchObject([{ index: 0, external_id: 'e-3', code: 'resource_not_found' }]);
    expect(Object.values(await sync.products()).map(({ name }) => name)).toEqual(['Product 1', 'Yes']);
  });

  it('fails an item with an unknown category or a category of another location', async () => {
    const elsewhere = await createLocation(kit.database);
    await createCategory(kit.database, { locationId: elsewhere, externalId: 'c' });
    const { errors, ...done } = await sync.run([item(1, { category_external_ids: ['c'] }), item(2)]);
    expect(outcome({ ...done, errors })).toEqual(['completed', 2, 1, 1]);
    const message = 'category_external_ids[0]: there is no category c';
    expect(errors).toEqual([{ index: 0, external_id: 'e-1', code: 'validation_error', message }]);
  });

  it('fails a sku that another product has, or an earlier item took', async () => {
    await createProduct(kit.database, { locationId, sku: 'taken' });
    const items = [item('z', { sku: 'new' }), item('a', { sku: 'new' }), item('b', { sku: 'taken' })];
    for (const chunkSize of [3, 1]) {
      const { errors } = await sync.run(items, 'upsert', chunkSize);
      expect(errors.map(({ index, code }) => [index, code])).toEqual([
        [1, 'conflict'],
        [2, 'conflict'],
      ]);
    }
  });

  it('keeps the first 100 errors and counts all; a job of which nothing can be applied has failed', async () => {
    const failed = await sync.run(many(150), 'update', 40);
    expect(outcome(failed)).toEqual(['failed', 150, 0, 150]);
    expect(failed.errors.map(({ index }) => index)).toEqual(Array.from({ length: 100 }, (_, n) => n));
    expect(failed.error).toBe('None of the items could be applied; errors says why.');
    // So that it can be tried again.
    expect(failed.items).toHaveLength(150);
    expect(failed.completedAt).toBeInstanceOf(Date);
  });
});

describe('who applies', () => {
  /** The database, which stops serving after so many transactions: its process died between two chunks. */
  const dyingAfter = (transactions: number): Database => ({
    ...kit.database,
    transaction: (requestId, work) => {
      if (transactions-- <= 0) throw new Error('killed');
      return kit.database.transaction(requestId, work);
    },
  });

  it('takes over where another stopped, and applies nothing twice', async () => {
    const jobId = await sync.insertJob(many(50));
    // One transaction begins the job, and two apply a chunk each.
    await expect(runSyncJob(dyingAfter(3), locationId, { chunkSize: 10 })).rejects.toThrow('killed');
    expect(outcome(await sync.job(jobId))).toEqual(['processing', 20, 20, 0]);
    const { 'product insert': before } = await sync.captured();
    expect(before).toBe(20);
    await runSyncJob(kit.database, locationId, { chunkSize: 10 });
    expect(outcome(await sync.job(jobId))).toEqual(['completed', 50, 50, 0]);
    expect(await sync.captured()).toEqual({ 'product insert': 30, 'sync_job update': 1 });
    await runSyncJob(kit.database, locationId);
    expect(await sync.captured()).toEqual({});
  });

  it('applies each item once when several apply one job at the same time', async () => {
    const jobId = await sync.insertJob(many(200), 'create');
    const others = [openDatabase({ url: kit.url }), openDatabase({ url: kit.url })];
    const all = [kit.database, ...others];
    const begun = await beginSyncJob(kit.database, locationId, '0');
    await Promise.all(
      all.map((database) => begun && applySyncJob(database, locationId, begun, { chunkSize: 5 })),
    );
    await Promise.all(others.map((database) => database.close()));
    expect(outcome(await sync.job(jobId))).toEqual(['completed', 200, 200, 0]);
    expect(await sync.captured()).toEqual({ 'product insert': 200, 'sync_job update': 2 });
  });

  it('lets jobs that name the same products in other orders end both', async () => {
    const items = many(60, { stock: { enabled: true, quantity: 1, min_stock_alarm: 0 } });
    const orders = [items, [...items].reverse(), items.map((one) => ({ ...one, price: 2 }))];
    const ids = await Promise.all(orders.map((order) => sync.insertJob(order)));
    // A worker runs them one after the other, except for one that was taken for dead.
    await kit.sql(`update sync_jobs set status = 'processing' where location_id = $1`, [locationId]);
    const apply = (id: string, index: number) =>
      applySyncJob(kit.database, locationId, { id, items: orders[index] }, { chunkSize: 7 });
    await Promise.all(ids.map(apply));
    const jobs = await Promise.all(ids.map((id) => sync.job(id)));
    expect(jobs.map(outcome)).toEqual(jobs.map(() => ['completed', 60, 60, 0]));
    expect(Object.keys(await sync.products())).toHaveLength(60);
  });

  it('decides a chunk again when another creates one of its products meanwhile', async () => {
    const jobId = await sync.insertJob(many(3));
    const other = await kit.database.pool.connect();
    await other.query('begin');
    const values = [locationId, item(1).external_id];
    await other.query(
      `insert into products (location_id, external_id, sku, name, price) values ($1, $2, 'own', 'Theirs', 5)`,
      values,
    );
    const applying = runSyncJob(kit.database, locationId);
    const waiting = () => atLocks(kit.sql, 'insert into products%');
    await waitFor('the chunk to wait for the other product', async () => (await waiting()) === 1);
    await other.query('commit');
    other.release();
    await applying;
    expect(outcome(await sync.job(jobId))).toEqual(['completed', 3, 3, 0]);
    expect((await sync.products())['e-1']).toMatchObject({ sku: 'own', name: 'Product 1', price: 1.25 });
  });

  it('stops between two chunks when asked, for the next to go on', async () => {
    const jobId = await sync.insertJob(many(2));
    const signal = AbortSignal.abort(new Error('stopping'));
    await expect(runSyncJob(kit.database, locationId, { signal })).rejects.toThrow('stopping');
    expect(outcome(await sync.job(jobId))).toEqual(['processing', 0, 0, 0]);
  });
});

describe('the task', () => {
  const run = (id = locationId) => {
    const { signal } = new AbortController();
    return runSyncJobs({ locationId: id }, {
      database: kit.database,
      signal,
      log: silent,
      queueJob: '0',
    } as TaskContext);
  };
  const again = () => kit.sql(`update sync_jobs set due_at = now() where due_at is not null`);

  it('tries a fault again and in the end fails the job with a sentence, keeping what was applied', async () => {
    const jobId = await sync.insertJob([
      ...many(itemsPerChunk),
      { external_id: 'broken', name: null, price: 1 },
    ]);
    for (const attempt of [1, 2, 3]) {
      await run();
      expect(outcome(await sync.job(jobId))).toEqual(['processing', itemsPerChunk, itemsPerChunk, 0]);
      expect(
        await kit.sql('select tries, due_at > now() as waits from sync_jobs where id = $1', [jobId]),
      ).toEqual([{ tries: attempt, waits: true }]);
      await again();
    }
    await run();
    const failed = await sync.job(jobId);
    expect(outcome(failed)).toEqual(['failed', itemsPerChunk, itemsPerChunk, 0]);
    expect(failed.error).toMatch(/fault on our side/);
    expect(failed.items).toHaveLength(itemsPerChunk + 1);
  });

  it('leaves a location alone whose jobs have ended', async () => {
    await sync.run(many(1));
    await sync.captured();
    for (const id of [locationId, newId()]) await run(id);
    expect(await sync.captured()).toEqual({});
  });

  it('is done by a worker, which publishes it', async () => {
    const jobId = await sync.insertJob(many(3));
    await addJob(kit.database, 'run-sync-jobs', { locationId });
    await (await stepWorker(kit)).turn();
    expect((await sync.job(jobId)).status).toBe('completed');
    const events = await kit.events();
    const completed = events.find(
      ({ type, resourceId }) => type === 'sync.completed' && resourceId === jobId,
    );
    expect(completed?.body.data).toEqual({
      job_id: jobId,
      status: 'completed',
      total_items: 3,
      success_items: 3,
      failed_items: 0,
    });
  });
});
