import { expect, test } from 'vitest';
import { fill, press, says } from './actions.ts';
import { type AppPage, useDesk } from './app.ts';

const { api, desk } = useDesk();

/** A category with an espresso of 95 and a tea of 12.50, and its page at the desk of a phone. */
async function opened(): Promise<{ page: AppPage; ids: string[] }> {
  const id = await api.make.category({ name: 'Drinks' });
  const ids: string[] = [];
  for (const [name, price] of [
    ['Espresso', 95],
    ['Tea', 12.5],
  ] as const)
    ids.push(await api.make.product({ name, price, categoryIds: [id] }));
  const page = await desk(`categories/${id}`);
  return { page, ids };
}

const pricesOf = (ids: string[]) =>
  Promise.all(ids.map(async (id) => (await api.client().products.get.query({ id })).price));

test('the prices of a category could be changed by SQL alone, without a preview', async () => {
  const { page, ids } = await opened();
  await fill(page, 'How much (less with −)', '10');
  await page.keyboard.press('Enter');
  await says(page, 'Prices before and after');
  // A user of the keyboard is at the difference.
  await page.until(`document.activeElement.tagName === 'SECTION'`);
  for (const text of ['104.50', '13.75']) expect(await page.text()).toContain(text);
  expect(await pricesOf(ids)).toEqual([95, 12.5]);
  await press(page, 'Write these prices');
  await says(page, '2 prices were changed.');
  expect(await pricesOf(ids)).toEqual([104.5, 13.75]);
  expect(page.complaints).toEqual([]);
});

test('prices that another session changed since they were shown are not written over', async () => {
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
  await expect.poll(() => pricesOf(ids)).toEqual([94.5, 7]);
});

test('the desk speaks Spanish', async () => {
  const { page } = await opened();
  await page.select('select.language', 'es');
  await says(page, 'Cambiar todos los precios');
});
