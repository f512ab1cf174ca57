import { expect, test } from 'vitest';
import { fill, press, says } from '../screens/actions.ts';
import { createSubselection } from '../support/factories.ts';
import { useOrderKitchen } from '../support/orders.ts';
import type { AppPage, sizes } from './app-page.ts';
import { expectClean, sizeNames, useDesk } from './desk-page.ts';

// The desk as it is drawn: nothing serious for axe, and no wider than the screen.

const { api, desk } = useDesk();
const kitchen = useOrderKitchen(api);

const restaurant = 'Restaurante con un nombre bastante largo, Ciudad Vieja';

/** A restaurant with a long name, and a row for each page of the desk. */
async function furnish(size: string) {
  await api.sql`update locations set name = ${restaurant} where id = ${api.locationId}`;
  const { number } = await kitchen.place();
  const categoryId = await api.make.category({ name: `Drinks ${size}` });
  const id = await api.make.product({ name: 'Tea', sku: size, price: 95, categoryIds: [categoryId] });
  for (let n = 0; n < 50; n += 1) await api.make.product({ name: `Product ${n} ${size}` });
  const there = await api.place({ location: { name: 'Cantina Aurora' } });
  await there.make.product({ name: `Tea ${size}`, price: 12.5 });
  const { key } = await there.make.key({ permissions: ['catalog:read', 'menus:read'] });
  return { number, categoryId, id, menuKey: key };
}

/** The pages that show rows with names that are long and have no space. */
async function furnishLong(size: string): Promise<string[]> {
  const name = `A name without a space ${'a'.repeat(60)} ${size}`;
  const id = await api.make.product({ name });
  await api.client().products.update.mutate({ id, name: 'a'.repeat(200) });
  const key = await api.make.key({ name, permissions: ['*'] });
  const methodId = await api.make.paymentMethod({ name });
  return [`products/${id}`, `keys/${key.id}`, 'keys', `payment-methods/${methodId}`, 'payment-methods'];
}

/** A settlement with an entry. */
async function settle(): Promise<string> {
  const { turns, payments } = api.client();
  await turns.getCurrent.query().catch(() => turns.open.mutate());
  await payments.complete.mutate({ id: (await kitchen.place()).payment.id });
  await turns.close.mutate({});
  const [row] = await api.sql`select id from settlements where location_id = ${api.locationId}
    and total_collected > 0 order by id desc limit 1`;
  return String(row?.id);
}

test.each(sizeNames)('every part and every form of the desk is clean for axe on a %s', async (size) => {
  const made = await furnish(size);
  const settlementId = await settle();
  const page = await desk('orders', { size, screens: ['board', 'day', 'desk'] });
  // Read off the menu, so that a part that joins is looked at, too.
  const parts = await page.evaluate<string[]>(
    `[...document.querySelectorAll('.desk nav a')].map(({ pathname }) => pathname.replace('/app/desk/', ''))`,
  );
  expect(parts.length).toBeGreaterThan(5);
  const look = async (part: string, value: string) => {
    await page.goto(`${api.url}/app/desk/${part}`);
    await page.until(
      `document.querySelector('.desk nav + *') !== null && !document.body.innerText.includes('Loading')`,
    );
    await expectClean(page, size, `${part}, ${value}`);
  };
  const rows = [`orders/${made.number}`, `products/${made.id}`, `turns/${settlementId}`];
  for (const value of ['light', 'dark']) {
    await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value }]);
    for (const part of [...rows, ...parts]) await look(part, value);
  }
  for (const state of [
    editOrder,
    unfoldProduct,
    pickPermissions,
    previewPrices,
    readFile,
    copyMenu,
    scroll,
  ]) {
    await state(page, made, size);
    await expectClean(page, size, state.name);
  }
  for (const part of await furnishLong(size)) await look(part, 'with a long name');
  expect(page.complaints).toEqual([]);
});

type Made = Awaited<ReturnType<typeof furnish>>;
type State = (page: AppPage, made: Made, size: keyof typeof sizes) => Promise<void>;

const editOrder: State = async (page, { number }) => {
  await page.goto(`${api.url}/app/desk/orders/${number}`);
  await press(page, 'Edit the order');
  await fill(page, 'Add a product', 'Tea');
  await page.keyboard.press('Enter');
  await press(page, '+ Tea');
  await says(page, '+ Tea: how many');
};

/** A product with all that its page can show, every part unfolded. */
const unfoldProduct: State = async (page, { id }, size) => {
  const { locationId, app } = api;
  await createSubselection(app.database, {
    ...{ locationId, productId: id, name: `Milk ${'m'.repeat(80)}`, minSelection: 3, maxSelection: 3 },
    items: [
      { name: `Oat ${'o'.repeat(80)}`, price: 12.5, max: 1 },
      { stockEnabled: true, max: 1 },
    ],
  });
  await api.client().products.update.mutate({ id, price: 110 });
  const plan = { effective_at: '2099-01-01T00:00:00Z', prices: [{ product_id: id, price: 130 }] };
  await api.client().priceChanges.create.mutate({ ...plan, idempotencyKey: `plan ${size}` });
  await page.goto(`${api.url}/app/desk/products/${id}`);
  await says(page, 'Price history');
  await says(page, 'needs at least 3');
  await page.evaluate(`for (const each of document.querySelectorAll('summary')) each.click()`);
  await says(page, 'Choose at least');
};

const pickPermissions: State = async (page) => {
  await page.goto(`${api.url}/app/desk/keys`);
  await page.waitForSelector('main form');
  await page.select('.desk form select', 'choice');
  await page.waitForSelector('fieldset');
};

const previewPrices: State = async (page, { categoryId }) => {
  await page.goto(`${api.url}/app/desk/categories/${categoryId}`);
  await fill(page, 'How much (less with −)', '10');
  await page.keyboard.press('Enter');
  await says(page, 'Prices before and after');
};

/** The difference of a file; it gets the focus. */
const readFile: State = async (page, _, size) => {
  await page.goto(`${api.url}/app/desk/products/csv`);
  await page.waitForSelector('input[type=file]');
  await expectClean(page, size, 'the files of products');
  const text = `sku,name,price\n${size},${'b'.repeat(200)},1`;
  await page.evaluate(`{
    const files = new DataTransfer();
    files.items.add(new File([${JSON.stringify(text)}], 'products.csv'));
    const input = document.querySelector('input[type=file]');
    input.files = files.files;
    input.dispatchEvent(new Event('change', { bubbles: true }));
  }`);
  await says(page, 'Changes of this file');
  await page.until(`document.activeElement.innerText.includes('changed')`);
  expect(await page.evaluate(`document.querySelectorAll('h1').length`)).toBe(1);
};

const copyMenu: State = async (page, { menuKey }) => {
  await page.goto(`${api.url}/app/desk/categories/copy`);
  await fill(page, 'Key of the other restaurant', menuKey);
  await press(page, 'Show the difference');
  await says(page, 'From Cantina Aurora');
};

/** The header with the name of the restaurant stays on the screen, on one line, and covers no element that has the focus. */
const scroll: State = async (page) => {
  await page.goto(`${api.url}/app/desk/products`);
  await page.until(`document.querySelectorAll('.desk tbody tr').length >= 50`);
  await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)');
  const [top, height, shown] = await page.evaluate<[number, number, string]>(
    `(() => { const place = document.querySelector('.place').getBoundingClientRect();
         const { top, height } = document.querySelector('header.bar').getBoundingClientRect();
         return [top, height, document.elementFromPoint(place.left + 20, place.top + place.height / 2).textContent]; })()`,
  );
  expect([top, shown]).toEqual([0, restaurant]);
  expect(height).toBeLessThan(60);
  await page.evaluate(`document.querySelector('.desk tbody tr a').focus()`);
  const focused = await page.evaluate<number>('document.activeElement.getBoundingClientRect().top');
  expect(focused).toBeGreaterThanOrEqual(height - 1);
};
