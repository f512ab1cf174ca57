import { expect, test } from 'vitest';
import { Catalog } from '../../packages/api/src/resources/catalog/schema.ts';
import { category, item, product, subselection } from '../api/catalog-bodies.ts';
import { useApi } from '../support/api.ts';
import { createKey, createLocation, createPaymentMethod } from '../support/factories.ts';
import { orderBody, postOrder } from '../support/orders.ts';
import { prismaOf } from '../support/prisma.ts';
import { runOnce } from '../support/server.ts';

const api = useApi();

async function openLocation() {
  const locationId = await createLocation(api.app.database);
  const { key } = await createKey(api.app.database, { locationId, batchJobsPerHour: 1_000 });
  return { locationId, key };
}
const sync = (key: string, categories: unknown, mode = 'upsert') =>
  api.rest('POST /v2/catalog/sync', { key, body: { categories, mode } });

/** From now on building a catalog takes long or not, so that its state is often overtaken meanwhile. */
const slowBuilds = () =>
  runOnce(
    api.databaseUrl,
    `alter function catalog_tree rename to catalog_tree_at_once;
     create function catalog_tree(location uuid) returns table (token bigint, categories text) language plpgsql stable as $$
     begin
       return query select * from catalog_tree_at_once(location);
       perform pg_sleep(random() * 0.04);
     end $$`,
  );

test('readers next to writers: versions rise, a tag identifies one text, and 304 never hides what was committed', async () => {
  const { locationId, key } = await openLocation();
  await slowBuilds();
  const names = ['w0', 'w1', 'w2'];
  await sync(key, [
    category(
      'c',
      names.map((name) => product(name, { price: 0 })),
    ),
  ]);
  /** The price that each writer is known to have committed. */
  const committed = names.map(() => 0);
  let writing = names.length;
  const texts = new Map<string, string>();
  const versions = new Map<string, number>();

  async function write(writer: number): Promise<void> {
    for (let price = 1; price <= 40; price++) {
      if (price % 4 === 0) await sync(key, [category('c', [product(`w${writer}`, { price })])]);
      else
        await api.app.database.pool.query(
          'update products set price = $3 where location_id = $1 and external_id = $2',
          [locationId, `w${writer}`, price],
        );
      committed[writer] = price;
    }
    writing -= 1;
  }

  async function read(): Promise<number> {
    let known = { etag: '"none"', text: '' };
    let last = 0;
    let unchanged = 0;
    for (let more = true; more; more = writing > 0) {
      const before = [...committed];
      const answer = await api.rest('GET /v2/catalog', { key, headers: { 'if-none-match': known.etag } });
      const etag = answer.headers.get('etag') ?? '';
      if (answer.status === 304) {
        unchanged += 1;
        expect(etag).toBe(known.etag);
      } else known = { etag, text: answer.text };
      const { version, categories } = Catalog.parse(JSON.parse(known.text).data);
      const shown = categories[0]?.products.map(({ price }) => price) ?? [];
      for (const [writer, price] of before.entries()) expect(shown[writer]).toBeGreaterThanOrEqual(price);
      expect(Date.parse(version)).toBeGreaterThanOrEqual(last);
      last = Date.parse(version);
      // One text for a tag, one tag for a version, for every reader.
      expect(texts.get(etag) ?? known.text).toBe(known.text);
      texts.set(etag, known.text);
      versions.set(version, Date.parse(version));
    }
    return unchanged;
  }

  await Promise.all(
    [...names.keys()].map(write).concat([read, read, read, read].map(async (run) => void (await run()))),
  );
  expect(versions.size).toBe(texts.size);
  expect(texts.size).toBeGreaterThan(10);
  const end = await api.rest('GET /v2/catalog', { key });
  expect(
    JSON.parse(end.text).data.categories[0].products.map(({ price }: { price: number }) => price),
  ).toEqual([40, 40, 40]);
});

test('syncs of one location, some of them replacing, with orders and changes, cause no deadlock and lose nothing', async () => {
  const { locationId, key } = await openLocation();
  const { database } = api.app;
  const paymentMethodId = await createPaymentMethod(database, { locationId });
  const stock = { enabled: true, quantity: 1_000 };
  const options = [subselection('s', [item('i', { stock }), item('j', { stock })])];
  const base = ['a', 'b'].map((name) => product(name, { stock, subselections: options }));
  expect((await sync(key, [category('base', base)])).status).toBe(200);
  const products = await prismaOf(database).product.findMany({ where: { locationId } });
  const items = await prismaOf(database).subselectionItem.findMany({ where: { locationId } });

  const syncs = Array.from({ length: 16 }, (_, n) => {
    const own = product(`own-${n}`, { sku: `sku-${n}` });
    const shared = n % 2 === 0 ? base : base.toReversed();
    return sync(key, [category('base', shared), category(`c-${n}`, [own])]);
  });
  const orders = Array.from({ length: 10 }, (_, n) => {
    const lines = (n % 2 === 0 ? products : products.toReversed()).map(({ id }) => ({
      product_id: id,
      quantity: 1,
    }));
    return postOrder(api, orderBody({ productId: '', paymentMethodId }, { items: lines }), { key });
  });
  const changes = products.map(({ id }, n) =>
    api.rest(`PATCH /v2/products/${id}`, { key, body: { description: `d-${n}`, sku: `new-${n}` } }),
  );
  for (const answer of await Promise.all([...syncs, ...changes]))
    expect(answer.status, answer.text).toBe(200);
  for (const answer of await Promise.all(orders)) expect(answer.status, answer.text).toBe(201);

  const after = await prismaOf(database).product.findMany({
    where: { locationId },
    include: { categories: true },
  });
  expect(after.map(({ externalId }) => externalId).sort()).toEqual(
    ['a', 'b', ...Array.from({ length: 16 }, (_, n) => `own-${n}`)].sort(),
  );
  expect(after.every(({ categories }) => categories.length === 1)).toBe(true);
  expect(after.filter(({ description }) => description.startsWith('d-'))).toHaveLength(2);
  expect(await prismaOf(database).subselectionItem.findMany({ where: { locationId } })).toHaveLength(
    items.length,
  );

  const replaced = await Promise.all(
    [1, 2, 3].map((n) => sync(key, [category(`r-${n}`, [product('a')])], 'replace')),
  );
  for (const answer of replaced) expect(answer.status, answer.text).toBe(200);
  const left = await prismaOf(database).category.findMany({
    where: { locationId },
    include: { products: true },
  });
  expect(left.map(({ products: under }) => under.length)).toEqual([1]);
});
