import { expect, test } from 'vitest';
import { useOrderKitchen } from '../support/orders.ts';
import { fill, press, says } from './actions.ts';
import { type AppPage, useDesk } from './app.ts';
import { setPermissions } from './session-keys.ts';

const { api, desk } = useDesk();
const kitchen = useOrderKitchen(api);

/** An order of two lines, and the form that edits it. */
async function open() {
  const name = await nameOf(kitchen.productId);
  const item = { product_id: kitchen.productId, quantity: 1 };
  const order = await kitchen.place({ items: [item, { ...item, comment: 'Hot' }], guests: 2 });
  const page = await desk(`orders/${order.number}`);
  await press(page, 'Edit the order');
  await says(page, 'A line with 0 is taken off.');
  const read = () => api.client().orders.get.query({ id: order.id, include: ['details'] });
  return { order, page, read, name };
}

const nameOf = async (id: string) => (await api.client().products.get.query({ id })).name;
const save = (page: AppPage) => press(page, 'Save');

test('a pending order is edited: its lines, a product that joins, and when and for how many it is', async () => {
  await api.client().locations.update.mutate({ id: api.locationId, timezone: 'America/Montevideo' });
  await api.make.product({ name: 'Green tea', price: 3 });
  const { page, read, name, order } = await open();
  await fill(page, `1. ${name}: how many`, '3');
  await fill(page, `2. ${name}: how many`, '0');
  await fill(page, 'Add a product', 'green');
  await page.keyboard.press('Enter');
  await press(page, '+ Green tea');
  await fill(page, '+ Green tea: how many', '1,5');
  await fill(page, '+ Green tea: comment', 'No sugar');
  await fill(page, 'Note', 'Ring twice');
  await fill(page, 'Promised for', '2027-01-31T21:05');
  await fill(page, 'Guests', '4');
  await save(page);
  await says(page, '− 1 ');
  expect(await read()).toMatchObject({
    items: [
      { line_id: 1, quantity: 3 },
      { line_id: 3, name: 'Green tea', quantity: 1.5, comment: 'No sugar' },
    ],
    note: 'Ring twice',
    guests: 4,
    promised_at: '2027-01-31T21:05:00.000-03:00',
    total: 3 * (order.items[0]?.unit_price ?? 0) + 4.5,
  });
  // What joined is a line now, and the form goes on from there.
  await fill(page, '2. Green tea: comment', '');
  await page.keyboard.press('Backspace');
  await fill(page, 'Promised for', '');
  await save(page);
  await expect.poll(read).not.toHaveProperty('promised_at');
  expect((await read()).items[1]).not.toHaveProperty('comment');
});

test('what another person has changed meanwhile is read anew and shown, and nothing is written over it', async () => {
  const { page, read, name } = await open();
  const line = `1. ${name}: how many`;
  await fill(page, line, '5');
  const { id, ...now } = await read();
  expect(now.items).toHaveLength(2);
  await api.rest(`PATCH /v2/orders/${id}`, {
    body: { items: { change: [{ line_id: 1, quantity: 7 }] } },
    headers: { 'if-match': '*' },
  });
  await save(page);
  await says(page, 'Someone else changed it meanwhile.');
  await says(page, 'Now there: 7');
  expect((await read()).items[0]?.quantity).toBe(7);
  await save(page);
  await expect.poll(async () => (await read()).items[0]?.quantity).toBe(5);
});

test('the total of a paid order, and more than is left, are refused in plain words', async () => {
  const { page, read, name, order } = await open();
  await api.client().payments.complete.mutate({ id: order.payment.id });
  await fill(page, `1. ${name}: how many`, '2');
  await save(page);
  await says(page, 'It is paid, so what it costs cannot change.');
  expect((await read()).total).toBe(order.total);
  const counted = await api.make.product({ stock: { enabled: true, quantity: 3 } });
  const { number } = await kitchen.place({ items: [{ product_id: counted, quantity: 1 }] });
  const other = await desk(`orders/${number}`);
  await press(other, 'Edit the order');
  await fill(other, `1. ${await nameOf(counted)}: how many`, '4');
  await save(other);
  await says(other, 'There is not enough left of a product or an option');
});

const buttons = `[...document.querySelectorAll('.desk button')].map(({ innerText }) => innerText)`;

test('the button is shown for a pending order, and to a key that may write orders', async () => {
  const { number } = await kitchen.place();
  const page = await desk(`orders/${number}`);
  await page.until(`${buttons}.includes('Edit the order')`);
  await press(page, 'Mark as ready');
  await page.until(`${buttons}.includes('Close')`);
  expect(await page.evaluate(buttons)).not.toContain('Edit the order');
  await setPermissions(api, page, ['orders:read', 'payments:write']);
  await page.goto(`${api.url}/app/desk/orders/${(await kitchen.place()).number}`);
  await page.until(`${buttons}.includes('Reject the payment')`);
  await page.settled();
  expect(await page.evaluate(buttons)).not.toContain('Edit the order');
});
