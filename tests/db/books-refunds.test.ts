import { newId } from '@comanda/db';
import { describe, expect, it } from 'vitest';
import { useBooks } from './books-kit.ts';

const books = useBooks();

describe('a refund', () => {
  it('is recorded in the open turn, several and in part, up to what was collected', async () => {
    await books.client.turns.open.mutate();
    const { payment, order } = await books.paid();
    const before = await books.close();
    await books.client.turns.open.mutate();
    expect(await books.refund(payment, 2.5)).toMatchObject({ status: 'completed', refunded: 2.5 });
    expect(await books.refund(payment, 9.99)).toMatchObject({ refunded: 12.49 });
    await expect(books.refund(payment, 0.02)).rejects.toThrow(
      'At most 0.01 of the payment is left to be refunded.',
    );
    await books.refund(payment, 0.01);
    await expect(books.back(payment)).rejects.toMatchObject({ code: 'CM008' });
    const { settlement, entries } = await books.close();
    expect(settlement).toMatchObject({ total_collected: 0, refunds: { count: 3, amount: -12.5 } });
    expect(entries.map(([kind]) => kind)).toEqual(['refund', 'refund', 'refund']);
    expect(await books.client.settlements.get.query({ id: before.settlement.id })).toEqual(before.settlement);
    await books.client.orders.cancel.mutate({ id: order });
    for (const list of ['refunded', 'canceled_and_paid'] as const)
      expect(await books.listed({ books: list })).toEqual([payment]);
  });

  it('of a payment that is not completed is refused', async () => {
    const { payment } = await books.place();
    await expect(books.refund(payment, 1)).rejects.toThrow('only a completed payment is refunded');
    await expect(books.refund(newId(), 1)).rejects.toThrow('not found');
  });

  it('is recorded once, however often the call comes', async () => {
    const { payment } = await books.paid();
    const call = { id: payment, amount: 1, reason: 'Cold', person: 'Ana', idempotencyKey: newId() };
    const first = await books.client.payments.refund.mutate(call);
    expect(await books.client.payments.refund.mutate(call)).toEqual(first);
    expect(first).toMatchObject({ refunded: 1 });
  });

  it('of ten at once is recorded as far as there is money', async () => {
    const { payment } = await books.paid();
    const ten = await Promise.allSettled(Array.from({ length: 10 }, () => books.refund(payment, 5)));
    expect(ten.filter(({ status }) => status === 'fulfilled')).toHaveLength(2);
    expect(await books.booksOf(payment)).toMatchObject({ refunded: 10 });
  });
});

describe('an import', () => {
  const imported = async (entry: boolean) => {
    const ids = { order: newId(), payment: newId() };
    const rows = `with o as (
        insert into orders (location_id, id, number, total, status, payment_method_id, created_at)
        values ($1, $2, 7, 5, 'closed', $4, '2020-01-01Z') returning *
      ), p as (insert into payments (location_id, id, order_id, payment_method_id, amount, status)
        select location_id, $3, id, payment_method_id, total, 'completed' from o returning *)`;
    const bring = `insert into settlement_entries (location_id, order_id, payment_id, kind, amount, created_at)
        select location_id, order_id, id, 'payment', amount, '2020-01-01Z' from p where $5`;
    await books.owner.deed('import: of the old system', `${rows} ${bring}`, [
      books.locationId,
      ids.order,
      ids.payment,
      books.kitchen.paymentMethodId,
      entry,
    ]);
    return ids;
  };

  it('collects no payment that it does not bring an entry of', async () => {
    await books.client.turns.open.mutate();
    const { payment } = await imported(false);
    expect(await books.listed({ books: 'before_books' })).toEqual([payment]);
    expect((await books.close()).settlement.total_collected).toBe(0);
  });

  it('has those collected whose entries it brings', async () => {
    const { payment } = await imported(true);
    await books.client.turns.open.mutate();
    expect((await books.close()).entries).toEqual([['payment', payment, 5]]);
    expect(await books.listed({ books: 'before_books' })).toEqual([]);
  });
});
