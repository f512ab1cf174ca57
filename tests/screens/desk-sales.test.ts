import { expect, test } from 'vitest';
import { placeOrder } from '../support/orders.ts';
import { press, says } from './actions.ts';
import { useDesk } from './app.ts';

const { api, desk } = useDesk();

test('what was sold by product was in no screen', async () => {
  const productId = await api.make.product({ name: 'Empanada', price: 80 });
  const paymentMethodId = await api.make.paymentMethod();
  await placeOrder(api, { productId, paymentMethodId }, { items: [{ product_id: productId, quantity: 3 }] });
  const page = await desk('sales');
  await page.waitForSelector('.desk tbody tr');
  const row = await page.evaluate<string>(`document.querySelector('.desk tbody tr').innerText`);
  for (const text of ['Empanada', '3', '240.00']) expect(row).toContain(text);
  await page.select('#by', 'day');
  await page.until(`document.querySelector('.desk thead th')?.textContent === 'Day'`);
  expect(page.complaints).toEqual([]);
});

test('a payment method is disabled, and offered again', async () => {
  const id = await api.make.paymentMethod({ name: 'Voucher' });
  const isOffered = async () =>
    (await api.client().paymentMethods.list.query({ limit: 200 })).data.find((each) => each.id === id)
      ?.enabled;
  const page = await desk('payment-methods');
  await press(page, 'Disable Voucher');
  await expect.poll(isOffered).toBe(false);
  await says(page, 'disabled');
  await press(page, 'Enable Voucher');
  await expect.poll(isOffered).toBe(true);
  expect(page.complaints).toEqual([]);
});
