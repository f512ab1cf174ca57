import { startComanda, type TestComanda } from '@comanda/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';

let comanda: TestComanda;
beforeAll(async () => {
  comanda = await startComanda();
}, 120_000);
afterAll(() => comanda.stop());

test('an order is made once, and its event comes', async () => {
  const { client, product, paymentMethods, receivedEvents } = await comanda.newLocation();
  const received = await receivedEvents({ types: ['order.created'] });
  const order = {
    idempotencyKey: 'PO-7731',
    external_id: 'PO-7731',
    is_take_away: true,
    identifier: 'Table 4',
    payment_method_id: paymentMethods.cash,
    items: [{ product_id: product('DR-03').id, quantity: 2 }],
  };
  const made = await client.orders.create.mutate(order);
  expect(await client.orders.create.mutate(order)).toEqual(made);
  const event = await received.next('order.created');
  expect(event.data.total).toBe(180);
  await received.close();
});

test('a key that is older than a week is forgotten', async () => {
  const { client, age } = await comanda.newLocation();
  const tea = { idempotencyKey: 'tea', name: 'Tea', description: '', price: 1 };
  const made = await client.products.create.mutate(tea);
  await age('tea', '8 days');
  const again = await client.products.create.mutate(tea);
  expect(again.id).not.toBe(made.id);
});
