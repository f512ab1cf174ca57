import type { Shop } from '../shop.ts';
import { type Round, today } from './round.ts';

/** A turn, in which `during` works, its settlement, ways to pay, and reports. */
export async function workOnMoney(
  { call, client }: Shop,
  { name }: Round,
  during: () => Promise<void>,
): Promise<void> {
  await client.turns.open.mutate();
  await during();
  const { id } = await call('GET /v2/turns/current');
  const before = { updated_since: new Date().toISOString(), include: ['books' as const], limit: 10 };
  await client.turns.close.mutate();
  const orders = await client.orders.list.query(before);
  const payments = await client.payments.list.query(before);
  const next = { include: ['books' as const], limit: 10 };
  await client.orders.list.query({ ...next, cursor: orders.pagination.next });
  await client.payments.list.query({ ...next, cursor: payments.pagination.next });
  await client.orders.list.query({ ...before, number: 1 });
  await call(`GET /v2/payments?completed_from=${today()}&completed_to=${today()}&limit=10`);
  await call(`GET /v2/turns/${id}`);
  await call('GET /v2/turns?limit=10');
  const [settled] = await call<{ id: string }[]>('GET /v2/settlements?limit=10');
  await call(`GET /v2/settlements/${settled?.id}`);
  await call(`GET /v2/settlements/${settled?.id}/entries?limit=10`);
  for (const list of ['orders', 'payments'])
    for (const [field, named] of [
      ['turn_id', id],
      ['settlement_id', settled?.id],
    ])
      await call(`GET /v2/${list}?${field}=${named}&include=books&limit=10`);
  for (const books of ['unsettled', 'before_books', 'refunded', 'canceled_and_paid'])
    await call(`GET /v2/payments?books=${books}&limit=10`);
  for (const grouping of ['day', 'hour', 'product', 'category', 'payment_method', 'channel'])
    await call(`GET /v2/sales-reports?from=${today()}&to=${today()}&group_by=${grouping}`);

  const method = await client.paymentMethods.create.mutate({ name: `Card ${name}`, type: 'card' });
  await client.paymentMethods.update.mutate({ id: method.id, enabled: false });
  await client.paymentMethods.get.query({ id: method.id });
  await client.paymentMethods.delete.mutate({ id: method.id });
  await call('GET /v2/payment-methods?limit=10');
}
