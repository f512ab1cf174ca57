import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { createOrderKitchen, type OrderKitchen, placeOrder } from '../support/orders.ts';
import { usePublishingApi } from '../support/published.ts';
import { type AppPage, linkTo, openApp } from './app-page.ts';
import { type Browser, startBrowser } from './browser.ts';
import { says } from './desk-page.ts';

const api = usePublishingApi(undefined, { app: 'on' });
let browser: Browser;
let kitchen: OrderKitchen;
const pages: AppPage[] = [];
beforeAll(async () => {
  browser = await startBrowser();
  kitchen = await createOrderKitchen(api);
}, 120_000);
afterEach(() => Promise.all(pages.splice(0).map((page) => page.close())));
afterAll(() => browser?.close());

const timeout = 60_000;
const patience = { timeout: 20_000 };

async function orders(): Promise<AppPage> {
  const page = await openApp(browser, await linkTo(api, { screens: ['desk'] }));
  pages.push(page);
  await page.until(`document.querySelector('.desk nav a') !== null`);
  await page.goto(`${api.url}/app/desk/orders`);
  await page.waitForSelector('.desk tbody tr');
  return page;
}

const shown = (page: AppPage) =>
  page.evaluate<string[]>(
    `[...document.querySelectorAll('.desk tbody a')].map((each) => each.pathname.split('/').at(-1))`,
  );

test('an order of which only a comment is known could not be found', { timeout }, async () => {
  const item = { product_id: kitchen.productId, quantity: 1 };
  const carla = await placeOrder(api, kitchen, {
    ...{ identifier: 'Carla', channel: 'kiosk' },
    items: [{ ...item, comment: 'Sin cebolla' }],
  });
  const other = await placeOrder(api, kitchen, { identifier: 'Table 9' });
  const page = await orders();
  expect(await shown(page)).toEqual([other.id, carla.id]);
  await page.type('#text', 'CEBOLLA');
  await page.keyboard.press('Enter');
  await expect.poll(() => shown(page), patience).toEqual([carla.id]);
  await says(page, 'a text is looked for in at most 31 days');
  await page.click('.desk tbody a');
  await says(page, `Order ${carla.number}`);
  await page.waitForSelector('article.order');
  await page.evaluate('history.back()');
  // The same rows as before: the filter is kept with the page that one goes back to.
  await page.waitForSelector('.desk tbody tr');
  expect(await shown(page)).toEqual([carla.id]);
  expect(await page.evaluate('location.href')).not.toContain('CEBOLLA');
  expect(page.complaints).toEqual([]);
});

test('orders are narrowed by status, channel and day', { timeout }, async () => {
  const canceled = await placeOrder(api, kitchen, { channel: 'window' });
  const open = await placeOrder(api, kitchen, { channel: 'window' });
  await api.client().orders.cancel.mutate({ id: canceled.id });
  const page = await orders();
  await page.type('#channel', 'window');
  await page.keyboard.press('Enter');
  await expect.poll(() => shown(page), patience).toEqual([open.id, canceled.id]);
  await page.select('#shown', 'canceled');
  await expect.poll(() => shown(page), patience).toEqual([canceled.id]);
  await page.evaluate(`document.querySelector('#to').focus()`);
  await page.keyboard.type('01012020');
  await says(page, 'Nothing here');
  expect(page.complaints).toEqual([]);
});
