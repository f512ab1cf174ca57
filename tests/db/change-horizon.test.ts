import { expect, test } from 'vitest';
import { useApi } from '../support/api.ts';
import { createProduct } from '../support/factories.ts';

const api = useApi();

// A reader between two changes of one hundredth of a second: what an entry shows has changed after its horizon, so the
// entry must have a moment from there on.
test('a change that follows another at once reaches a reader that read in between', async () => {
  const { locationId } = api;
  const productId = await createProduct(api.app.database, { locationId, stock: { quantity: 1 } });
  const late: number[] = [];
  for (let round = 0; round < 200; round += 1) {
    await api.sql('update product_stock set quantity = quantity + 1 where product_id = $1', [productId]);
    const [{ horizon } = { horizon: new Date(0) }] = await api.sql<{ horizon: Date }>`
      select horizon from change_horizon() where ${productId}::uuid is not null`;
    await api.sql(`update products set sku = sku || '+' where id = $1 and length(sku) < 250`, [productId]);
    await api.sql(`update products set sku = 'sku' where id = $1 and length(sku) >= 250`, [productId]);
    const [{ moment } = { moment: new Date(0) }] = await api.sql<{ moment: Date }>`
      select updated_at as moment from product_stock where product_id = ${productId}`;
    if (moment < horizon) late.push(round);
  }
  expect(late).toEqual([]);
});

test('the stamps of a transaction are not before its announcement (a canceled order was written twice)', async () => {
  const { locationId } = api;
  const productId = await createProduct(api.app.database, { locationId });
  for (let round = 0; round < 20; round += 1) {
    const stamped = await api.app.database.transaction(undefined, async (tx) => {
      await tx.run({ name: '', text: 'update products set price = price + 1 where id = $1' }, [productId]);
      const text = 'select updated_at >= announce_change() as later from products where id = $1';
      return tx.run<{ later: boolean }>({ name: '', text }, [productId]);
    });
    expect(stamped).toEqual([{ later: true }]);
  }
});
