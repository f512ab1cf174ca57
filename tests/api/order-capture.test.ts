import type pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestApi, type TestApi } from '../support/api.ts';
import { createPaymentMethod, createProduct } from '../support/factories.ts';
import { placeOrder } from '../support/orders.ts';

let api: TestApi;
let products: string[];
beforeAll(async () => {
  api = await startTestApi();
  const { locationId } = api;
  const stock = { quantity: 10 };
  products = [];
  for (let each = 0; each < 3; each += 1)
    products.push(await createProduct(api.app.database, { locationId, stock }));
});
afterAll(() => api.close());

/** What is captured, and how far the catalog's count and the stock's time move, while `work` runs in a transaction. */
async function seen(work: (client: pg.PoolClient) => Promise<unknown>) {
  const client = await api.app.database.pool.connect();
  const touches = 'select catalog_token($1)::int as touches';
  const countTouches = async () => (await client.query(touches, [api.locationId])).rows[0]?.touches;
  try {
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
  } finally {
    client.release();
  }
}

it('an order captures the stock of each product, itself and its payment, and counts as one change of the catalog', async () => {
  const paymentMethodId = await createPaymentMethod(api.app.database, { locationId: api.locationId });
  const updatedAt = async () =>
    (
      await api.app.database.pool.query('select min(updated_at) as at from product_stock')
    ).rows[0]?.at.getTime();
  const before = await updatedAt();
  const items = products.map((product_id) => ({ product_id, quantity: 1 }));
  const found = await seen(() => placeOrder(api, { productId: '', paymentMethodId }, { items }));
  const stock = products.map(() => 'stock update quantity');
  expect(found).toEqual({ captured: [...stock, 'order insert', 'payment insert'], touches: 1 });
  expect(await updatedAt()).toBeGreaterThan(before);
});

it('stock edited by hand is captured column by column, and not when nothing differs', async () => {
  const alarm = await seen((client) => client.query('update product_stock set min_stock_alarm = 2'));
  expect(alarm).toEqual({ captured: products.map(() => 'stock update min_stock_alarm'), touches: 0 });
  expect(await seen((client) => client.query('update product_stock set quantity = quantity'))).toEqual({
    captured: [],
    touches: 0,
  });
});
