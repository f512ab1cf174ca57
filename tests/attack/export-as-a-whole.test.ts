import { expect, test } from 'vitest';
import { useApi } from '../support/api.ts';
import { createLargeOrders } from '../support/large-orders.ts';

const api = useApi();

test('an export over tRPC is refused where it would be held whole, and REST sends it in pieces', async () => {
  await createLargeOrders(api.app.database, { locationId: api.locationId, count: 22 });
  const day = new Date().toISOString().slice(0, 10);
  const yesterday = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);
  const range = { from: yesterday, to: day };
  await expect(api.client().orders.export.query(range)).rejects.toMatchObject({
    data: { code: 'validation_error', reason: 'batch_too_large', fields: [{ path: 'limit' }] },
  });
  const { orders } = await api.client().orders.export.query({ ...range, limit: 5 });
  expect(orders).toHaveLength(5);
  const whole = await api.rest<{ data: { orders: unknown[] } }>(
    `GET /v2/orders/export?from=${range.from}&to=${range.to}`,
  );
  expect(whole.body.data.orders).toHaveLength(22);
});
