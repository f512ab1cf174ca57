import { expect, test } from 'vitest';
import { createPaymentMethod, createProduct } from '../support/factories.ts';
import { placeOrder } from '../support/orders.ts';
import { usePublishingApi } from '../support/published.ts';
import { useBrowser } from './browser.ts';
import { openDesk, press, says } from './desk-page.ts';

const api = usePublishingApi(undefined, { app: 'on' });
const browser = useBrowser();

const desk = (part: string) => openDesk(browser, api, part, { size: 'phone' });

test('what was sold by product was in no screen', { timeout: 60_000 }, async () => {
  const { database } = api.app;
  const { locationId } = api;
  const productId = await createProduct(database, { locationId, name: 'Empanada', price: 80 });
  const paymentMethodId = await createPaymentMethod(database, { locationId });
  await placeOrder(api, { productId, paymentMethodId }, { items: [{ product_id: productId, quantity: 3 }] });
  const page = await desk('sales');
  await page.waitForSelector('.desk tbody tr');
  const row = await page.evaluate<string>(`document.querySelector('.desk tbody tr').innerText`);
  for (const text of ['Empanada', '3', '240.00']) expect(row).toContain(text);
  await page.select('#by', 'day');
  await page.until(`document.querySelector('.desk thead th')?.textContent === 'Day'`);
  expect(page.complaints).toEqual([]);
  await page.close();
});

test('a payment method is disabled, and offered again', { timeout: 60_000 }, async () => {
  const id = await createPaymentMethod(api.app.database, { locationId: api.locationId, name: 'Voucher' });
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
  await page.close();
});
