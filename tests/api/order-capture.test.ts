import type pg from 'pg';
import { beforeAll, expect, it, onTestFinished } from 'vitest';
import { useApi } from '../support/api.ts';
import { openHand } from '../support/by-hand.ts';
import { placeOrder } from '../support/orders.ts';

const api = useApi();
let products: string[];
beforeAll(async () => {
  const { locationId } = api;
  const stock = { quantity: 10 };
  products = [];
  for (let each = 0; each < 3; each += 1) products.push(await api.make.product({ locationId, stock }));
});

/**
 * The captured changes, and how far the catalog's count and the stock's time move, while `work` runs in a
 * transaction.
 */
async function seen(work: (client: pg.PoolClient) => Promise<unknown>) {
  const client = await api.pool.connect();
  onTestFinished(() => client.release());
  const touches = 'select catalog_token($1)::int as touches';
  const countTouches = async () => (await client.query(touches, [api.locationId])).rows[0]?.touches;
  await client.query('delete from internal.captured_changes');
  const before = await countTouches();
  await client.query('begin');
  await work(client);
  await client.query('commit');
  const { rows } = await client.query<{ what: string }>(
    `select resource || ' ' || operation || ' ' || array_to_string(changed, ',') as what
     from internal.captured_changes, unnest(resource_ids) where location_id = $1 order by id`,
    [api.locationId],
  );
  return { captured: rows.map(({ what }) => what.trim()), touches: (await countTouches()) - before };
}

it('an order captures the stock of each product, itself and its payment, and counts as one change of the catalog', async () => {
  const paymentMethodId = await api.make.paymentMethod();
  const updatedAt = async () =>
    (await api.sql<{ at: Date }>('select min(updated_at) as at from product_stock'))[0]?.at.getTime();
  const before = await updatedAt();
  const items = products.map((product_id) => ({ product_id, quantity: 1 }));
  const found = await seen(() => placeOrder(api, { productId: '', paymentMethodId }, { items }));
  const stock = products.map(() => 'stock update quantity');
  expect(found).toEqual({ captured: [...stock, 'order insert', 'payment insert'], touches: 1 });
  expect(await updatedAt()).toBeGreaterThan(Number(before));
});

const changes = `select resource, operation, changed, before, after, in_catalog, cardinality(resource_ids) as resources
  from internal.captured_changes where location_id = $1 order by id`;
const counted = `select name, sum(n)::int as n from (
    select name, n from internal.tallies where location_id = $1 and hours in (0, 1)
    union all select name, n from internal.tally_notes where location_id = $1) t
  group by name order by name`;

/** The captured changes, and how far each count moves, while `work` runs. */
async function capturedBy(work: () => Promise<unknown>) {
  const counts = async () =>
    new Map(
      (await api.sql<{ name: string; n: number }>(counted, [api.locationId])).map((row) => [row.name, row.n]),
    );
  await work();
  await api.sql('delete from internal.captured_changes');
  const before = await counts();
  await work();
  const after = [...(await counts())].map(([name, n]) => [name, n - (before.get(name) ?? 0)]);
  return { changes: await api.sql(changes, [api.locationId]), counted: after };
}

it('what place_order_batch captures and counts itself is what triggers find in the same rows', async () => {
  const paymentMethodId = await api.make.paymentMethod();
  const items = products.map((product_id) => ({ product_id, quantity: 1 }));
  const byItself = await capturedBy(() => placeOrder(api, { productId: '', paymentMethodId }, { items }));
  const values = [api.locationId, paymentMethodId, products];
  const byTriggers = await capturedBy(() =>
    api.app.database.transaction(undefined, async (tx) => {
      for (const [name, text, used] of rowsOfAnOrder) await tx.run({ name, text }, values.slice(0, used));
    }),
  );
  expect(byItself.changes).toHaveLength(3);
  expect(byItself).toEqual(byTriggers);
});

const rowsOfAnOrder = [
  [
    'take stock',
    'update product_stock set quantity = quantity - 1 where location_id = $1 and $2::uuid is not null and product_id = any ($3::uuid[])',
    3,
  ],
  [
    'insert an order',
    `with made as (
       insert into orders (location_id, number, payment_method_id)
       select $1, 1 + max(number), $2 from orders where location_id = $1 returning id, payment_method_id
     )
     insert into payments (location_id, order_id, payment_method_id, amount) select $1, id, payment_method_id, 0 from made`,
    2,
  ],
] as const;

it('stock edited by hand is captured column by column, and not when nothing differs', async () => {
  const alarm = await seen((client) => client.query('update product_stock set min_stock_alarm = 2'));
  expect(alarm).toEqual({ captured: products.map(() => 'stock update min_stock_alarm'), touches: 0 });
  const equal = await seen((client) => client.query('update product_stock set quantity = quantity'));
  expect(equal).toEqual({ captured: [], touches: 0 });
});

it('a manual edit that sets what place_order_batch sets is still captured', async () => {
  const hand = await openHand(api.pool.options.connectionString ?? '');
  onTestFinished(() => hand.close());
  const { captured } = await seen(async () => {
    await hand.sql("select set_config('comanda.told', 'true', false)");
    await hand.sql('update product_stock set quantity = quantity + 1');
  });
  expect(captured).toEqual(products.map(() => 'stock update quantity'));
});
