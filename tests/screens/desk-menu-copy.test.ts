import { expect, test } from 'vitest';
import { fill, press, says } from './actions.ts';
import { type AppPage, useDesk } from './app.ts';

const { api, desk } = useDesk();

/** Another restaurant with a tea of 12.50 in a category, a key that may read its menu, and the desk of this one on a phone. */
async function opened(language: 'en' | 'es' = 'en') {
  const there = await api.place({ location: { name: 'Cantina Aurora' } });
  const category = await there.make.category({ name: `Drinks ${language}` });
  const name = `Tea ${language}`;
  const teaId = await there.make.product({ name, price: 12.5, categoryIds: [category] });
  const { key } = await there.make.key({ permissions: ['catalog:read', 'menus:read'] });
  const page = await desk('categories', { language });
  return { page, key, name, teaId, there: there.client() };
}

const copied = async (name: string) => (await api.client().products.list.query({ search: name })).data;
const link = `a[href="/app/desk/categories/copy"]`;

async function follow(page: AppPage): Promise<void> {
  await page.until(`document.querySelector('${link}') !== null`);
  await page.evaluate(`document.querySelector('${link}').click()`);
}

test('the menu of another restaurant is shown as a difference, and copied as it was shown', async () => {
  const { page, key, name, teaId, there } = await opened();
  await follow(page);
  await fill(page, 'Key of the other restaurant', key);
  await page.keyboard.press('Enter');
  await says(page, 'From Cantina Aurora to Test Kitchen: 2 new, 0 changed, 0 as they are, ');
  // The focus is where the difference is.
  await page.until(`document.activeElement.ariaLabel === 'Difference'`);
  expect(await page.text()).toContain('price: 12.5');
  expect(await copied(name)).toEqual([]);
  // It changed since it was shown: nothing is written.
  await there.products.update.mutate({ id: teaId, price: 13 });
  await press(page, 'Copy the menu');
  await says(page, 'Someone else changed it meanwhile.');
  expect(await copied(name)).toEqual([]);
  await press(page, 'Show the difference');
  await press(page, 'Copy the menu');
  await says(page, '2 new, 0 changed.');
  expect(await copied(name)).toMatchObject([{ name, price: 13 }]);
  // The key is gone from the page, and was in no address or storage.
  expect(await page.evaluate(`document.querySelector('form input').value`)).toBe('');
  const kept = 'location.href + JSON.stringify([{ ...sessionStorage }, { ...localStorage }, history.state])';
  expect(await page.evaluate<string>(kept)).not.toContain(key);
  // While it reads again what the copy changed, it takes no second one.
  await page.until(`!document.querySelector('form button').disabled`);
  await fill(page, 'Key of the other restaurant', key);
  await page.keyboard.press('Enter');
  await says(page, 'Everything is here already.');
  const { data } = await api.client().audit.list.query({});
  expect(data).toContainEqual(expect.objectContaining({ operation: 'menus.copy', key_name: 'app: ana' }));
});

test('a key that may not be used for it is refused in a sentence', async () => {
  const { page } = await opened();
  await follow(page);
  await fill(page, 'Key of the other restaurant', api.key.key);
  await page.keyboard.press('Enter');
  await says(page, 'from_key: must be of another location');
  await fill(page, 'Key of the other restaurant', 'no key');
  await page.keyboard.press('Enter');
  await says(page, 'from_key: must be a key that is valid here');
  // The person stays signed in.
  expect(await page.text()).not.toContain('no longer signed in');
});

test('the copy speaks Spanish', async () => {
  const { page, key, name } = await opened('es');
  await follow(page);
  await fill(page, 'Clave del otro restaurante', key);
  await press(page, 'Mostrar la diferencia');
  await says(page, 'De Cantina Aurora a Test Kitchen: 2 nuevos,');
  await press(page, 'Copiar el menú');
  await says(page, '2 nuevos, 0 cambiados.');
  expect(await copied(name)).toHaveLength(1);
});
