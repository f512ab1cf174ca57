import { type Database, openDatabase, statement, workLimits } from '@comanda/db';
import { type Logger, pino } from 'pino';
import { describe, expect, test } from 'vitest';
import { publishRound, publishSetAside } from '../../packages/worker/src/relay/round.ts';
import { createProduct } from '../support/factories.ts';
import { useClosed } from '../support/use.ts';
import { stall, waitFor } from '../support/wait.ts';
import { insertOrder, silent, typesOf, useTellingKit } from './kit.ts';

const kit = useTellingKit();

describe('what is gone shows its last state:', () => {
  test('a product that is deleted before its change is published', async () => {
    const id = await createProduct(kit.database, {
      locationId: kit.locationId,
      externalId: 'GONE',
      stock: { quantity: 2 },
    });
    await kit.forget();
    await kit.sql('update products set price = 77 where id = $1', [id]);
    await kit.sql('update product_stock set quantity = 1 where product_id = $1', [id]);
    await kit.sql('delete from products where id = $1', [id]);
    const events = await kit.publish();
    expect(typesOf(events)).toEqual(['product.updated', 'stock.updated', 'product.deleted']);
    expect(events[0]?.body.data).toMatchObject({ id, price: 77 });
    expect(events[1]?.body.data).toMatchObject({
      product_id: id,
      external_id: 'GONE',
      stock: { quantity: 0 },
    });
    expect(events[2]?.body.data).toEqual({ id, external_id: 'GONE' });
  });

  test('a stock record that is deleted while its product lives', async () => {
    const id = await createProduct(kit.database, { locationId: kit.locationId, stock: { quantity: 2 } });
    await kit.forget();
    await kit.sql('delete from product_stock where product_id = $1', [id]);
    const [stock, ...rest] = await kit.publish();
    expect(rest).toEqual([]);
    expect(stock?.body.data).toEqual({
      product_id: id,
      sku: `sku-${id}`,
      name: 'Flat White',
      stock: { enabled: false, quantity: 0, min_stock_alarm: 0 },
      updated_at: expect.stringMatching(/-03:00$/),
    });
  });

  test('a location that is deleted takes its unpublished changes along', async () => {
    const [gone] = await kit.sql<{ id: string }>(`insert into locations (name) values ('Gone') returning id`);
    await createProduct(kit.database, { locationId: gone?.id ?? '' });
    await kit.sql('delete from locations where id = $1', [gone?.id]);
    expect(await kit.publish()).toEqual([]);
    expect(await kit.sql('select * from internal.captured_changes')).toEqual([]);
  });
});

/** A round of the relay that waits for products, which a transaction of `client` has locked. */
async function holdProducts(database: Database, log: Logger) {
  const client = await kit.database.pool.connect();
  await client.query('begin');
  await client.query('lock table products');
  const publishing = publishRound(database, log);
  await waitFor('the relay to read what changed', async () => {
    const { rows } = await client.query(
      `select from pg_locks where not granted and relation = 'products'::regclass`,
    );
    return rows.length > 0;
  });
  return { client, publishing };
}

test('a location that is deleted while its changes are read gets no event, and causes no error', async () => {
  const [gone] = await kit.sql<{ id: string }>(`insert into locations (name) values ('Gone') returning id`);
  await createProduct(kit.database, { locationId: gone?.id ?? '' });
  const logged: string[] = [];
  const log = pino({ level: 'warn' }, { write: (line: string) => logged.push(line) });
  const { client, publishing } = await holdProducts(kit.database, log);
  await client.query('delete from locations where id = $1', [gone?.id]);
  await client.query('commit');
  client.release();
  await publishing;
  expect(await kit.publish()).toEqual([]);
  expect(logged).toEqual([]);
  expect(await kit.sql('select * from internal.captured_changes')).toEqual([]);
});

test('numbers follow the commits, not the beginnings', async () => {
  const first = await createProduct(kit.database, { locationId: kit.locationId, name: 'first' });
  const second = await createProduct(kit.database, { locationId: kit.locationId, name: 'second' });
  await kit.forget();
  const client = await kit.database.pool.connect();
  await client.query('begin');
  await client.query(`update products set description = 'early' where id = $1`, [first]);
  await kit.sql(`update products set description = 'late' where id = $1`, [second]);
  const early = await kit.publish();
  await client.query(`update products set description = 'later' where id = $1`, [second]);
  await client.query('commit');
  client.release();
  const events = await kit.publish();
  expect(early.map(({ resourceId }) => resourceId)).toEqual([second]);
  expect(events.map(({ resourceId }) => resourceId)).toEqual([second, first, second]);
  expect(events.map(({ number }, index) => number - (events[0]?.number ?? 0) === index)).not.toContain(false);
});

test('changes keep the id of the request that made them', async () => {
  const id = await createProduct(kit.database, { locationId: kit.locationId });
  await kit.forget();
  const trace = statement('trace', `update products set description = 'traced' where id = $1`);
  await kit.database.transaction('request-7', (tx) => tx.run(trace, [id]));
  expect((await kit.publish()).map(({ requestId }) => requestId)).toEqual(['request-7']);
});

// Statements of health checks wait for a lock for a second.
const impatient = useClosed(async () => openDatabase({ url: kit.url, work: 'health' }));

test('a busy worker set aside a change whose rows were held', async () => {
  await createProduct(kit.database, { locationId: kit.locationId });
  const { client, publishing } = await holdProducts(impatient, silent);
  // Until each statement that was sent has failed: all of their errors are then read at once.
  stall(workLimits.health.lockMs + 500);
  await publishing;
  await client.query('commit');
  client.release();
  expect(await kit.sql('select from internal.captured_changes where failures > 0')).toEqual([]);
  expect(typesOf(await kit.publish())).toContain('product.created');
});

test('a change that cannot be published is set aside, the others pass, and it comes when it can', async () => {
  const orders = [await insertOrder(kit), await insertOrder(kit), await insertOrder(kit)];
  await kit.forget();
  const [payment] = await kit.sql<{ id: string }>('select * from payments where order_id = $1', [orders[1]]);
  await kit.sql(`update orders set channel = 'web'`);
  await kit.sql('delete from payments where order_id = $1', [orders[1]]);
  const published = await kit.publish();
  expect(published.filter(({ type }) => type === 'order.updated')).toHaveLength(
    (await kit.sql('select 1 from orders')).length - 1,
  );
  expect(published.map(({ resourceId }) => resourceId)).not.toContain(orders[1]);
  const aside = await kit.sql('select resource_ids, failures, error from internal.captured_changes');
  expect(aside).toEqual([
    { resource_ids: [orders[1]], failures: 1, error: `order ${orders[1]} cannot be shown` },
  ]);
  await kit.sql`
    insert into payments (location_id, id, order_id, payment_method_id, amount) values (${kit.locationId}, ${payment?.id}, ${orders[1]}, ${kit.locationId}, 1)`;
  await kit.sql('update internal.captured_changes set retry_at = now() where failures > 0');
  await publishSetAside(kit.database, silent);
  const mended = (await kit.events()).filter(({ resourceId }) => resourceId === orders[1]);
  expect(typesOf(mended)).toContain('order.updated');
});
