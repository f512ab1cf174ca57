import { expect, test } from 'vitest';
import { createSubselection } from '../support/factories.ts';
import { fill, press, says } from './actions.ts';
import { type AppPage, useDesk } from './app.ts';
import { mayBeLeft } from './links.ts';

const { api, desk } = useDesk();

const shown = (page: AppPage) =>
  page.evaluate<string[]>(`[...document.querySelectorAll('.desk tbody th')].map((each) => each.innerText)`);

/** A product of 95 in a category. */
async function product(name: string, stock?: { enabled?: boolean; quantity: number }) {
  const category = await api.make.category({ name: `${name} and more` });
  const id = await api.make.product({ name, price: 95, categoryIds: [category], ...(stock && { stock }) });
  return { id, category };
}

const now = (id: string) => api.client().products.get.query({ id });

test('a wrong price needed Studio, or an id', async () => {
  const { id } = await product('Espresso', { enabled: true, quantity: 4 });
  const other = await product('Tea');
  const page = await desk('products');
  await page.waitForSelector('#text');
  await page.type('#text', 'espr');
  await page.keyboard.press('Enter');
  await expect.poll(() => shown(page)).toEqual(['Espresso']);
  await page.click('.desk tbody th a');
  await fill(page, 'Price', '99,90');
  await press(page, 'Save');
  await expect.poll(async () => (await now(id)).price).toBe(99.9);
  // A text that is no amount is refused where it is typed.
  await fill(page, 'Price', 'abc');
  await press(page, 'Save');
  expect(await page.evaluate(`document.querySelector('form.edit').checkValidity()`)).toBe(false);
  expect((await now(id)).price).toBe(99.9);
  expect((await now(other.id)).price).toBe(95);
  expect(page.complaints).toEqual([]);
});

test('a product was moved to a category by three ids', async () => {
  const { id, category } = await product('Mate');
  const other = await api.make.category({ name: 'Hot drinks' });
  const page = await desk(`products/${id}`);
  const box = (name: string) =>
    `[...document.querySelectorAll('fieldset label')].find((each) => each.innerText.trim() === '${name}')`;
  await page.until(`${box('Hot drinks')} !== undefined`);
  await page.evaluate(`${box('Hot drinks')}.click(); ${box('Mate and more')}.click()`);
  await press(page, 'Save');
  await expect.poll(async () => (await now(id)).categories.map((each) => each.id)).toEqual([other]);
  expect(category).not.toBe(other);
});

test('a product is marked as sold out, hidden, and its stock is set', async () => {
  const { id } = await product('Cake', { enabled: true, quantity: 3 });
  const page = await desk('products');
  await says(page, 'Cake');
  await press(page, 'Mark as sold out Cake');
  await expect.poll(async () => (await now(id)).stock).toMatchObject({ enabled: true, quantity: 0 });
  // The browser asks before a page is left with a change that is not answered, and no test answers it.
  await page.until(mayBeLeft);
  await page.goto(`${api.url}/app/desk/products/${id}`);
  await fill(page, 'Left', '12,5');
  await press(page, 'Save');
  await expect.poll(async () => (await now(id)).stock.quantity).toBe(12.5);
  await page.until(`document.querySelector('form.edit button').disabled`);
  await page.evaluate(
    `[...document.querySelectorAll('label.check')].find((each) => each.innerText.includes('Shown on the menu')).click()`,
  );
  await press(page, 'Save');
  await expect.poll(async () => (await now(id)).visible).toBe(false);
  await page.evaluate(`document.querySelector('article a[href="/app/desk/products"]').click()`);
  await page.waitForSelector('#shown');
  await page.select('#shown', 'hidden');
  await expect.poll(() => shown(page)).toEqual(['Cake']);
  expect(page.complaints).toEqual([]);
});

test('a choice that no order can satisfy is listed with its product, and gone when it is repaired', async () => {
  const { id } = await product('Pizza');
  const choice = { locationId: api.locationId, productId: id, name: 'Toppings', minSelection: 3 };
  const made = await createSubselection(api.app.database, {
    ...choice,
    maxSelection: 3,
    single: false,
    items: [{ max: 1 }, { max: 1 }],
  });
  const page = await desk('products');
  const text = '“Toppings” needs at least 3, and its options allow at most 2';
  await says(page, `Pizza: ${text}`);
  await page.click('.unsold a');
  await page.until(`location.pathname === '/app/desk/products/${id}'`);
  await says(page, text);
  await api.sql`update subselections set min_selection = 2 where id = ${made.id}`;
  await page.goto(`${api.url}/app/desk/products/${id}`);
  await says(page, 'All products');
  await page.until(`document.querySelector('.unsold') === null`);
  expect(page.complaints).toEqual([]);
});
