import pg from 'pg';
import { expect, test } from 'vitest';
import { createChance } from '../e2e/day/chance.ts';
import { superuserUrl } from '../support/database.ts';
import { waitFor } from '../support/wait.ts';
import { startLoad } from './support/load.ts';
import { comparePublished } from './support/missing-events.ts';
import { complaintsOf, reconcile } from './support/reconcile.ts';
import { openSite } from './support/site.ts';

// The damage that a fault could leave behind, done by hand past every guard; and the complaint that the ledger must have.
const harms: readonly [name: string, sql: string, complaint: RegExp][] = [
  ['an order without its items', `delete from order_items where order_id = $1`, /half: order .*: items/],
  ['an order without its payment', `delete from payments where order_id = $1`, /half: order .*: payment/],
  [
    'an order without its key',
    `delete from internal.idempotency_keys where response::json->>'id' = $1::text`,
    /half: order .*: idempotency key/,
  ],
  [
    'an order that is published twice',
    `insert into events (location_id, id, number, type, resource_id, body, created_at)
     select location_id, gen_random_uuid(), 0, type, resource_id, body, created_at from events
     where resource_id = $1 and type = 'order.created'`,
    /order\.created .* is published, and did not happen or was published before/,
  ],
  [
    'an order that is not published',
    `delete from events where resource_id = $1 and type = 'order.created'`,
    /half: order .*: captured creation/,
  ],
  [
    'an order that exists twice',
    `insert into orders (location_id, id, number, external_id, total, identifier, payment_method_id)
     select location_id, gen_random_uuid(), -1, 'twice', total, identifier, payment_method_id from orders where id = $1`,
    /duplicated: order .* exists 2 times/,
  ],
  [
    'an order that is lost',
    `delete from orders where identifier in (select identifier from orders where id = $1)`,
    /lost: order/,
  ],
  [
    'stock that was taken twice',
    `update product_stock set quantity = quantity - 1 where $1::uuid is not null and quantity >= 1`,
    /half: product .* stock/,
  ],
  [
    'a change that is undone',
    `update products set name = 'Register 0' where $1::uuid is not null`,
    /lost: name of/,
  ],
  [
    'a second log entry',
    `update webhook_attempts set attempt = 2 where $1::uuid is not null`,
    /not one entry for each attempt/,
  ],
];

test('the ledger finds nothing when nothing is wrong, and each harm that a fault could do', async () => {
  const site = await openSite({ shops: 1, lanes: 3 });
  const worker = await site.start('worker');
  const load = startLoad({ ...site, lanes: 3, chance: createChance(7), jobEvery: 40 });
  await waitFor('some load', () => load.answered() >= 150, { timeoutMs: 120_000 });
  await load.stop();
  await site.quiet(120_000);
  const { databaseUrl, ledger, shops, consumer } = site;
  const complaints = async () => {
    const found = await reconcile(databaseUrl, ledger, shops);
    const published = await comparePublished(databaseUrl, ledger, shops, consumer);
    return [...complaintsOf(found), ...published.complaints];
  };
  expect(await complaints()).toEqual([]);
  expect((await worker.stop()).code).toBe(0);
  const victim = ledger.orders.find(({ state }) => state === 'acknowledged')?.answer?.id;
  const client = new pg.Client({ connectionString: superuserUrl(databaseUrl) });
  await client.connect();
  for (const [name, sql, complaint] of harms) {
    await client.query('begin');
    await client.query('set local session_replication_role = replica');
    const { rowCount } = await client.query(sql, [victim]);
    await client.query('commit');
    expect(rowCount, name).toBeGreaterThan(0);
    expect(
      (await complaints()).filter((line) => complaint.test(line)),
      name,
    ).not.toEqual([]);
  }
  await client.end();
  await site.close();
}, 600_000);
