import { expect, test } from 'vitest';
import { createOrderKitchen } from '../support/orders.ts';
import { confirm, fill, press, says } from './actions.ts';
import { type AppPage, useDesk } from './app.ts';

const { api, desk } = useDesk();

const categories = async () => (await api.client().categories.list.query({ limit: 200 })).data;
const methods = async () => (await api.client().paymentMethods.list.query({ limit: 200 })).data;
const follow = (page: AppPage, name: string) =>
  page.evaluate(
    `[...document.querySelectorAll('tbody a')].find((each) => each.innerText === ${JSON.stringify(name)}).click()`,
  );

test('a category could be made and deleted in Studio alone', async () => {
  const page = await desk('categories');
  await fill(page, 'Name', 'Hot drinks');
  await fill(page, 'Place (lower comes first)', '7');
  await press(page, 'New category');
  await says(page, 'Hot drinks');
  const made = (await categories()).find(({ name }) => name === 'Hot drinks');
  expect(made).toMatchObject({ priority: 7, visible: true });
  const categoryIds = [made?.id ?? ''];
  const product = await api.make.product({ categoryIds });
  await page.until(`document.querySelector('tbody a') !== null`);
  await follow(page, 'Hot drinks');
  await press(page, 'Delete Hot drinks');
  await says(page, 'Its products stay');
  await confirm(page);
  await page.until(`location.pathname === '/app/desk/categories'`);
  await expect.poll(async () => (await categories()).map(({ name }) => name)).not.toContain('Hot drinks');
  expect((await api.client().products.get.query({ id: product })).categories).toEqual([]);
  expect(page.complaints).toEqual([]);
});

test('a category that another session changed since it was shown is not deleted', async () => {
  const id = await api.make.category({ name: 'Cold' });
  const page = await desk(`categories/${id}`);
  await press(page, 'Delete Cold');
  await page.waitForSelector('.dialog');
  await api.client().categories.update.mutate({ id, name: 'Cold drinks' });
  await confirm(page);
  await says(page, 'Someone else changed it meanwhile.');
  expect(await api.client().categories.get.query({ id })).toMatchObject({ name: 'Cold drinks' });
});

test('a payment method could be made, renamed and deleted in Studio alone', async () => {
  const page = await desk('payment-methods');
  await fill(page, 'Name', 'Pix');
  await page.select('.desk form select', 'qr');
  await press(page, 'New payment method');
  await expect
    .poll(async () => (await methods()).find(({ name }) => name === 'Pix'))
    .toMatchObject({ type: 'qr', enabled: true });
  await page.until(`[...document.querySelectorAll('tbody a')].some((each) => each.innerText === 'Pix')`);
  await follow(page, 'Pix');
  await page.waitForSelector('article form');
  await fill(page, 'Name', 'Pix QR');
  await press(page, 'Save');
  await says(page, 'Delete');
  await expect.poll(async () => (await methods()).map(({ name }) => name)).toContain('Pix QR');
  await page.until(`document.querySelector('h2').innerText === 'Pix QR'`);
  await press(page, 'Delete Pix QR');
  await confirm(page);
  await page.until(`location.pathname === '/app/desk/payment-methods'`);
  await expect.poll(async () => (await methods()).map(({ name }) => name)).not.toContain('Pix QR');
  expect(page.complaints).toEqual([]);
});

test('a payment method that has payments is kept, and the desk says what to do', async () => {
  const kitchen = await createOrderKitchen(api);
  await kitchen.place();
  const page = await desk(`payment-methods/${kitchen.paymentMethodId}`);
  await press(page, 'Delete');
  await confirm(page);
  await says(page, 'has payments, so it is kept: disable it');
  expect((await methods()).map(({ id }) => id)).toContain(kitchen.paymentMethodId);
});

test('the desk speaks Spanish', async () => {
  const id = await api.make.paymentMethod({ name: 'Vale' });
  const category = await api.make.category({ name: 'Postres' });
  const page = await desk('categories', { language: 'es' });
  await says(page, 'Nueva categoría');
  for (const [path, ...texts] of [
    [`categories/${category}`, 'Eliminar', 'Todas las categorías'],
    ['payment-methods', 'Nuevo medio de pago'],
    [`payment-methods/${id}`, 'Eliminar', 'Todos los medios de pago'],
  ]) {
    await page.goto(`${api.url}/app/desk/${path}`);
    for (const text of texts) await says(page, text);
  }
});
