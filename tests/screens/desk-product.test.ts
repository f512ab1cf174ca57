import { describe, expect, test } from 'vitest';
import { createSubselection } from '../support/factories.ts';
import { confirm, fill, press, says } from './actions.ts';
import { type AppPage, useDesk } from './app.ts';
import { setPermissions } from './session-keys.ts';

const { api, desk } = useDesk();

const now = (id: string) => api.client().products.get.query({ id });
const groupsOf = async (id: string) => (await api.client().subselections.list.query({ product_id: id })).data;

/** Opens the folded part whose title begins so. */
const unfold = async (page: AppPage, title: string) => {
  const find = `[...document.querySelectorAll('summary')].find((each) => each.textContent.startsWith('${title}'))`;
  await page.until(`${find} !== undefined`);
  await page.evaluate(`${find}.click()`);
};
const fieldOf = (label: string) =>
  `[...document.querySelectorAll('label')].find((each) => each.firstChild.textContent === '${label}').querySelector('input')`;
const typedIn = (page: AppPage, label: string) => page.evaluate<string>(`${fieldOf(label)}.value`);
const tick = (page: AppPage, label: string) =>
  page.evaluate(
    `[...document.querySelectorAll('label.check')].find((each) => each.textContent === '${label}').click()`,
  );
const shows = (page: AppPage, selector: string, text: string) =>
  page.until(`document.querySelector('${selector}')?.textContent.includes(${JSON.stringify(text)})`);

/** A product whose choice has options of these bounds, and its page. */
async function withGroup(
  name: string,
  minSelection: number,
  items: { name: string; stockEnabled?: boolean }[],
) {
  const id = await api.make.product({ name });
  const group = {
    locationId: api.locationId,
    productId: id,
    name: 'Milk',
    minSelection,
    maxSelection: 2,
    single: false,
  };
  const made = await createSubselection(api.app.database, {
    ...group,
    items: items.map((item) => ({ max: 1, price: 10, ...item })),
  });
  return { id, made };
}

describe('one form', () => {
  test('writes all sections with one Save', async () => {
    const id = await api.make.product({ name: 'Flan', price: 95, stock: { enabled: true, quantity: 4 } });
    const page = await desk(`products/${id}`);
    await fill(page, 'External id', 'FLAN-1');
    await fill(page, 'Price', '99,90');
    await fill(page, 'Left', '7');
    expect(
      await page.evaluate(`[...document.querySelectorAll('form.edit h3')].map((each) => each.textContent)`),
    ).toEqual(['Details', 'Price', 'Stock', 'Image']);
    await press(page, 'Save');
    await expect
      .poll(() => now(id))
      .toMatchObject({ price: 99.9, external_id: 'FLAN-1', stock: { quantity: 7 } });
    await page.until(`document.querySelector('form.edit .primary').disabled`);
    await page.evaluate(`${fieldOf('External id')}.focus(); ${fieldOf('External id')}.select()`);
    await page.keyboard.press('Backspace');
    await press(page, 'Save');
    await expect.poll(async () => (await now(id)).external_id).toBeUndefined();
    expect(page.complaints).toEqual([]);
  });

  test('a price is saved though its stock is refused, which stays typed', async () => {
    const id = await api.make.product({ name: 'Cake', price: 95, stock: { enabled: true, quantity: 4 } });
    const page = await desk(`products/${id}`);
    await fill(page, 'Price', '99,90');
    await fill(page, 'Left', '12');
    await api
      .client()
      .products.update.mutate({ id, stock: { enabled: true, quantity: 3, min_stock_alarm: 0 } });
    await press(page, 'Save');
    await says(page, 'Someone else changed it meanwhile.');
    await says(page, 'Now there: 3');
    expect(await now(id)).toMatchObject({ price: 99.9, stock: { quantity: 3 } });
    expect(await typedIn(page, 'Left')).toBe('12');
    expect(await typedIn(page, 'Price')).toBe('99.9');
    await press(page, 'Save');
    await expect.poll(async () => (await now(id)).stock.quantity).toBe(12);
  });

  test('a stock is saved though the price is refused, which stays typed', async () => {
    const id = await api.make.product({ name: 'Pie', price: 95, stock: { enabled: true, quantity: 4 } });
    const page = await desk(`products/${id}`);
    await fill(page, 'Price', '99,90');
    await fill(page, 'Left', '12');
    await api.client().products.update.mutate({ id, price: 80 });
    await press(page, 'Save');
    await says(page, 'Now there: 80');
    expect(await now(id)).toMatchObject({ price: 80, stock: { quantity: 12 } });
    expect(await typedIn(page, 'Price')).toBe('99,90');
    await press(page, 'Save');
    await expect.poll(async () => (await now(id)).price).toBe(99.9);
  });

  test('a picture is shown once its address is complete, and a broken one says so', async () => {
    const id = await api.make.product({ name: 'Pizza' });
    const page = await desk(`products/${id}`);
    await fill(page, 'Address of the image', 'pictures');
    await press(page, 'Save');
    expect(await page.evaluate(`document.querySelector('form.edit').checkValidity()`)).toBe(false);
    expect(await page.evaluate(`document.querySelector('.picture')`)).toBeNull();
    await fill(page, 'Address of the image', 'https://pictures.test/pizza.jpg');
    await page.until(`document.querySelector('.picture img')?.alt === 'Picture of Pizza'`);
    await press(page, 'Save');
    await expect.poll(async () => (await now(id)).image_url).toBe('https://pictures.test/pizza.jpg');
    await page.evaluate(`document.querySelector('.picture img').dispatchEvent(new Event('error'))`);
    await says(page, 'There is no picture at this address.');
    await fill(page, 'Address of the image', 'https://pictures.test/pizza.png');
    await page.until(`document.querySelector('.picture img')?.src === 'https://pictures.test/pizza.png'`);
    expect(page.complaints).toEqual([]);
  });
});

describe('options', () => {
  test('a group that no order can satisfy says so at its head and at the top of the page, until it is repaired', async () => {
    const { id } = await withGroup('Latte', 2, [{ name: 'Oat' }]);
    const page = await desk(`products/${id}`);
    const sentence = '“Milk” needs at least 2, and its options allow at most 1';
    await shows(page, '.unsold', sentence);
    await shows(page, '.group h4 .badge', 'cannot be ordered');
    await shows(page, '.group', sentence);
    await unfold(page, 'Add an option');
    await fill(page, 'Name of the option', 'Soy');
    await fill(page, 'Adds to the price', '12,5');
    await press(page, 'Add it');
    await page.until(`document.querySelector('.unsold') === null`);
    await page.until(`document.querySelector('.group .badge') === null`);
    await shows(page, '.group', 'Soy +$12.50');
    expect((await groupsOf(id))[0]?.items).toMatchObject([{ name: 'Oat' }, { name: 'Soy', price: 12.5 }]);
    expect(page.complaints).toEqual([]);
  });

  test('a group whose options are hidden or sold out just now says so', async () => {
    const { id } = await withGroup('Mocha', 1, [{ name: 'Oat' }, { name: 'Soy', stockEnabled: true }]);
    const page = await desk(`products/${id}`);
    await shows(page, '.group', 'sold out');
    expect(await page.evaluate(`document.querySelector('.unsold')`)).toBeNull();
    await unfold(page, 'Oat');
    await says(page, 'Shown to guests');
    await tick(page, 'Shown to guests');
    await press(page, 'Save');
    await shows(
      page,
      '.unsold',
      '“Milk” needs at least 1, and its options that are shown and in stock allow at most 0',
    );
    await shows(page, '.group h4 .badge', 'not just now');
    expect((await groupsOf(id))[0]?.items[0]?.visible).toBe(false);
  });

  test('an option and a group are edited in place, and what would make a group impossible is refused', async () => {
    const { id } = await withGroup('Cortado', 1, [{ name: 'Oat' }]);
    const page = await desk(`products/${id}`);
    await unfold(page, 'Oat');
    await fill(page, 'Adds to the price', '15');
    await press(page, 'Save');
    await shows(page, '.group', 'Oat +$15.00');
    await press(page, 'Remove Oat');
    await says(page, 'could not be satisfied by any order');
    await unfold(page, 'Edit the group');
    await fill(page, 'Choose at least', '3');
    await press(page, 'Save');
    await says(page, 'must not be more than max_selection');
    await fill(page, 'Choose at least', '0');
    await press(page, 'Save');
    await shows(page, '.group', 'Choose 0 to 2');
    await press(page, 'Remove Oat');
    await expect.poll(async () => (await groupsOf(id))[0]?.items).toEqual([]);
    await press(page, 'Remove the group Milk');
    await confirm(page);
    await expect.poll(() => groupsOf(id)).toEqual([]);
    await says(page, 'No options');
  });

  test('the stock of an option that another session changed meanwhile is not written over', async () => {
    const { id, made } = await withGroup('Macchiato', 0, [{ name: 'Oat', stockEnabled: true }]);
    const page = await desk(`products/${id}`);
    await unfold(page, 'Oat');
    const form = 'form[aria-label="Edit Oat"]';
    await page.waitForSelector(form);
    const left = `[...document.querySelectorAll('${form} label')].find((each) => each.firstChild.textContent === 'Left').querySelector('input')`;
    await page.evaluate(`${left}.focus(); ${left}.select()`);
    await page.keyboard.type('12');
    const stock = { enabled: true, quantity: 5 };
    await api.client().subselectionItems.update.mutate({ id: made.itemIds[0] ?? '', stock });
    await press(page, 'Save');
    await says(page, 'Now there: 5');
    expect((await groupsOf(id))[0]?.items[0]?.stock).toEqual(stock);
    await press(page, 'Save');
    await expect.poll(async () => (await groupsOf(id))[0]?.items[0]?.stock.quantity).toBe(12);
  });

  test('a group is made', async () => {
    const id = await api.make.product({ name: 'Ristretto' });
    const page = await desk(`products/${id}`);
    await unfold(page, 'New group of options');
    await fill(page, 'Name of the group', 'Size');
    await press(page, 'Make the group');
    await shows(page, '.group h4', 'Size');
    expect(await groupsOf(id)).toMatchObject([
      { name: 'Size', min_selection: 0, max_selection: 1, single: true },
    ]);
  });

  test('a person who may not change products reads them', async () => {
    const { id } = await withGroup('Lungo', 1, [{ name: 'Oat' }]);
    const page = await desk('products');
    await setPermissions(api, page, ['products:read', 'locations:read']);
    await page.goto(`${api.url}/app/desk/products/${id}`);
    await shows(page, '.group', 'Oat +$10.00');
    await says(page, 'No price is planned.');
    const left = `[...document.querySelectorAll('article button, article summary')].map((each) => each.textContent)`;
    expect(await page.evaluate(left)).toEqual([]);
    expect(await page.evaluate(`${fieldOf('Price')}.readOnly`)).toBe(true);
  });
});

describe('prices', () => {
  const plan = (productId: string, price: number, effective_at = '2099-01-01T10:00:00Z') =>
    api.client().priceChanges.create.mutate({
      effective_at,
      prices: [{ product_id: productId, price }],
      idempotencyKey: `${productId} ${price}`,
    });

  test('a price is planned for a moment, and the plan is canceled', async () => {
    const id = await api.make.product({ name: 'Tea', price: 95 });
    await plan(await api.make.product({ name: 'Other' }), 77);
    const page = await desk(`products/${id}`);
    await unfold(page, 'Plan a price');
    await fill(page, 'New price', '110,50');
    await fill(page, 'From (day and time)', '2099-01-31T21:00');
    await press(page, 'Plan it');
    await says(page, '$110.50');
    expect(await page.text()).not.toContain('$77.00');
    await shows(page, 'article table tbody', 'ana');
    const { data } = await api.client().priceChanges.list.query({ limit: 1 });
    expect(data[0]).toMatchObject({ status: 'planned', total_prices: 1 });
    expect(data[0]?.effective_at).toMatch(/^2099-01-31T21:00/);
    await press(page, 'Cancel $110.50');
    await says(page, 'No price is planned.');
    expect(await api.client().priceChanges.get.query({ id: data[0]?.id ?? '' })).toMatchObject({
      status: 'canceled',
    });
    // The same may be planned again.
    await fill(page, 'New price', '110,50');
    await fill(page, 'From (day and time)', '2099-01-31T21:00');
    await press(page, 'Plan it');
    await says(page, '$110.50');
    expect(page.complaints).toEqual([]);
  });

  test('a plan that has taken place meanwhile is not canceled', async () => {
    const id = await api.make.product({ name: 'Mate', price: 95 });
    const { id: planId } = await plan(id, 110);
    const page = await desk(`products/${id}`);
    await says(page, '$110.00');
    await api.sql`update price_changes set status = 'applied', ended_at = now() where id = ${planId}`;
    await press(page, 'Cancel $110.00');
    await says(page, 'It has taken place already.');
    await says(page, 'No price is planned.');
  });

  test('the history of a price is a plot, the planned ones dashed, and a table', async () => {
    const id = await api.make.product({ name: 'Espresso', price: 95 });
    for (const price of [110, 120]) await api.client().products.update.mutate({ id, price });
    await plan(id, 130);
    const page = await desk(`products/${id}`);
    await shows(page, 'figure figcaption', 'Price history: 2 changes, from $95.00 to $120.00.');
    await shows(page, '.ends', '$95.00');
    // The present price until the plan, the step, and the new one from then on.
    expect(await page.evaluate(`document.querySelectorAll('.prices .planned').length`)).toBe(3);
    await unfold(page, 'As a table');
    const cells = `[...document.querySelectorAll('figure tbody td')].map((each) => each.textContent)`;
    await page.until(`${cells}.length > 0`);
    expect(await page.evaluate(cells)).toEqual(['$95.00', '$110.00', '$120.00', '$130.00']);
    expect(
      await page.evaluate(`document.querySelector('figure tbody tr:last-child th').textContent`),
    ).toContain('planned');
    expect(page.complaints).toEqual([]);
  });
});
