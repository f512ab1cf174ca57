import { newId } from '@comanda/db';
import { beforeAll, describe, expect, it } from 'vitest';
import { useHand } from '../support/by-hand.ts';
import { useDatabase, useTestDatabase } from '../support/database.ts';
import { createCategory, createLocation, createPaymentMethod, createProduct } from '../support/factories.ts';
import { sqlBy } from '../support/sql.ts';

// The rules that Postgres itself enforces for every writer: plain SQL as psql and Studio send it.

const test = useTestDatabase();
const database = useDatabase(test, { poolSize: 3 });
const hand = useHand(test);
let locationId: string;
let methodId: string;
beforeAll(async () => {
  locationId = await createLocation(database);
  methodId = await createPaymentMethod(database, { locationId });
});

const sql = sqlBy((text, values) => hand.sql(text, values));
const imported = sqlBy((text, values) => hand.deed('import: a test', text, values));

let number = 0;
async function insertOrder(status = 'pending'): Promise<string> {
  const id = newId();
  await imported`insert into orders (location_id, id, number, external_id, status, total, payment_method_id)
    values (${locationId}, ${id}::uuid, ${++number}, ${id}::text, ${status}::order_status, 10, ${methodId})`;
  return id;
}

describe('orders', () => {
  it.each([
    ['closed', 'pending'],
    ['closed', 'ready'],
    ['closed', 'canceled'],
    ['canceled', 'pending'],
    ['canceled', 'ready'],
    ['pending', 'closed'],
    ['ready', 'pending'],
  ])('refuse the move from %s to %s', async (from, to) => {
    const id = await insertOrder(from);
    await expect(
      sql('update orders set status = $2::order_status where id = $1', [id, to]),
    ).rejects.toMatchObject({
      code: 'CM001',
      message: `an order cannot move from ${from} to ${to}`,
    });
  });

  it('get their payment at the commit when they are imported without one', async () => {
    const id = await insertOrder();
    const [payment] = await sql('select amount, status from payments where order_id = $1', [id]);
    expect(payment).toEqual({ amount: '10', status: 'pending' });
    const [shown] = await sql<{ doc: { payment: { status: string } } }>`
      select doc::json from orders_json(${locationId}, array[${id}::uuid])`;
    expect(shown?.doc.payment.status).toBe('pending');
  });

  it('keep the rejected payment that they are imported with', async () => {
    const id = newId();
    await imported`with made as (
        insert into orders (location_id, id, number, total, payment_method_id)
        values (${locationId}, ${id}::uuid, ${++number}, 10, ${methodId}) returning *)
      insert into payments (location_id, order_id, payment_method_id, amount, status)
      select location_id, id, payment_method_id, total, 'rejected' from made`;
    const payments = await sql('select status, replaced from payments where order_id = $1', [id]);
    expect(payments).toEqual([{ status: 'rejected', replaced: 0 }]);
  });

  it('refuse a second one with the same external_id or number', async () => {
    const id = await insertOrder();
    const again =
      'insert into orders (location_id, number, external_id, total, payment_method_id) values ($1, $2, $3, 1, $4)';
    await expect(imported(again, [locationId, 900_001, id, methodId])).rejects.toMatchObject({
      code: '23505',
    });
    await expect(imported(again, [locationId, number, 'other', methodId])).rejects.toMatchObject({
      code: '23505',
    });
  });
});

describe('stock', () => {
  it('never goes below zero', async () => {
    const productId = await createProduct(database, { locationId, stock: { quantity: 1 } });
    await expect(
      sql('update product_stock set quantity = quantity - 2 where product_id = $1', [productId]),
    ).rejects.toMatchObject({ code: '23514' });
  });

  it('is given back by a cancellation up to the largest quantity, and no further', async () => {
    const productId = await createProduct(database, { locationId, stock: { quantity: 9_999_999_999 } });
    const id = await insertOrder();
    await imported`
      insert into order_items (location_id, order_id, position, product_id, name, unit_price, quantity, total, stock_taken)
      values (${locationId}, ${id}, 1, ${productId}, 'x', 1, 50, 50, true)`;
    await sql(`update orders set status = 'canceled' where id = $1`, [id]);
    const [stock] = await sql('select quantity from product_stock where product_id = $1', [productId]);
    expect(stock).toEqual({ quantity: '9999999999.99' });
    const [payment] = await sql('select status from payments where order_id = $1', [id]);
    expect(payment).toEqual({ status: 'rejected' });
  });
});

describe('turns and payments', () => {
  it('refuse a second open turn, and opening a closed one again', async () => {
    const open = 'insert into turns (location_id, batch_number) values ($1, $2) returning id';
    const [turn] = await sql<{ id: string }>(open, [locationId, 1]);
    await expect(sql(open, [locationId, 2])).rejects.toMatchObject({ code: '23505' });
    await sql(`update turns set status = 'closed' where id = $1`, [turn?.id]);
    const [closed] = await sql<{ ended_at: Date | null }>`select ended_at from turns where id = ${turn?.id}`;
    expect(closed?.ended_at).toBeInstanceOf(Date);
    await expect(sql(`update turns set status = 'open' where id = $1`, [turn?.id])).rejects.toMatchObject({
      code: 'CM001',
    });
  });

  it('refuse a payment that leaves a final status', async () => {
    const id = await insertOrder();
    await sql(`update payments set status = 'completed' where order_id = $1`, [id]);
    await expect(
      sql(`update payments set status = 'rejected' where order_id = $1`, [id]),
    ).rejects.toMatchObject({ code: 'CM001' });
  });
});

describe('tenants', () => {
  it('cannot reach into one another, even by SQL', async () => {
    const theirs = await createLocation(database);
    const theirCategory = await createCategory(database, { locationId: theirs });
    const theirProduct = await createProduct(database, { locationId: theirs });
    const theirMethod = await createPaymentMethod(database, { locationId: theirs });
    const ours = await createProduct(database, { locationId });
    const order = await insertOrder();
    const crossing: [string, unknown[], string][] = [
      [
        'insert into product_categories (location_id, product_id, category_id) values ($1, $2, $3)',
        [locationId, ours, theirCategory],
        '23503',
      ],
      [
        'insert into product_stock (location_id, product_id, quantity) values ($1, $2, 1)',
        [locationId, theirProduct],
        '23503',
      ],
      [
        'insert into subselections (location_id, product_id, name) values ($1, $2, $3)',
        [locationId, theirProduct, 'x'],
        '23503',
      ],
      ['update orders set payment_method_id = $2 where id = $1', [order, theirMethod], 'CM008'],
      ['update payments set payment_method_id = $2 where order_id = $1', [order, theirMethod], 'CM008'],
      [
        `insert into order_items (location_id, order_id, position, product_id, name, unit_price, quantity, total) values ($1, $2, 9, $3, 'x', 1, 1, 1)`,
        [locationId, order, theirProduct],
        'CM006',
      ],
      ['update orders set location_id = $2 where id = $1', [order, theirs], 'CM008'],
    ];
    for (const [text, values, code] of crossing) {
      await expect(imported(text, values), text).rejects.toMatchObject({ code });
    }
  });

  it('cannot be given a time zone that does not exist', async () => {
    await expect(
      sql(`update locations set timezone = 'Mars/Base' where id = $1`, [locationId]),
    ).rejects.toMatchObject({ code: '22023' });
  });
});
