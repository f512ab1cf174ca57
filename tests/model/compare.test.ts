import { expect, test } from 'vitest';
import { superuserUrl } from '../support/database.ts';
import { withClient } from '../support/sql.ts';
import { compare } from './compare.ts';
import { drive } from './drive.ts';
import { openService } from './service.ts';

// The damage that a fault could leave behind, done by hand past every guard: the tables, the statement, and what differs then.
const harms: readonly [name: string, tables: string, sql: string, difference: RegExp][] = [
  ['an order without its items', 'order_items', 'delete from order_items where order_id = $1', /the export/],
  [
    'an order without its payment',
    'payments',
    'delete from payments where order_id = $1',
    /the export|payments/,
  ],
  [
    'an order without its move',
    'internal.order_moves',
    'delete from internal.order_moves where order_id = $1',
    /moves/,
  ],
  [
    'an order without its key',
    'internal.idempotency_keys',
    `delete from internal.idempotency_keys where response::json->>'id' = $1::text`,
    /keys of orders:/,
  ],
  [
    'a key without its order',
    'internal.idempotency_keys',
    `update internal.idempotency_keys set response = replace(response, $1::text, gen_random_uuid()::text)
     where response::json->>'id' = $1::text`,
    /keys of orders/,
  ],
  [
    'an order that is published twice',
    'events',
    `insert into events (location_id, id, number, type, resource_id, body, created_at)
     select location_id, gen_random_uuid(), 0, type, resource_id, body, created_at from events
     where resource_id = $1 and type = 'order.created'`,
    /order\.created .*: 2, not 1/,
  ],
  [
    'an order that is not published',
    'events',
    `delete from events where resource_id = $1 and type = 'order.created'`,
    /order\.created .*: 0, not 1/,
  ],
  [
    'an order that exists twice',
    'orders',
    `insert into orders (location_id, id, number, external_id, total, identifier, payment_method_id)
     select location_id, gen_random_uuid(), -1, 'twice', total, identifier, payment_method_id from orders where id = $1`,
    /the export|report by day/,
  ],
  [
    'an order with another total',
    'orders',
    'update orders set total = total + 0.01 where id = $1',
    /the export/,
  ],
  [
    'stock that was taken twice',
    'product_stock',
    'update product_stock set quantity = quantity - 1 where $1::uuid is not null and quantity >= 1',
    /stock|the catalog/,
  ],
  [
    'a price that is undone',
    'products',
    'update products set price = price - 0.01 where $1::uuid is not null and price > 1',
    /the catalog/,
  ],
  [
    'a planned price that is undone',
    'products',
    `update products set price = price - 0.01 where $1::uuid is not null and external_id like 'planned-%'`,
    /planned prices/,
  ],
  [
    'adjustments that are lost',
    'orders',
    'update orders set adjustments = null where $1::uuid is not null and adjustments is not null',
    /the export/,
  ],
  [
    'a guest that is lost',
    'orders',
    'update orders set customer_name = null where $1::uuid is not null and customer_name is not null',
    /the list/,
  ],
  [
    'an edit that nobody made',
    'internal.order_moves',
    `insert into internal.order_moves (location_id, order_id, from_status, to_status)
     select location_id, id, 'pending', 'pending' from orders where id = $1`,
    /moves/,
  ],
  [
    'an edit that is not noted',
    'internal.order_moves',
    'delete from internal.order_moves where $1::uuid is not null and difference is not null',
    /moves/,
  ],
  [
    'a line under another number',
    'order_items',
    'update order_items set position = position + 100 where order_id = $1',
    /line 1 of order .* has the number 101, not 1/,
  ],
  [
    'a line without its rate of tax',
    'order_items',
    'update order_items set tax_rate = null where $1::uuid is not null and tax_rate is not null',
    /the report by tax_rate/,
  ],
  [
    'a payment of another amount than its order',
    'payments',
    'update payments set amount = amount + 0.01 where order_id = $1',
    /the list/,
  ],
  [
    'a payment that is replaced and lost',
    'payments',
    'delete from payments where $1::uuid is not null and replaced > 0',
    /the list/,
  ],
  [
    'a refund that is lost',
    'settlement_entries',
    `delete from settlement_entries where $1::uuid is not null and kind = 'refund'`,
    /payments/,
  ],
  [
    'a payment in no settlement',
    'settlement_entries',
    `delete from settlement_entries where $1::uuid is not null and kind = 'payment'`,
    /payments/,
  ],
  [
    'a job that is done in part',
    'sync_jobs',
    'update sync_jobs set success_items = success_items - 1 where $1::uuid is not null',
    /jobs/,
  ],
  [
    'an attempt that is not logged',
    'webhook_attempts',
    'delete from webhook_attempts where $1::uuid is not null and attempt = 1',
    /log/,
  ],
];

test('the comparison finds nothing when nothing is wrong, and each harm that a fault could do', async () => {
  const service = await openService({ callers: 3 });
  const worker = await service.start('worker');
  await drive(service.restaurants, {
    callers: 3,
    acts: 15,
    seed: 7,
    jobEvery: 4,
    jobItems: [5, 10],
    planEvery: 5,
  });
  await compare(service);
  const moved = service.restaurants[0]?.model.orders.find(({ moves }) => moves.length > 0);
  expect((await worker.stop()).code).toBe(0);
  await withClient(superuserUrl(service.databaseUrl), async (client) => {
    for (const [name, table, sql, difference] of harms) {
      await client.query(`set session_replication_role = replica; create table saved as table ${table}`);
      expect((await client.query(sql, [moved?.id])).rowCount, name).toBeGreaterThan(0);
      await expect(compare(service), name).rejects.toThrow(difference);
      await client.query(
        `delete from ${table}; insert into ${table} overriding system value table saved; drop table saved`,
      );
    }
  });
  await compare(service);
  expect((await service.api.stop()).code).toBe(0);
  await service.close();
}, 600_000);
