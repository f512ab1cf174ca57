import { newId } from '@comanda/db';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  findSkuOwners,
  lockCategories,
  lockProducts,
  updateProducts,
} from '../../packages/api/src/resources/sync-jobs/statements.ts';
import { createLocation } from '../support/factories.ts';
import { createWorkerKit, type WorkerKit } from './kit.ts';

let kit: WorkerKit;
let locationId: string;
beforeAll(async () => {
  kit = await createWorkerKit();
  locationId = await createLocation(kit.database);
});
afterAll(() => kit.close());

// A first import: nobody has counted yet what is in the tables, and a plan that is kept is from before it.
test('a chunk reaches each row by its whole key, by a plan for what is there now', async () => {
  for (const table of ['products', 'categories']) await fill(table);
  const ids = [newId(), newId()];
  const names = ['a', 'b'];
  const columns = [ids, names, names, names, [1, 1], [true, true], names, names];
  for (const { fresh } of [lockProducts, findSkuOwners, lockCategories, updateProducts])
    expect(fresh).toBe(true);
  const plans = await Promise.all([
    planOf(lockProducts.text, [locationId, names]),
    planOf(findSkuOwners.text, [locationId, names]),
    planOf(lockCategories.text, [locationId, names]),
    planOf(updateProducts.text, [locationId, ...columns]),
  ]);
  for (const plan of plans) {
    expect(plan).not.toMatch(/Hash|Merge|Seq Scan/);
    const conditions = plan.split('\n').filter((line) => line.includes('Index Cond'));
    expect(conditions.length, plan).toBeGreaterThan(0);
    for (const condition of conditions) expect(condition).toMatch(/AND \((external_id|sku|id) = /);
  }
});

async function fill(table: string): Promise<void> {
  const more = table === 'products' ? ['sku, price', `'s' || n, 1`] : ['priority', '0'];
  await kit.sql(
    `insert into ${table} (location_id, external_id, name, ${more[0]})
     select $1, 'n' || n, 'N' || n, ${more[1]} from generate_series(1, 2000) n`,
    [locationId],
  );
}

async function planOf(text: string, values: unknown[]): Promise<string> {
  const rows = await kit.sql<{ 'QUERY PLAN': string }>(`explain (costs off) ${text}`, values);
  return rows.map((row) => row['QUERY PLAN']).join('\n');
}
