import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../support/api.ts';
import { createProduct } from '../support/factories.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.close());

const sql = async <Row extends object>(text: string, values: unknown[]) =>
  (await api.app.database.pool.query<Row>(text, values)).rows;

// A reader between two changes of one hundredth of a second: what an entry shows has changed after its horizon, so the
// entry must have a moment from there on.
test('a change that follows another at once is met by whoever read in between', async () => {
  const { locationId } = api;
  const productId = await createProduct(api.app.database, { locationId, stock: { quantity: 1 } });
  const late: number[] = [];
  for (let round = 0; round < 200; round += 1) {
    await sql('update product_stock set quantity = quantity + 1 where product_id = $1', [productId]);
    const [{ horizon } = { horizon: new Date(0) }] = await sql<{ horizon: Date }>(
      'select horizon from change_horizon() where $1::uuid is not null',
      [productId],
    );
    await sql(`update products set sku = sku || '+' where id = $1 and length(sku) < 250`, [productId]);
    await sql(`update products set sku = 'sku' where id = $1 and length(sku) >= 250`, [productId]);
    const [{ moment } = { moment: new Date(0) }] = await sql<{ moment: Date }>(
      'select updated_at as moment from product_stock where product_id = $1',
      [productId],
    );
    if (moment < horizon) late.push(round);
  }
  expect(late).toEqual([]);
});
