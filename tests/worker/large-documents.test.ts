import { expect, test } from 'vitest';
import { createLargeOrders, largeOrderBytes } from '../support/large-orders.ts';
import { useWorkerKit } from './kit.ts';

const kit = useWorkerKit();

test('a transaction that shows more than is read at once is published whole, in its order, with each event once', async () => {
  await createLargeOrders(kit.database, { locationId: kit.locationId, count: 12 });
  const events = await kit.publish();
  expect(events.map(({ number }) => number)).toEqual(events.map((_, index) => index + 1));
  expect(new Set(events.map(({ id }) => id)).size).toBe(events.length);
  const created = events.filter(({ type }) => type === 'order.created');
  expect(created.map(({ body }) => body.data.number)).toEqual(Array.from({ length: 12 }, (_, n) => n + 1));
  for (const { text } of created) expect(Buffer.byteLength(text)).toBeGreaterThan(largeOrderBytes);
  expect(events.filter(({ type }) => type === 'payment.created')).toHaveLength(12);
});
