import { expect, test } from 'vitest';
import { createCategory, createProduct } from '../support/factories.ts';
import { usePublishingApi } from '../support/published.ts';
import type { AppPage } from './app-page.ts';
import { seriousFindings, useBrowser } from './browser.ts';
import { fill, openDesk, press, says } from './desk-page.ts';

const api = usePublishingApi(undefined, { app: 'on' });
const browser = useBrowser();

const patience = { timeout: 20_000 };

/** A category with an espresso of 95 and a tea of 12.50, and its page at the desk of a phone. */
async function opened(): Promise<{ page: AppPage; ids: string[] }> {
  const { database } = api.app;
  const { locationId } = api;
  const id = await createCategory(database, { locationId, name: 'Drinks' });
  const ids: string[] = [];
  for (const [name, price] of [
    ['Espresso', 95],
    ['Tea', 12.5],
  ] as const)
    ids.push(await createProduct(database, { locationId, name, price, categoryIds: [id] }));
  const page = await openDesk(browser, api, `categories/${id}`, { size: 'phone' });
  return { page, ids };
}

const pricesOf = (ids: string[]) =>
  Promise.all(ids.map(async (id) => (await api.client().products.get.query({ id })).price));

test('the prices of a category could be changed by SQL alone, without a preview', {
  timeout: 60_000,
}, async () => {
  const { page, ids } = await opened();
  await fill(page, 'How much (less with −)', '10');
  await page.keyboard.press('Enter');
  await says(page, 'Prices before and after');
  // A user of the keyboard is at the difference.
  expect(await page.evaluate('document.activeElement.tagName')).toBe('SECTION');
  for (const text of ['104.50', '13.75']) expect(await page.text()).toContain(text);
  expect(await pricesOf(ids)).toEqual([95, 12.5]);
  expect(await seriousFindings(page)).toEqual([]);
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
  await press(page, 'Write these prices');
  await says(page, '2 prices were changed.');
  expect(await pricesOf(ids)).toEqual([104.5, 13.75]);
  expect(page.complaints).toEqual([]);
  await page.close();
});

test('prices that another session changed since they were shown are not written over', {
  timeout: 60_000,
}, async () => {
  const { page, ids } = await opened();
  await fill(page, 'How much (less with −)', '−5,50');
  await page.select('form[aria-label="Change all prices"] select', 'amount');
  await page.evaluate(`document.querySelector('form[aria-label="Change all prices"]').requestSubmit()`);
  await says(page, 'Prices before and after');
  await api.client().products.update.mutate({ id: ids[0] ?? '', price: 100 });
  await press(page, 'Write these prices');
  await says(page, 'Someone else changed it meanwhile.');
  expect(await pricesOf(ids)).toEqual([100, 12.5]);
  await press(page, 'Show the difference');
  await press(page, 'Write these prices');
  await expect.poll(() => pricesOf(ids), patience).toEqual([94.5, 7]);
  await page.close();
});

test('the desk speaks Spanish', { timeout: 60_000 }, async () => {
  const { page } = await opened();
  await page.select('select.language', 'es');
  await says(page, 'Cambiar todos los precios');
  await page.close();
});
