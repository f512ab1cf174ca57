import { afterEach, expect, test } from 'vitest';
import { createCategory, createProduct } from '../support/factories.ts';
import { usePublishingApi } from '../support/published.ts';
import { type AppPage, type openApp, sizes } from './app-page.ts';
import { seriousFindings, useBrowser } from './browser.ts';
import { fill, openDesk, press, says } from './desk-page.ts';

const api = usePublishingApi(undefined, { app: 'on' });
const browser = useBrowser();
const pages: AppPage[] = [];
afterEach(() => Promise.all(pages.splice(0).map((page) => page.close())));

const timeout = 60_000;
const patience = { timeout: 20_000 };

async function desk(path: string, how: Parameters<typeof openApp>[2] = {}): Promise<AppPage> {
  const page = await openDesk(browser, api, path, how);
  pages.push(page);
  return page;
}

const shown = (page: AppPage) =>
  page.evaluate<string[]>(`[...document.querySelectorAll('.desk tbody th')].map((each) => each.innerText)`);

/** A product of 95 in a category. */
async function product(name: string, stock?: { enabled?: boolean; quantity: number }) {
  const { database } = api.app;
  const { locationId } = api;
  const category = await createCategory(database, { locationId, name: `${name} and more` });
  const id = await createProduct(database, {
    ...{ locationId, name, price: 95, categoryIds: [category] },
    ...(stock && { stock }),
  });
  return { id, category };
}

const now = (id: string) => api.client().products.get.query({ id });

test('a wrong price needed Studio, or an id', { timeout }, async () => {
  const { id } = await product('Espresso', { enabled: true, quantity: 4 });
  const other = await product('Tea');
  const page = await desk('products');
  await page.waitForSelector('#text');
  await page.type('#text', 'espr');
  await page.keyboard.press('Enter');
  await expect.poll(() => shown(page), patience).toEqual(['Espresso']);
  await page.click('.desk tbody th a');
  await fill(page, 'Price', '99,90');
  await press(page, 'Save');
  await expect.poll(async () => (await now(id)).price, patience).toBe(99.9);
  // A text that is no amount is refused where it is typed.
  await fill(page, 'Price', 'abc');
  await press(page, 'Save');
  expect(await page.evaluate(`document.querySelector('form.edit').checkValidity()`)).toBe(false);
  expect((await now(id)).price).toBe(99.9);
  expect((await now(other.id)).price).toBe(95);
  expect(page.complaints).toEqual([]);
});

test('a product was moved to a category by three ids', { timeout }, async () => {
  const { id, category } = await product('Mate');
  const other = await createCategory(api.app.database, { locationId: api.locationId, name: 'Hot drinks' });
  const page = await desk(`products/${id}`);
  const box = (name: string) =>
    `[...document.querySelectorAll('fieldset label')].find((each) => each.innerText.trim() === '${name}')`;
  await page.until(`${box('Hot drinks')} !== undefined`);
  await page.evaluate(`${box('Hot drinks')}.click(); ${box('Mate and more')}.click()`);
  await press(page, 'Save');
  await expect.poll(async () => (await now(id)).categories.map((each) => each.id), patience).toEqual([other]);
  expect(category).not.toBe(other);
});

test('a product is marked as sold out, hidden, and its stock is set', { timeout }, async () => {
  const { id } = await product('Cake', { enabled: true, quantity: 3 });
  const page = await desk('products');
  await says(page, 'Cake');
  await press(page, 'Mark as sold out Cake');
  await expect
    .poll(async () => (await now(id)).stock, patience)
    .toMatchObject({ enabled: true, quantity: 0 });
  // The browser asks before a page is left with a change that is not answered.
  await says(page, 'sold out');
  await page.goto(`${api.url}/app/desk/products/${id}`);
  await fill(page, 'Left', '12,5');
  await page.evaluate(`document.querySelectorAll('form.edit')[1].requestSubmit()`);
  await expect.poll(async () => (await now(id)).stock.quantity, patience).toBe(12.5);
  await page.until(`document.querySelectorAll('form.edit button')[1].disabled`);
  await page.evaluate(
    `[...document.querySelectorAll('label.check')].find((each) => each.innerText.includes('Shown on the menu')).click()`,
  );
  await page.evaluate(`document.querySelectorAll('form.edit')[0].requestSubmit()`);
  await expect.poll(async () => (await now(id)).visible, patience).toBe(false);
  await page.evaluate(`document.querySelector('article a[href="/app/desk/products"]').click()`);
  await page.waitForSelector('#shown');
  await page.select('#shown', 'hidden');
  await expect.poll(() => shown(page), patience).toEqual(['Cake']);
  expect(page.complaints).toEqual([]);
});

test.each(Object.keys(sizes) as (keyof typeof sizes)[])(
  'a product is clean for axe on a %s, and no wider than that',
  { timeout },
  async (size) => {
    const { id } = await product(`A name without a space ${'a'.repeat(60)}`);
    const page = await desk(`products/${id}`, { size });
    await page.waitForSelector('form.edit');
    expect(await seriousFindings(page)).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(sizes[size].width);
  },
);
