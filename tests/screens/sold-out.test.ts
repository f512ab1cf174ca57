import { expect, test } from 'vitest';
import { type AppPage, useBoards } from './app.ts';
import { live } from './board-page.ts';
import { setPermissions } from './session-keys.ts';

// A product that is marked on the board is refused in every order, and sold again later.

const { api, opened, place, link } = useBoards();

/** As a key does, so that no press is taken for the end of the one before. */
const pressNamed = async (page: AppPage, name: string) => {
  const button = `document.querySelector('.dialog button[aria-label="${name}"]')`;
  await page.until(`${button} !== null && !${button}.disabled`);
  await page.evaluate(`${button}.click()`);
};

/** Opens the list of what is sold out. */
const showList = async (page: AppPage) => {
  await page.until(live);
  await page.waitForSelector('.sold-out-button');
  await page.click('.sold-out-button');
  await page.waitForSelector('.dialog input[type=search]');
};

test.each([
  ['en', 'Mark as sold out', 'Sell again'],
  ['es', 'Marcar agotado', 'Volver a vender'],
])('in %s a product is marked sold out and sold again', async (language, mark, again) => {
  const name = `Salmon ${language}`;
  const productId = await api.make.product({ name });
  const order = () => place({ items: [{ product_id: productId, quantity: 1 }] });
  const page = await opened({ language });
  await showList(page);
  await page.type('.dialog input[type=search]', name);
  await pressNamed(page, `${mark}: ${name}`);
  await page.until(`document.querySelector('.sold-out-now')?.innerText.includes('${name}')`);
  await expect(order()).rejects.toThrow();
  // Without a number it is not counted any more.
  await pressNamed(page, `${again}: ${name}`);
  await page.until(`!document.querySelector('.sold-out-now')?.innerText.includes('${name}')`);
  await order();
  expect(await api.client().products.get.query({ id: productId })).toMatchObject({
    stock: { enabled: false },
  });
  await pressNamed(page, `${mark}: ${name}`);
  await page.waitForSelector(`.sold-out-now input[aria-label*="${name}"]`);
  await page.type(`.sold-out-now input[aria-label*="${name}"]`, '1');
  await pressNamed(page, `${again}: ${name}`);
  await page.until(`!document.querySelector('.sold-out-now')?.innerText.includes('${name}')`);
  await order();
  await expect(order()).rejects.toThrow();
  // Orders took the last one: it is sold out by itself.
  await page.until(`document.querySelector('.sold-out-now')?.innerText.includes('${name}')`);
  expect(page.complaints).toEqual([]);
});

test('a session of the board alone did not hear what sold out while its list was open', async () => {
  const name = 'Last bun';
  const id = await api.make.product({ name, stock: { enabled: true, quantity: 1 } });
  const page = await opened({}, await link({ screens: ['board'] }));
  await showList(page);
  await place({ items: [{ product_id: id, quantity: 1 }] });
  await page.until(`document.querySelector('.sold-out-now')?.innerText.includes('${name}')`);
});

test('two presses at one place mark one product', async () => {
  for (const name of ['Twin A', 'Twin B']) await api.make.product({ name });
  const page = await opened();
  await showList(page);
  await page.type('.dialog input[type=search]', 'Twin');
  await page.until(`document.querySelectorAll('.sold-out-found li').length === 2`);
  await page.evaluate(`document.querySelectorAll('.sold-out-found button').forEach((button) =>
    button.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true, detail: 1 })))`);
  await page.until(`document.querySelectorAll('.sold-out-found li').length === 1`);
  const { data } = await api.client().products.list.query({ search: 'Twin' });
  expect(data.map(({ stock }) => stock.enabled)).toEqual([true, false]);
});

test('a key that may not set stock sees no button for it', async () => {
  const page = await opened();
  await page.until(live);
  await page.waitForSelector('.sold-out-button');
  await setPermissions(api, page, ['orders:read', 'orders:write', 'events:read']);
  await page.goto(`${api.url}/app/board`);
  await page.until(live);
  await page.until(`document.querySelector('.board') !== null`);
  expect(await page.evaluate(`document.querySelector('.sold-out-button')`)).toBe(null);
});
