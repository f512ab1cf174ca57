import { expect, test } from 'vitest';
import { openHand } from '../support/by-hand.ts';
import { says } from './actions.ts';
import { useDesk } from './app.ts';

const { api, desk } = useDesk();

test('a price that a program changed was found at the desk only by the name of the program', async () => {
  const id = await api.make.product({ name: 'Espresso', price: 95 });
  const other = await api.make.product({ name: 'Tea', price: 95 });
  await api.client().products.update.mutate({ id, price: 131 });
  const bob = await openHand(api.databaseUrl, 'admin');
  await bob.sql(`set application_name = 'bob'`);
  await bob.sql('update products set price = 90 where id = $1', [other]);
  await bob.sql(`update locations set timezone = 'Europe/Lisbon' where id = $1`, [api.locationId]);
  await bob.close();
  const page = await desk('audit');
  await says(page, 'Europe/Lisbon');
  expect(await page.text()).not.toContain('price: 95 → 131');
  await page.select('.desk search select', 'products');
  await says(page, 'price: 95 → 131');
  await says(page, 'price: 95 → 90');
  expect(await page.text()).not.toContain('Europe/Lisbon');
  await page.type('.desk search input', 'bob');
  await page.until(`document.querySelectorAll('.desk tbody tr').length === 1`);
  expect(await page.text()).not.toContain('price: 95 → 131');
  await page.evaluate(`document.querySelector('.desk tbody strong a').click()`);
  await says(page, 'History of changes');
  await page.evaluate('history.back()');
  // The same rows as before: the filter is kept with the page that one goes back to.
  await page.until(`document.querySelector('.desk search select')?.value === 'products'`);
  expect(await page.evaluate(`document.querySelector('.desk search input').value`)).toBe('bob');
  expect(page.complaints).toEqual([]);
});
