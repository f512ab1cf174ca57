import { describe, expect, it } from 'vitest';
import { waitFor } from '../support/wait.ts';
import { useBooks } from './books-kit.ts';

const books = useBooks();

describe('a payment that is completed', () => {
  it('belongs to the turn that is open then, for an order of any turn', async () => {
    const first = await books.client.turns.open.mutate();
    const late = await books.place();
    const { settlement } = await books.close();
    expect(settlement).toMatchObject({ total_collected: 0, total_orders: 1 });
    const second = await books.client.turns.open.mutate();
    await books.client.payments.complete.mutate({ id: late.payment });
    expect(await books.booksOf(late.payment)).toMatchObject({
      turn_id: second.id,
      completed_at: expect.any(String),
    });
    expect(await books.client.orders.get.query({ id: late.order, include: ['books'] })).toMatchObject({
      turn_id: first.id,
      settlement_id: settlement.id,
      completed_at: expect.any(String),
    });
    const next = await books.close();
    expect(next.settlement).toMatchObject({ total_collected: 12.5, total_orders: 0, average_ticket: 12.5 });
    expect(next.entries).toEqual([['payment', late.payment, 12.5]]);
    expect(await books.booksOf(late.payment)).toMatchObject({ settlement_id: next.settlement.id });
  });

  it('belongs to the next turn that opens when none is open', async () => {
    const { payment } = await books.paid();
    expect(await books.booksOf(payment)).not.toHaveProperty('turn_id');
    expect(await books.listed({ books: 'unsettled' })).toEqual([payment]);
    const { id } = await books.client.turns.open.mutate();
    expect(await books.booksOf(payment)).toMatchObject({ turn_id: id });
    expect(await books.listed({ books: 'unsettled' })).toEqual([]);
    expect(await books.client.turns.getCurrent.query()).toMatchObject({ total_collected: 12.5 });
    expect((await books.close()).entries).toEqual([['payment', payment, 12.5]]);
  });

  it('is collected just so by hand', async () => {
    const { id } = await books.client.turns.open.mutate();
    const { payment } = await books.place();
    await books.admin.sql(`update payments set status = 'completed' where id = $1`, [payment]);
    expect(await books.booksOf(payment)).toMatchObject({ turn_id: id });
    expect((await books.close()).settlement.total_collected).toBe(12.5);
  });

  it('is never completed after the moment that it shows as its last change', async () => {
    await books.client.turns.open.mutate();
    const placed = await Promise.all(Array.from({ length: 10 }, books.place));
    const [first, ...others] = placed.map(({ payment }) => payment);
    await books.client.payments.complete.mutate({ id: first ?? '' });
    await books.admin.sql(`update payments set status = 'completed' where id = any ($1)`, [others]);
    for (const { completed_at = '', updated_at } of await Promise.all(
      placed.map(({ payment }) => books.booksOf(payment)),
    ))
      expect(completed_at).toBe(updated_at);
  });

  it('is refused on an older snapshot, which may miss the turn', async () => {
    const { payment } = await books.place();
    for (const level of ['repeatable read', 'serializable']) {
      await books.admin.sql(`begin isolation level ${level}`);
      await expect(
        books.admin.sql(`update payments set status = 'completed' where id = $1`, [payment]),
      ).rejects.toMatchObject({ code: 'CM007' });
      await books.admin.sql('rollback');
    }
    await books.owner.sql('begin isolation level serializable');
    await expect(
      books.owner.sql('insert into turns (location_id) values ($1)', [books.locationId]),
    ).rejects.toMatchObject({ code: 'CM007' });
    await books.owner.sql('rollback');
  });

  it('is collected by the turn that its close made way for', async () => {
    const { id: first } = await books.client.turns.open.mutate();
    const { payment } = await books.place();
    await books.owner.sql('begin');
    await books.owner.sql(`update turns set status = 'closed' where id = $1`, [first]);
    await books.owner.sql('insert into turns (location_id) values ($1)', [books.locationId]);
    const [completing, ordering] = [books.client.payments.complete.mutate({ id: payment }), books.place()];
    await waitFor('both at the lock', async () => {
      const { rows } = await books.api.app.database.pool.query(
        `select from pg_locks where locktype = 'advisory' and not granted and mode = 'ShareLock'
         and database = (select oid from pg_database where datname = current_database())`,
      );
      return rows.length === 2;
    });
    await books.owner.sql('commit');
    await completing;
    const { order } = await ordering;
    const { id: second } = await books.client.turns.getCurrent.query();
    expect(second).not.toBe(first);
    expect(await books.booksOf(payment)).toMatchObject({ turn_id: second });
    expect(await books.client.orders.get.query({ id: order, include: ['books'] })).toMatchObject({
      turn_id: second,
    });
  });
});

describe('turns.close with open_next', () => {
  it('answers both turns and leaves no moment between them', async () => {
    const { id } = await books.client.turns.open.mutate();
    const closed = await books.client.turns.close.mutate({ open_next: true });
    expect(closed).toMatchObject({
      id,
      status: 'closed',
      next: { status: 'open', batch_number: '2', total_orders: 0 },
    });
    expect(await books.client.turns.getCurrent.query()).toEqual(closed.next);
    expect(Date.parse(closed.next?.started_at ?? '')).toBeGreaterThanOrEqual(
      Date.parse(closed.ended_at ?? ''),
    );
  });

  it('opens nothing when no turn is open', async () => {
    await expect(books.client.turns.close.mutate({ open_next: true })).rejects.toThrow('No turn is open.');
    await expect(books.client.turns.getCurrent.query()).rejects.toThrow('not found');
  });
});

describe('a payment that was marked wrongly', () => {
  it('is corrected in the open turn, and the settlement that has it stays', async () => {
    await books.client.turns.open.mutate();
    const { payment, order } = await books.paid();
    const before = await books.close();
    await books.client.turns.open.mutate();
    await books.back(payment);
    expect(await books.booksOf(payment)).toEqual(await books.client.payments.get.query({ id: payment }));
    expect(await books.client.turns.getCurrent.query()).toMatchObject({ total_collected: -12.5 });
    await books.client.payments.complete.mutate({ id: payment });
    const other = await books.paid();
    await books.back(other.payment, 'rejected');
    const after = await books.close();
    expect(after.entries).toEqual([
      ['correction', payment, -12.5],
      ['payment', payment, 12.5],
      ['payment', other.payment, 12.5],
      ['correction', other.payment, -12.5],
    ]);
    expect(after.settlement).toMatchObject({
      total_collected: 0,
      average_ticket: 0,
      payments: [{ method: 'cash', count: 2, amount: 25 }],
      corrections: { count: 2, amount: -25 },
    });
    expect(await books.client.settlements.get.query({ id: before.settlement.id })).toEqual(before.settlement);
    const timeline = await books.client.orders.timeline.query({ id: order });
    expect(timeline.filter(({ kind }) => kind === 'booked')).toMatchObject([
      { entry: 'payment', amount: 12.5, by: { type: 'api_key' } },
      {
        entry: 'correction',
        amount: -12.5,
        by: { type: 'database', name: expect.stringMatching(/./) },
        reason: 'it was the other guest',
      },
      { entry: 'payment', amount: 12.5 },
    ]);
  });

  it('waits in the list of what the next turn takes, while no turn is open, with how much that is', async () => {
    await books.client.turns.open.mutate();
    const settled = await books.paid();
    const repriced = await books.paid();
    await books.close();
    const fresh = await books.paid();
    await books.back(settled.payment);
    await books.owner.deed('repair: another amount', 'update payments set amount = 10 where id = $1', [
      repriced.payment,
    ]);
    const waiting = async () =>
      (await books.client.payments.list.query({ books: 'unsettled', include: ['books'] })).data.map(
        ({ id, status, unsettled }) => [id, status, unsettled],
      );
    expect(await waiting()).toEqual([
      [fresh.payment, 'completed', 12.5],
      [repriced.payment, 'completed', -2.5],
      [settled.payment, 'pending', -12.5],
    ]);
    await books.client.turns.open.mutate();
    expect(await waiting()).toEqual([]);
    expect(await books.client.turns.getCurrent.query()).toMatchObject({ total_collected: -2.5 });
  });

  it('is moved back by an owner alone, and not to pending under a canceled order', async () => {
    const { payment, order } = await books.paid();
    await expect(
      books.admin.sql(`update payments set status = 'pending' where id = $1`, [payment]),
    ).rejects.toMatchObject({ code: 'CM001' });
    await books.client.orders.cancel.mutate({ id: order });
    await expect(books.back(payment)).rejects.toMatchObject({ code: 'CM008' });
    await books.back(payment, 'rejected');
    expect(await books.client.payments.list.query({ books: 'canceled_and_paid' })).toMatchObject({
      data: [],
    });
  });

  it('in its amount is corrected, and collected again, but not below what was given back', async () => {
    await books.client.turns.open.mutate();
    const { payment } = await books.paid();
    const changed = (amount: number) =>
      books.owner.deed('repair: another amount', 'update payments set amount = $2 where id = $1', [
        payment,
        amount,
      ]);
    await changed(7.5);
    await books.refund(payment, 5);
    await expect(changed(4)).rejects.toMatchObject({ code: 'CM008' });
    const { settlement, entries } = await books.close();
    expect(entries.map(([kind, , amount]) => [kind, amount])).toEqual([
      ['payment', 12.5],
      ['correction', -12.5],
      ['payment', 7.5],
      ['refund', -5],
    ]);
    expect(settlement).toMatchObject({ total_collected: 7.5, average_ticket: 7.5 });
  });
});

it('a correction and the entry after it, made within a millisecond, are listed in that order', async () => {
  await books.client.turns.open.mutate();
  const paid: string[] = [];
  for (let n = 0; n < 12; n++) paid.push((await books.paid()).payment);
  await books.owner.deed('repair: they were half', 'update payments set amount = 6 where id = any($1)', [
    paid,
  ]);
  const { entries } = await books.close();
  for (const payment of paid)
    expect(entries.filter(([, of]) => of === payment)).toEqual([
      ['payment', payment, 12.5],
      ['correction', payment, -12.5],
      ['payment', payment, 6],
    ]);
});

describe('entries', () => {
  it('are never written by hand', async () => {
    const { payment } = await books.paid();
    for (const text of [
      'update settlement_entries set amount = 1 where payment_id = $1',
      'delete from settlement_entries where payment_id = $1',
    ])
      await expect(books.owner.sql(text, [payment])).rejects.toMatchObject({ code: 'CM008' });
    await expect(
      books.admin.sql('delete from settlement_entries where payment_id = $1', [payment]),
    ).rejects.toMatchObject({ code: '42501' });
  });
});

it('payments are read by what has changed, a refund too', async () => {
  const { payment } = await books.paid();
  const { pagination } = await books.client.payments.list.query({ updated_since: '2020-01-01T00:00:00Z' });
  await books.refund(payment, 1);
  const { data } = await books.client.payments.list.query({
    cursor: pagination.next ?? '',
    include: ['books'],
  });
  expect(data).toMatchObject([{ id: payment, refunded: 1 }]);
});

it('orders and payments are found by turn and by settlement', async () => {
  const first = await books.client.turns.open.mutate();
  const one = await books.paid();
  const { settlement } = await books.close();
  const second = await books.client.turns.open.mutate();
  const two = await books.paid();
  for (const [turn_id, { order, payment }] of [
    [first.id, one],
    [second.id, two],
  ] as const) {
    expect((await books.client.orders.list.query({ turn_id })).data.map(({ id }) => id)).toEqual([order]);
    expect(await books.listed({ turn_id })).toEqual([payment]);
  }
  const { id: settlement_id } = settlement;
  const orders = await books.client.orders.list.query({ settlement_id, include: ['books'] });
  expect(orders.data).toEqual([{ ...orders.data[0], id: one.order, turn_id: first.id, settlement_id }]);
  const payments = await books.client.payments.list.query({ settlement_id, include: ['books'] });
  expect(payments.data).toMatchObject([{ id: one.payment, turn_id: first.id, settlement_id }]);
  const other = { turn_id: 'of another form' };
  expect((await books.client.orders.list.query(other)).data).toEqual([]);
  expect((await books.client.payments.list.query(other)).data).toEqual([]);
});
