import { beforeEach, expect, test } from 'vitest';
import type { Answer } from '../support/api.ts';
import { useApi } from '../support/api.ts';
import { useNewPlace } from '../support/place.ts';
import { category } from './catalog-bodies.ts';

const api = useApi();
const site = useNewPlace(api);

beforeEach(async () => {
  await site.make.category({ externalId: 'c', name: 'Old' });
  await site.make.product({ externalId: 'p', stock: { quantity: 1 } });
});

const keyFor = async (batchJobsPerHour: number) => (await site.make.key({ batchJobsPerHour })).key;
// Of two items: one alone waits for no other batch.
const syncCatalog = (key: string, name: string) =>
  api.rest('POST /v2/catalog/sync', {
    key,
    body: { categories: [category('c', [], { name }), category('d')] },
  });
const syncStock = (key: string, quantity: number) =>
  api.rest('POST /v2/stock/sync', { key, body: { items: [{ external_id: 'p', quantity }] } });
const remaining = ({ headers }: Answer) => headers.get('x-ratelimit-batch-remaining');

/** Runs `work` while another session holds the rows that the statement locks. */
async function holding<Result>(sql: string, work: () => Promise<Result>): Promise<Result> {
  const other = await api.pool.connect();
  try {
    await other.query('begin');
    await other.query(sql, [site.locationId]);
    return await work();
  } finally {
    await other.query('rollback');
    other.release();
  }
}

test.each([
  ['a row that it writes', 'select from categories where location_id = $1 for update'],
  ["the location's bulk writes", 'select hold_bulk_writes($1::uuid)'],
])(
  'the 503 has used up one of the hour’s batch jobs: it uses up none, behind %s',
  async (_, sql) => {
    const key = await keyFor(5);
    const refused = await holding(sql, () => syncCatalog(key, 'New'));
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5']);
    const served = await syncCatalog(key, 'New');
    expect([served.status, remaining(served)]).toEqual([200, '4']);
  },
  30_000,
);

test('a batch over the limit of the hour is refused before it waits for a lock', async () => {
  const key = await keyFor(1);
  expect((await syncCatalog(key, 'New')).status).toBe(200);
  const sql = `select from categories c, product_stock s where c.location_id = $1 and s.location_id = $1 for update`;
  const refused = await holding(sql, () => Promise.all([syncCatalog(key, 'Newer'), syncStock(key, 2)]));
  expect(refused.map(({ status }) => status)).toEqual([429, 429]);
  for (const { headers } of refused) expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
});

test('of two batches for the last of the hour one is applied, and the other leaves nothing behind', async () => {
  const key = await keyFor(1);
  const sql = 'select from product_stock where location_id = $1 for update';
  // Both see one left, and both wait until the row is free.
  const answers: Promise<Answer[]> = holding(sql, async () => {
    const both = Promise.all([syncStock(key, 2), syncStock(key, 3)]);
    await new Promise((resolve) => setTimeout(resolve, 500));
    return { both };
  }).then(({ both }) => both);
  const statuses = (await answers).map(({ status }) => status);
  expect(statuses.toSorted()).toEqual([200, 429]);
  const row = await api.prisma.productStock.findFirstOrThrow({ where: { locationId: site.locationId } });
  expect(row.quantity.toNumber()).toBe(statuses[0] === 200 ? 2 : 3);
});
