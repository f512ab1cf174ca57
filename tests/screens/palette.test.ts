import { expect, test } from 'vitest';
import { useOrderKitchen } from '../support/orders.ts';
import { says } from './actions.ts';
import { type AppPage, useDesk } from './app.ts';

const { api, desk } = useDesk();
const kitchen = useOrderKitchen(api);

const options = `[...document.querySelectorAll('.palette [role=option]')]`;
const chosen = `document.querySelector('.palette [aria-selected=true] span')?.textContent`;

/** Opens the search by the keyboard, and types into it. */
async function search(page: AppPage, text: string): Promise<void> {
  await page.evaluate(
    `document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'k', ctrlKey: true, bubbles: true, cancelable: true }))`,
  );
  await page.waitForSelector('.palette input');
  await page.type('.palette input', text);
  await page.skip(200);
}

test('an order is found by its number, and opened by Enter', async () => {
  const { id, number } = await kitchen.place();
  const page = await desk('products');
  await search(page, `#${number}`);
  await page.until(`${chosen} === 'Order ${number}'`);
  await page.keyboard.press('Enter');
  await page.until(`location.pathname === '/app/desk/orders/${id}'`);
  await page.until(`document.querySelector('.palette') === null`);
  await page.until(`document.title === 'Order ${number} · Orders · Test Kitchen · Comanda'`);
  expect(page.complaints).toEqual([]);
});

test('a product is found by its SKU, and a page by its name without accents, with the arrows', async () => {
  const id = await api.make.product({ name: 'Chajá', sku: 'DE-77' });
  const page = await desk('orders', { language: 'es' });
  await search(page, 'de-77');
  await page.until(`${chosen} === 'Chajá'`);
  await page.keyboard.press('Enter');
  await page.until(`location.pathname === '/app/desk/products/${id}'`);
  await search(page, 'categorias');
  await page.until(`${chosen} === 'Categorías'`);
  await page.keyboard.press('Enter');
  await page.until(`location.pathname === '/app/desk/categories'`);
  await search(page, 'c');
  const second = await page.evaluate<string>(`${options}[1].querySelector('span').textContent`);
  await page.keyboard.press('ArrowDown');
  expect(await page.evaluate(chosen)).toBe(second);
});

test('what is not there is said, and nothing is found that the key may not open', async () => {
  const page = await desk('orders');
  await search(page, 'no such thing');
  await says(page, 'Nothing is called “no such thing”.');
});
