import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from 'vitest';
import { listProducts } from '../../packages/api/src/resources/products/statements.ts';
import { useApi } from '../support/api.ts';
import { useNewPlace } from '../support/place.ts';
import { trials } from '../support/trials.ts';
import { plainProducts } from './products-plain.ts';

const api = useApi();
const site = useNewPlace(api);
let categoryIds: string[];
beforeEach(async () => {
  categoryIds = [];
  for (const name of ['Drinks', 'Bar "Ñandú"\n\\', 'Food', 'Drinks'])
    categoryIds.push(await site.make.category({ name, priority: name.length % 3 }));
});

/** Others may load the machine; what counts is what is found. */
const patience = trials(120_000, 900_000);
const sql = (text: string, values: unknown[] = []) => api.pool.query(text, values);
const below = (limit: number) => Math.floor(Math.random() * limit);

async function createProducts(count: number): Promise<void> {
  for (let n = 0; n < count; n++) {
    await site.make.product({
      sku: `sku-${n}`,
      name: `Product ${n % 7} "é"\t`,
      price: n / 4,
      visible: n % 3 > 0,
      description: n % 2 === 0 ? '' : 'back\\slash "quoted" 😀',
      ...(n % 4 > 0 && { externalId: `ext-${n}` }),
      ...(n % 5 > 0 && { stock: { enabled: n % 2 === 0, quantity: n * 1.125, minStockAlarm: n % 3 } }),
      categoryIds: categoryIds.filter((_, index) => (n >> index) % 2 === 1),
    });
  }
}

/** The list's page and the plain Prisma query's result, in one snapshot. */
function both(query: { limit: number; offset: number }, filters: { visible?: boolean } = {}) {
  return api.prisma.$transaction(
    async (tx) => {
      const { atOnce, byOne, values } = listProducts(site.locationId, query, filters, 'plain');
      if (atOnce === undefined) throw new Error('the first pages of this list are made at once');
      const [slow, shown] = await Promise.all(
        [byOne(), atOnce].map(async ({ text }) => {
          const [page] = await tx.$queryRawUnsafe<{ data: string; total: number }[]>(text, ...values);
          return { total: page?.total, text: page?.data };
        }),
      );
      expect(slow).toEqual(shown);
      return { shown, plain: await plainProducts(tx, site.locationId, query, filters) };
    },
    { isolationLevel: 'RepeatableRead', timeout: 60_000, maxWait: 60_000 },
  );
}
const everything = { limit: 200, offset: 0 };

describe('the texts of products', () => {
  it('show byte for byte the result of the plain Prisma query after any manual edit', {
    timeout: patience,
  }, async () => {
    await createProducts(24);
    const [nine] = (await sql(`select id from products where sku = 'sku-9'`)).rows;
    const changes = [
      `update products set name = 'Other', price = 9.5, image_url = 'https://x.example/i.png' where sku = 'sku-3'`,
      `update products set visible = not visible where sku in ('sku-4', 'sku-5')`,
      `update products set external_id = null, description = '' where sku = 'sku-7'`,
      `update product_stock set quantity = 0.001, min_stock_alarm = 7 where product_id = '${nine?.id}'`,
      `delete from product_stock where quantity > 10`,
      `update categories set name = 'Juices' where name = 'Drinks'`,
      `update categories set priority = 0 where name = 'Juices'`,
      `delete from product_categories where product_id = '${nine?.id}'`,
      `insert into product_categories (location_id, product_id, category_id)
       select p.location_id, p.id, c.id from products p join categories c using (location_id)
       where p.location_id = $1 and p.sku = 'sku-8' on conflict do nothing`,
      `delete from categories where name = 'Food'`,
      `delete from products where sku = 'sku-11'`,
    ];
    for (const change of changes) {
      const written = change.includes('$1') ? await sql(change, [site.locationId]) : await sql(change);
      expect(written.rowCount, change).toBeGreaterThan(0);
      const { shown, plain } = await both(everything);
      expect(shown, change).toEqual(plain);
    }
    await sql('delete from locations where id = $1', [site.locationId]);
    for (const table of ['tallies', 'tally_notes'])
      expect(
        await api.sql(`select 1 from internal.${table} where location_id = $1`, [site.locationId]),
      ).toEqual([]);
  });

  it('are found by the name, sku and external_id that a manual edit wrote, and by nothing else', async () => {
    await createProducts(1);
    const found = async (search: string) => {
      const { byOne, values } = listProducts(site.locationId, everything, { search }, 'plain');
      return (await api.app.database.run(byOne(), values))[0]?.total;
    };
    const edit = (change: string) =>
      sql(`update products set ${change} where location_id = $1`, [site.locationId]);
    expect(await found('PRODUCT 0')).toBe(1);
    await edit(`name = 'İzgara Ñandú'`);
    expect([await found('product 0'), await found('IZGARA'), await found('i̇zgara ñANDÚ')]).toEqual([0, 1, 1]);
    await edit(`sku = 'Other'`);
    expect([await found('sku-0'), await found('oTHER')]).toEqual([0, 1]);
    await edit(`external_id = 'Erp-1'`);
    expect(await found('eRP-1')).toBe(1);
    await edit('external_id = null');
    expect(await found('erp-1')).toBe(0);
    await edit(`search_text = 'lie'`);
    expect([await found('lie'), await found('other')]).toEqual([0, 1]);
  });

  it('hold while categories are renamed and the same products linked, at once and in any order', {
    timeout: patience,
  }, async () => {
    await createProducts(12);
    const one = 'select id from products where location_id = $1 order by random() limit 1';
    const category = 'select id from categories where location_id = $1 order by random() limit 1';
    const writers = [
      `update categories set name = 'C' || floor(random() * 1000) where id = (${category}) and location_id = $1`,
      `update categories set priority = floor(random() * 9) where id = (${category}) and location_id = $1`,
      `insert into product_categories select $1::uuid, p.id, c.id from (${one}) p, (${category}) c on conflict do nothing`,
      `insert into product_categories select $1::uuid, p.id, c.id from (${one}) p, (${category}) c on conflict do nothing`,
      `delete from product_categories where location_id = $1 and product_id = (${one}) and category_id = (${category})`,
      `update products set visible = not visible, name = 'P' || floor(random() * 99) where location_id = $1 and id = (${one})`,
      `update product_stock set quantity = floor(random() * 1000) where location_id = $1 and product_id = (${one})`,
      `with gone as (delete from products where location_id = $1 and id = (${one}) returning *)
       insert into products (location_id, id, sku, name, price, visible) select location_id, uuid_v7(), sku, name, price, visible from gone`,
      `select fold_tallies($1)`,
    ];
    let writing = true;
    let written = 0;
    const work = writers.map(async (text) => {
      while (writing) {
        await sql(text, [site.locationId]).catch(lostRaceOnly);
        written += 1;
        await sleep(3);
      }
    });
    const seen = new Set<number>();
    try {
      for (let trial = 0; trial < trials(30, 600); trial++) {
        const query = below(2) === 0 ? everything : { limit: 1 + below(5), offset: below(14) };
        const filters = below(2) === 0 ? {} : { visible: below(2) === 0 };
        const { shown, plain } = await both(query, filters);
        expect(shown, JSON.stringify({ query, filters })).toEqual(plain);
        seen.add(written);
      }
    } finally {
      writing = false;
      await Promise.all(work);
    }
    expect(seen.size, 'snapshots between which something was written').toBeGreaterThan(trials(8, 200));
    const { shown, plain } = await both(everything);
    expect(shown).toEqual(plain);
  });
});

// The possible effects of two hand-written statements on one another without any count: one deletes rows that
// the other links.
function lostRaceOnly(error: { code?: string }): void {
  if (!['23503', '23505', '40P01'].includes(error.code ?? '')) throw error;
}
