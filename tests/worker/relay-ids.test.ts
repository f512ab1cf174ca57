import { expect, test } from 'vitest';
import { publishRound, publishSetAside } from '../../packages/worker/src/relay/round.ts';
import { createCategory, createProduct } from '../support/factories.ts';
import { insertOrder, silent, useWorkerKit } from './kit.ts';

const kit = useWorkerKit();

async function publish() {
  await kit.sql('delete from events');
  while ((await publishRound(kit.database, silent)).changes > 0);
  return kit.events();
}

test('a restored copy publishes the same events under the same ids', async () => {
  const categoryId = await createCategory(kit.database, { locationId: kit.locationId });
  await publish();
  await createProduct(kit.database, {
    locationId: kit.locationId,
    categoryIds: [categoryId],
    stock: { quantity: 1 },
  });
  await insertOrder(kit);
  await kit.sql('create table copy as select * from internal.captured_changes');
  const first = await publish();
  await kit.sql('insert into internal.captured_changes select * from copy');
  await kit.sql('drop table copy');
  const again = await publish();
  expect(first).toHaveLength(5);
  expect(again.map(({ id, type }) => ({ id, type }))).toEqual(first.map(({ id, type }) => ({ id, type })));
  expect(new Set(again.map(({ id }) => id)).size).toBe(5);
  for (const { id, body } of again) {
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(Number.parseInt(id.replace('-', '').slice(0, 12), 16)).toBe(Date.parse(String(body.created_at)));
  }
});

test('all rows of a transaction share a seed, savepoints or not, and no other has it', async () => {
  const id = await createProduct(kit.database, { locationId: kit.locationId });
  await kit.sql('delete from internal.captured_changes');
  for (const price of [2, 3])
    await kit.sql(
      `do $$ begin
         update products set price = ${price} where id = '${id}';
         begin update products set price = 99; raise exception 'no'; exception when others then null; end;
         update products set description = '${price}' where id = '${id}';
       end $$`,
    );
  const rows = await kit.sql<{ seed: string }>('select seed from internal.captured_changes order by id');
  const [first, , third] = rows.map(({ seed }) => seed);
  expect(rows.map(({ seed }) => seed)).toEqual([first, first, third, third]);
  expect(third).not.toBe(first);
  await publish();
});

test('a statement captures what is alike in one row, at most 500 resources each', async () => {
  await kit.sql('delete from internal.captured_changes');
  await kit.sql`
    insert into products (location_id, sku, name, price) select ${kit.locationId}, 'many-' || n, 'p', 1 from generate_series(1, 1200) n`;
  await kit.sql`
    update products set price = 2, description = case when sku like '%9' then 'nine' else description end
    where location_id = ${kit.locationId} and sku like 'many-1_'`;
  const rows = await kit.sql<{ size: number; changed: string[] }>`
    select cardinality(resource_ids) as size, changed from internal.captured_changes order by operation, 1`;
  expect(rows.map(({ size, changed }) => [size, ...changed])).toEqual([
    [200],
    [500],
    [500],
    [1, 'description', 'price'],
    [9, 'price'],
  ]);
  await publish();
});

test('catalog.updated is published once, though another change of its transaction is set aside', async () => {
  const [orderId, productId] = [
    await insertOrder(kit),
    await createProduct(kit.database, {
      locationId: kit.locationId,
      categoryIds: [await createCategory(kit.database, { locationId: kit.locationId })],
    }),
  ];
  await publish();
  // The unknown one changes the catalog, too: it was published by then.
  const [payment] = await kit.sql<{ id: string }>('select id from payments where order_id = $1', [orderId]);
  await kit.sql(
    `do $$ begin
       insert into internal.captured_changes (location_id, resource, operation, resource_ids, in_catalog)
       values ('${kit.locationId}', 'mystery', 'update', array['${productId}'::uuid], true);
       update products set name = 'New' where id = '${productId}';
       delete from payments where order_id = '${orderId}';
       update orders set channel = 'web' where id = '${orderId}';
     end $$`,
  );
  const types = async () => (await kit.events()).map(({ type }) => type).sort();
  await publish();
  expect(await types()).toEqual(['catalog.updated', 'product.updated']);
  await kit.sql(`update internal.captured_changes set resource = 'category' where resource = 'mystery'`);
  await kit.sql`
    insert into payments (location_id, id, order_id, payment_method_id, amount) values (${kit.locationId}, ${payment?.id}, ${orderId}, ${kit.locationId}, 12.5)`;
  await kit.sql('update internal.captured_changes set retry_at = now()');
  await publishSetAside(kit.database, silent);
  while ((await publishRound(kit.database, silent)).changes > 0);
  expect(await types()).toEqual(['catalog.updated', 'order.updated', 'payment.created', 'product.updated']);
  expect(await kit.sql('select from internal.captured_changes')).toEqual([]);
});

test('the active menu is published as the catalog is, once a transaction, and no other menu is', async () => {
  const { locationId, database } = kit;
  const categoryId = await createCategory(database, { locationId });
  const [menu] = await kit.sql<{ id: string }>`
    insert into menus (location_id, name) values (${locationId}, 'Lunch') returning id`;
  await publish();
  const link = 'insert into menu_categories (location_id, menu_id, category_id) values ($1, $2, $3)';
  const typesAfter = async (sql: string, values: unknown[]) => {
    await kit.sql(sql, values);
    return (await publish()).map(({ type }) => type);
  };
  expect(await typesAfter(link, [locationId, menu?.id, categoryId])).toEqual([]);
  const published = 'update menus set is_published = true, version = version + 1 where id = $1';
  expect(await typesAfter(published, [menu?.id])).toEqual(['catalog.updated']);
  expect(await typesAfter('update menus set name = name where id = $1', [menu?.id])).toEqual([]);
  expect(await typesAfter('delete from menu_categories where menu_id = $1', [menu?.id])).toEqual([
    'catalog.updated',
  ]);
  expect(await typesAfter(link, [locationId, menu?.id, categoryId])).toEqual(['catalog.updated']);
  expect(await typesAfter('delete from menus where id = $1', [menu?.id])).toEqual(['catalog.updated']);
});
