import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { useApi } from '../support/api.ts';
import { runSyncJob } from '../support/sync-jobs.ts';

const api = useApi();

const item = (external_id: string) => ({ external_id, name: external_id, price: 1 });

async function startJob(body: object): Promise<string> {
  const headers = { 'idempotency-key': randomUUID() };
  const answer = await api.rest<{ data: { job_id: string } }>('POST /v2/sync/products', { body, headers });
  expect(answer.status, answer.text).toBe(202);
  return answer.body.data.job_id;
}
const apply = () => runSyncJob(api.app.database, api.locationId, { chunkSize: 2 });
const jobOf = (id: string) => api.client().syncJobs.get.query({ id });

describe('a products job', () => {
  it('carries the ids of what it applied, new and known, chunk after chunk', async () => {
    const known = await api.client().products.create.mutate({ ...item('known'), description: '' });
    const refused = { ...item('refused'), category_external_ids: ['none'] };
    const items = [item('a'), item('known'), refused, item('b'), item('c')];
    const id = await startJob({ items, include: ['ids'] });
    expect(await jobOf(id)).toMatchObject({ status: 'queued', ids: [] });
    await apply();
    const { ids = [] } = await jobOf(id);
    expect(ids.map(({ index, external_id }) => [index, external_id])).toEqual([
      [0, 'a'],
      [1, 'known'],
      [3, 'b'],
      [4, 'c'],
    ]);
    expect(ids[1]?.id).toBe(known.id);
    for (const each of ids)
      expect((await api.client().products.get.query({ id: each.id })).external_id).toBe(each.external_id);
    const [listed] = (await api.client().syncJobs.list.query({})).data;
    expect(listed?.job_id).toBe(id);
    expect(listed).not.toHaveProperty('ids');
  });

  it('carries none unless it was asked to', async () => {
    const id = await startJob({ items: [item('d')] });
    await apply();
    expect(await jobOf(id)).toMatchObject({ status: 'completed', success_items: 1 });
    expect(await jobOf(id)).not.toHaveProperty('ids');
  });
});

describe('a catalog sync', () => {
  const body = {
    categories: [
      {
        external_id: 'FOOD',
        name: 'Food',
        products: [
          {
            ...item('pizza'),
            subselections: [
              {
                external_id: 'size',
                name: 'Size',
                min_selection: 0,
                max_selection: 1,
                items: [{ external_id: 'large', name: 'Large', price: 2 }],
              },
            ],
          },
        ],
      },
    ],
  };

  it('returns the ids of the rows that it named, whether it made them or found them', async () => {
    const sync = (more: object) => api.client().catalog.sync.mutate({ ...body, ...more });
    const { ids } = await sync({ include: ['ids'] });
    const { categories } = await api.client().catalog.get.query();
    const [food] = categories;
    const [pizza] = food?.products ?? [];
    const [size] = pizza?.subselections ?? [];
    expect(ids).toEqual([
      { type: 'category', external_ids: ['FOOD'], id: food?.id },
      { type: 'product', external_ids: ['pizza'], id: pizza?.id },
      { type: 'subselection', external_ids: ['pizza', 'size'], id: size?.id },
      { type: 'item', external_ids: ['pizza', 'size', 'large'], id: size?.items[0]?.id },
    ]);
    expect((await sync({ include: ['ids'] })).ids).toEqual(ids);
    expect(await sync({})).not.toHaveProperty('ids');
    expect(await sync({ include: ['ids'], dry_run: true })).not.toHaveProperty('ids');
  });
});
