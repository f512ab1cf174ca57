import { newId } from '@comanda/db';
import { describe, expect, test } from 'vitest';
import { createCategory, createProduct, createSubselection } from '../support/factories.ts';
import { prismaOf } from '../support/prisma.ts';
import { insertOrder, typesOf, useTellingKit } from './kit.ts';

const kit = useTellingKit();

describe('plain SQL is heard like any other change:', () => {
  test('an order and its payment are created', async () => {
    const id = await insertOrder(kit, { externalId: 'PO-1' });
    const events = await kit.publish();
    expect(typesOf(events)).toEqual(['order.created', 'payment.created']);
    expect(events[0]?.body).toEqual({
      id: events[0]?.id,
      type: 'order.created',
      api_version: 'v2',
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}-03:00$/),
      location_id: kit.locationId,
      data: expect.objectContaining({ id, external_id: 'PO-1', status: 'pending', total: 12.5, items: [] }),
    });
  });

  test('an order moves to ready, and is then canceled with its payment', async () => {
    const id = await insertOrder(kit, { externalId: 'PO-2' });
    await kit.forget();
    await kit.sql(`update orders set status = 'ready' where id = $1`, [id]);
    await kit.sql(`update orders set status = 'canceled' where id = $1`, [id]);
    const events = await kit.publish();
    expect(typesOf(events).sort()).toEqual([
      'order.cancelled',
      'order.status_changed',
      'order.status_changed',
      'order.updated',
      'order.updated',
      'payment.rejected',
      'payment.updated',
    ]);
    const moves = events.filter(({ type }) => type === 'order.status_changed');
    expect(moves.map(({ body }) => body.data)).toEqual([
      { id, previous_status: 'pending', status: 'ready', external_id: 'PO-2' },
      { id, previous_status: 'ready', status: 'canceled', external_id: 'PO-2' },
    ]);
  });

  test('a price, a description and a stock change', async () => {
    const categoryIds = [await createCategory(kit.database, { locationId: kit.locationId })];
    const id = await createProduct(kit.database, {
      locationId: kit.locationId,
      categoryIds,
      stock: { quantity: 5 },
    });
    await kit.forget();
    await kit.sql('update products set price = 13 where id = $1', [id]);
    expect(typesOf(await kit.publish())).toEqual(['product.updated', 'catalog.updated']);
    await kit.sql('delete from events');
    await kit.sql(`update products set description = 'strong' where id = $1`, [id]);
    expect(typesOf(await kit.publish())).toEqual(['product.updated']);
    await kit.sql('delete from events');
    await kit.sql('update product_stock set quantity = 4.5 where product_id = $1', [id]);
    const [stock, ...rest] = await kit.publish();
    expect(rest).toEqual([]);
    expect(stock?.body.data).toMatchObject({
      product_id: id,
      stock: { enabled: true, quantity: 4.5, min_stock_alarm: 0 },
    });
  });

  test('a turn opens and closes, and is settled', async () => {
    const id = newId();
    await kit.sql`insert into turns (location_id, id, batch_number) values (${kit.locationId}, ${id}, 1)`;
    expect(typesOf(await kit.publish())).toEqual(['turn.open']);
    await kit.sql('delete from events');
    await kit.sql`
      update turns set status = 'closed', started_at = '2026-01-31T12:00:00Z', ended_at = '2026-01-31T20:00:00Z'
      where id = ${id}`;
    const events = await kit.publish();
    expect(typesOf(events).sort()).toEqual(['settlement.created', 'turn.closed', 'turn.updated']);
    expect(events.find(({ type }) => type === 'settlement.created')?.body.data).toEqual({
      id: expect.any(String),
      period_start: '2026-01-31T09:00:00.000-03:00',
      period_end: '2026-01-31T17:00:00.000-03:00',
      total_amount: 0,
      total_orders: 0,
    });
  });

  test('a sync job completes, another fails', async () => {
    const insert = `insert into sync_jobs (location_id, id, total_items, success_items, failed_items, error)
      values ($1, $2, 3, $3, $4, $5)`;
    const [good, bad] = [newId(), newId()];
    await kit.sql(insert, [kit.locationId, good, 2, 1, null]);
    await kit.sql(insert, [kit.locationId, bad, 0, 3, 'no item could be applied']);
    await kit.sql(`update sync_jobs set status = 'processing'`);
    await kit.sql(`update sync_jobs set status = 'completed' where id = $1`, [good]);
    await kit.sql(`update sync_jobs set status = 'failed' where id = $1`, [bad]);
    const events = await kit.publish();
    const counts = { total_items: 3 };
    expect(events.map(({ body }) => body.data)).toEqual([
      { job_id: good, status: 'completed', ...counts, success_items: 2, failed_items: 1 },
      {
        job_id: bad,
        status: 'failed',
        ...counts,
        success_items: 0,
        failed_items: 3,
        error: 'no item could be applied',
      },
    ]);
    expect(typesOf(events)).toEqual(['sync.completed', 'sync.failed']);
  });
});

describe('one change makes one event:', () => {
  test('two updates in one transaction are one event of a type', async () => {
    const id = await createProduct(kit.database, { locationId: kit.locationId });
    await kit.forget();
    await prismaOf(kit.database).$transaction([
      prismaOf(kit.database).product.updateMany({ where: { id }, data: { price: 1 } }),
      prismaOf(kit.database).product.updateMany({ where: { id }, data: { price: 2 } }),
    ]);
    const events = await kit.publish();
    expect(typesOf(events)).toEqual(['product.updated']);
    expect(events[0]?.body.data.price).toBe(2);
  });

  test('what is made and changed in one transaction is created, once', async () => {
    const categoryId = await createCategory(kit.database, { locationId: kit.locationId });
    await kit.forget();
    const id = await createProduct(kit.database, { locationId: kit.locationId, categoryIds: [categoryId] });
    const events = await kit.publish();
    expect(typesOf(events)).toEqual(['product.created', 'catalog.updated']);
    expect(events[0]?.body.data).toMatchObject({ id, categories: [{ id: categoryId, name: 'Coffee' }] });
  });

  test('an update that changes nothing, and one that is rolled back, make nothing', async () => {
    const id = await createProduct(kit.database, { locationId: kit.locationId });
    await kit.forget();
    await kit.sql('update products set price = price where id = $1', [id]);
    await kit.sql(`do $$ begin update products set price = 99; raise exception 'no'; end $$`).catch(() => {});
    expect(await kit.publish()).toEqual([]);
  });

  test('what is made and removed in one transaction makes nothing', async () => {
    const client = await kit.database.pool.connect();
    const id = newId();
    await client.query('begin');
    await client.query(
      `insert into products (location_id, id, sku, name, price) values ($1, $2, 'x', 'x', 1)`,
      [kit.locationId, id],
    );
    await client.query('delete from products where id = $1', [id]);
    await client.query('commit');
    client.release();
    expect(await kit.publish()).toEqual([]);
  });

  test('a product, a choice and its item that are in no category publish no change of the catalog', async () => {
    const { locationId } = kit;
    const productId = await createProduct(kit.database, { locationId });
    const { id } = await createSubselection(kit.database, { locationId, productId, items: [{}] });
    await kit.sql('update products set price = 3 where id = $1', [productId]);
    await kit.sql('update subselections set name = $2 where product_id = $1', [productId, 'Size']);
    await kit.sql('update subselection_items set price = 4 where subselection_id = $1', [id]);
    expect(typesOf(await kit.publish()).filter((type) => type === 'catalog.updated')).toEqual([]);
    const categoryId = await createCategory(kit.database, { locationId });
    await kit.forget();
    const link = 'insert into product_categories (location_id, product_id, category_id) values ($1, $2, $3)';
    await kit.sql(link, [locationId, productId, categoryId]);
    expect(typesOf(await kit.publish())).toEqual(['product.updated', 'catalog.updated']);
    await kit.forget();
    await kit.sql('update subselection_items set price = 5 where subselection_id = $1', [id]);
    expect(typesOf(await kit.publish())).toEqual(['catalog.updated']);
    await kit.forget();
    await kit.sql('delete from product_categories where product_id = $1', [productId]);
    expect(typesOf(await kit.publish())).toEqual(['product.updated', 'catalog.updated']);
    await kit.forget();
    await kit.sql('delete from products where id = $1', [productId]);
    expect(typesOf(await kit.publish())).toEqual(['product.deleted']);
  });

  test('a choice or an item that is removed publishes the catalog when its product is in a category, else not', async () => {
    const { locationId } = kit;
    const categoryIds = [await createCategory(kit.database, { locationId })];
    const [shown, alone] = [
      await createProduct(kit.database, { locationId, categoryIds }),
      await createProduct(kit.database, { locationId }),
    ];
    for (const productId of [shown, alone])
      for (const items of [[{}], [{}]])
        await createSubselection(kit.database, { locationId, productId, items });
    const removal = {
      'an item': `delete from subselection_items where id = (select i.id from subselection_items i
        join subselections s on s.id = i.subselection_id where s.product_id = $1 limit 1)`,
      'a choice':
        'delete from subselections where id = (select id from subselections where product_id = $1 limit 1)',
      'all choices': 'delete from subselections where product_id = $1',
    };
    for (const [what, sql] of Object.entries(removal)) {
      await kit.forget();
      await kit.sql(sql, [alone]);
      expect([what, typesOf(await kit.publish())]).toEqual([what, []]);
      await kit.sql(sql, [shown]);
      expect([what, typesOf(await kit.publish())]).toEqual([what, ['catalog.updated']]);
    }
  });

  test('the catalog counts its versions by transaction', async () => {
    const categoryIds = [await createCategory(kit.database, { locationId: kit.locationId })];
    const productId = await createProduct(kit.database, { locationId: kit.locationId, categoryIds });
    await kit.publish();
    const before = (await kit.events()).findLast(({ type }) => type === 'catalog.updated')?.body.data.version;
    await createSubselection(kit.database, { locationId: kit.locationId, productId, items: [{}] });
    await kit.sql(`update products set name = name || '!'`);
    const events = await kit.publish();
    const versions = events
      .filter(({ type }) => type === 'catalog.updated')
      .map(({ body }) => body.data.version);
    expect(versions.slice(-3)).toEqual([1, 2, 3].map((step) => Number(before) + step));
  });
});

test('the deliveries of a round sort as its events are numbered', async () => {
  const { id } = await kit.createEndpoint({ url: 'http://127.0.0.1:9/hook', events: ['product.created'] });
  await kit.sql(
    `insert into products (location_id, sku, name, price) select $1, 's-' || uuid_v7(), 'p', 1 from generate_series(1, 30)`,
    [kit.locationId],
  );
  await kit.publish();
  const rows = await kit.sql<{ number: number }>(
    `select e.number::int from webhook_deliveries d join events e on e.location_id = d.location_id and e.id = d.event_id
     where d.endpoint_id = $1 order by d.id`,
    [id],
  );
  const numbers = rows.map(({ number }) => number);
  expect(numbers).toHaveLength(30);
  expect(numbers).toEqual(numbers.toSorted((one, other) => one - other));
});
