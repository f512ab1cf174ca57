import { expect, test } from 'vitest';
import { openHand } from '../support/by-hand.ts';
import { press, says, sentences } from './actions.ts';
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
  expect(await sentences(page)).toContain(
    'bob changed the time zone of Test Kitchen from “UTC” to “Europe/Lisbon”',
  );
  expect(await page.text()).not.toContain('from $95.00 to $131.00');
  await page.select('.desk search select', 'products');
  await says(page, 'from $95.00 to $131.00');
  await says(page, 'from $95.00 to $90.00');
  expect(await page.text()).not.toContain('Europe/Lisbon');
  await page.type('.desk search input', 'bob');
  await page.until(`document.querySelectorAll('.desk tbody tr').length === 1`);
  expect(await page.text()).not.toContain('from $95.00 to $131.00');
  await page.evaluate(`document.querySelector('.desk tbody strong a').click()`);
  await says(page, 'History of changes');
  await page.evaluate('history.back()');
  // The same rows as before: the filter is kept with the page that one goes back to.
  await page.until(`document.querySelector('.desk search select')?.value === 'products'`);
  expect(await page.evaluate(`document.querySelector('.desk search input').value`)).toBe('bob');
  expect(page.complaints).toEqual([]);
});

test('an edit by hand and a call of a program are one sentence each, in both languages', async () => {
  const id = await api.make.product({ name: 'Flat white', price: 120 });
  const method = await api.client().paymentMethods.create.mutate({ name: 'Pix', type: 'qr' });
  await api.client().paymentMethods.update.mutate({ id: method.id, enabled: false });
  const ana = await openHand(api.databaseUrl, 'admin');
  await ana.sql(`set application_name = 'ana'`);
  await ana.sql('update products set price = 130 where id = $1', [id]);
  await ana.sql(`update products set visible = false, description = 'Hot' where id = $1`, [id]);
  await ana.close();
  const page = await desk('audit');
  await says(page, 'Flat white');
  const of = (all: string[], start: string) => all.find((each) => each.startsWith(start));
  const shown = await sentences(page);
  const one = 'ana changed the price of Flat white from $120.00 to $130.00';
  expect(shown).toContain(one);
  const several = of(shown, 'ana changed the product');
  expect(several).toContain('ana changed the product Flat white:');
  expect(several).toContain('the description from nothing to “Hot”');
  expect(several).toContain('the visibility on the menu from yes to no');
  expect(shown).toContainEqual(
    expect.stringMatching(/ changed the payment method Pix: *the availability from yes to no$/),
  );
  expect(shown).toContainEqual(expect.stringMatching(/ made the payment method Pix: *the name “Pix”/));
  expect(shown).toContainEqual(expect.stringContaining('Someone at the command line made a sign-in link'));
  const row = `[...document.querySelectorAll('tbody tr')].find((each) => each.textContent.includes('Flat white'))`;
  expect(await page.evaluate(`${row}.querySelector('small.row-id').textContent.trim()`)).toBe(id);
  // The name leads to the page of the product, whose history has the same sentences.
  await page.evaluate(`${row}.querySelector('strong a').click()`);
  await says(page, 'History of changes');
  await page.until(`document.querySelectorAll('tbody td:nth-of-type(1)').length >= 2`);
  expect((await sentences(page)).slice(0, 2)).toEqual([several, one]);
  const spanish = await desk('audit', { language: 'es' });
  await says(spanish, 'Flat white');
  const enEspanol = await sentences(spanish);
  expect(enEspanol).toContainEqual(
    expect.stringMatching(/^ana cambió el precio de Flat white de 120,00.\$ a 130,00.\$$/),
  );
  expect(enEspanol).toContainEqual(expect.stringContaining(' creó el medio de pago Pix'));
  expect(await spanish.text()).not.toMatch(/[{}[\]]|products|paymentMethods/);
  expect(page.complaints).toEqual([]);
});

test('an edit of 111 rows is one entry, which unfolds by name and is undone in one go', async () => {
  const names = Array.from({ length: 111 }, (_, at) => `Bulk ${at + 1}`);
  await api.sql(
    `insert into products (location_id, sku, name, price) select $1, each, each, 10 from unnest($2::text[]) each`,
    [api.locationId, names],
  );
  const hand = await openHand(api.databaseUrl, 'admin');
  await hand.sql(`set application_name = 'carla'`);
  await hand.sql(`update products set price = 12 where name like 'Bulk %'`);
  const page = await desk('audit');
  await says(page, 'changed the price of 111 products');
  expect(await sentences(page)).toContain('carla changed the price of 111 products');
  expect(await page.evaluate(`document.querySelectorAll('.desk details li').length`)).toBe(0);
  await page.evaluate(`document.querySelector('.desk tbody summary').click()`);
  await page.until(`/^Bulk \\d+ /.test(document.querySelector('.desk details li')?.textContent ?? '')`);
  await says(page, 'the price from $10.00 to $12.00');
  expect(await page.evaluate(`document.querySelectorAll('.desk details li').length`)).toBe(101);
  await says(page, 'and 11 more');
  await press(page, 'Undo…');
  await says(page, '111 rows would be written:');
  await press(page, 'Undo it');
  const prices = () =>
    api.sql`select price::int, count(*)::int from products where name like 'Bulk %' group by 1`;
  await expect.poll(prices).toEqual([{ price: 10, count: 111 }]);
  await says(page, 'undid an earlier change');
  // What was changed since keeps its value, and so does everything else of that edit.
  await hand.sql(`update products set price = 12 where name like 'Bulk %'`);
  const later = await desk('audit');
  await says(later, 'changed the price of 111 products');
  await hand.sql(`update products set price = 13 where name = 'Bulk 7'`);
  await hand.close();
  await press(later, 'Undo…');
  await later.until(`document.querySelector('.notice') !== null`);
  expect(await prices()).toHaveLength(2);
});
