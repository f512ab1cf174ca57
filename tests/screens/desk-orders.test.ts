import { expect, test } from 'vitest';
import { useOrderKitchen } from '../support/orders.ts';
import { says } from './actions.ts';
import { type AppPage, useDesk } from './app.ts';

const { api, desk } = useDesk();
const kitchen = useOrderKitchen(api);

async function orders(): Promise<AppPage> {
  const page = await desk('orders');
  await page.waitForSelector('.desk tbody tr');
  return page;
}

const shown = (page: AppPage) =>
  page.evaluate<string[]>(
    `[...document.querySelectorAll('.desk tbody a')].map((each) => each.pathname.split('/').at(-1))`,
  );

test('an order of which only a comment is known could not be found', async () => {
  const item = { product_id: kitchen.productId, quantity: 1 };
  const carla = await kitchen.place({
    identifier: 'Carla',
    channel: 'kiosk',
    items: [{ ...item, comment: 'Sin cebolla' }],
  });
  const other = await kitchen.place({ identifier: 'Table 9' });
  const page = await orders();
  expect((await shown(page)).slice(0, 2)).toEqual([other.id, carla.id]);
  await page.type('#text', 'CEBOLLA');
  await page.keyboard.press('Enter');
  await expect.poll(() => shown(page)).toEqual([carla.id]);
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

test('orders are narrowed by status, channel and day', async () => {
  const canceled = await kitchen.place({ channel: 'window' });
  const open = await kitchen.place({ channel: 'window' });
  await api.client().orders.cancel.mutate({ id: canceled.id });
  const page = await orders();
  await page.type('#channel', 'window');
  await page.keyboard.press('Enter');
  await expect.poll(() => shown(page)).toEqual([open.id, canceled.id]);
  await page.select('#shown', 'canceled');
  await expect.poll(() => shown(page)).toEqual([canceled.id]);
  await page.evaluate(`document.querySelector('#to').focus()`);
  await page.keyboard.type('01012020');
  await says(page, 'Nothing here');
  expect(page.complaints).toEqual([]);
});
