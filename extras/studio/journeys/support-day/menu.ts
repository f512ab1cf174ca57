import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { linkOf } from '../guide.ts';
import { type Case, type Day, idIn, shell, soon } from './day.ts';

/** A category with products of these names, at 95. */
async function category({ api }: Day, name: string, products: readonly string[]) {
  const id = await api.make.category({ name, externalId: name });
  const ids: string[] = [];
  for (const each of products)
    ids.push(await api.make.product({ name: each, externalId: each, price: 95, categoryIds: [id] }));
  return { id, ids, productId: ids[0] ?? '' };
}

/** Opens a product at the desk, found by a part of its name. */
async function openProduct({ desk }: Day, name: string) {
  await desk.follow('Products');
  await desk.type('Part of name, SKU or external id', name);
  await desk.enter();
  await desk.open(name);
}

/** The cases of the menu and its prices. */
export const menu: readonly Case[] = [
  {
    title: 'A product is sold out, or not for sale now. How is it taken off?',
    where: 'the desk',
    async carryOut(day) {
      const { client, desk } = day;
      const { productId: id } = await category(day, 'Cakes', ['Carrot cake']);
      const now = () => client.products.get.query({ id });
      await desk.follow('Products');
      await desk.type('Part of name, SKU or external id', 'carrot');
      await desk.enter();
      await desk.press('Mark as sold out', { row: 'Carrot cake' });
      await soon(async () => (await now()).stock).toMatchObject({ enabled: true, quantity: 0 });
      await desk.open('Carrot cake');
      await desk.type('Left', '12,5');
      await desk.press('Save');
      await soon(async () => (await now()).stock.quantity).toBe(12.5);
      await desk.tick('Shown on the menu');
      await desk.press('Save');
      await soon(async () => (await now()).visible).toBe(false);
    },
  },
  {
    title: 'A price is wrong. How is it corrected?',
    where: 'the desk',
    async carryOut(day) {
      const { productId: id } = await category(day, 'Coffees', ['Espresso doppio']);
      await openProduct(day, 'Espresso doppio');
      await day.desk.type('Price', '99,90');
      await day.desk.press('Save');
      await soon(async () => (await day.client.products.get.query({ id })).price).toBe(99.9);
    },
  },
  {
    title: 'A price is to change tomorrow. How is it planned?',
    where: 'the desk',
    async carryOut(day) {
      const { client, desk } = day;
      const { productId: id } = await category(day, 'Juices', ['Orange juice']);
      await openProduct(day, 'Orange juice');
      await desk.unfold('Plan a price');
      await desk.type('New price', '110,50');
      await desk.moment('From (day and time)', '2099-01-31', '0900PM');
      await desk.press('Plan it');
      await desk.sees('$110.50');
      const { data } = await client.priceChanges.list.query({ limit: 1 });
      const plan = await client.priceChanges.get.query({ id: data[0]?.id ?? '' });
      expect(plan.prices).toMatchObject([{ product_id: id, price: 110.5, status: 'planned' }]);
      expect(plan.effective_at).toMatch(/^2099-01-31T21:00/);
      expect(desk).toMatchObject({ clicks: 4, fields: 3 });
    },
  },
  {
    title: 'All prices of a category change. How are they written?',
    where: 'the desk',
    async carryOut(day) {
      const { client, desk } = day;
      const { ids } = await category(day, 'Teas', ['Green tea', 'Black tea']);
      await desk.follow('Categories');
      await desk.open('Teas');
      await desk.type('How much (less with −)', '10');
      await desk.press('Show the difference');
      await desk.sees('Prices before and after');
      await desk.sees('$104.50');
      await desk.press('Write these prices');
      await desk.sees('2 prices were changed.');
      for (const id of ids) expect((await client.products.get.query({ id })).price).toBe(104.5);
    },
  },
  {
    title: 'A product is in the wrong category. How is it moved?',
    where: 'the desk',
    async carryOut(day) {
      const { productId: id } = await category(day, 'Wines', ['Lemonade']);
      await category(day, 'Soft drinks', []);
      await openProduct(day, 'Lemonade');
      await day.desk.tick('Soft drinks', { isData: true });
      await day.desk.tick('Wines', { isData: true });
      await day.desk.press('Save');
      const names = async () =>
        (await day.client.products.get.query({ id })).categories.map(({ name }) => name);
      await soon(names).toEqual(['Soft drinks']);
    },
  },
  {
    title: 'Guests may choose an extra. How is an option added?',
    where: 'the desk',
    async carryOut(day) {
      const { client, desk } = day;
      const { productId: id } = await category(day, 'Milk drinks', ['Latte']);
      await openProduct(day, 'Latte');
      await desk.unfold('New group of options');
      await desk.type('Name of the group', 'Milk');
      await desk.type('Choose at most', '2');
      await desk.press('Make the group');
      await desk.unfold('Add an option');
      await desk.type('Name of the option', 'Oat');
      await desk.type('Adds to the price', '12,5');
      await desk.press('Add it');
      const groups = async () => (await client.subselections.list.query({ product_id: id })).data;
      await soon(async () => (await groups())[0]?.items.length).toBe(1);
      expect(await groups()).toMatchObject([
        { name: 'Milk', max_selection: 2, items: [{ name: 'Oat', price: 12.5 }] },
      ]);
      expect(desk).toMatchObject({ clicks: 6, fields: 5 });
    },
  },
  {
    title: 'A product has no picture. How is one set?',
    where: 'the desk',
    async carryOut(day) {
      const { api, client, desk } = day;
      const { productId: id } = await category(day, 'Pies', ['Apple pie']);
      await openProduct(day, 'Apple pie');
      await desk.type('Address of the image', `${api.url}/docs`);
      await desk.sees('There is no picture at this address.');
      await desk.press('Save');
      await soon(async () => (await client.products.get.query({ id })).image_url).toBe(`${api.url}/docs`);
      expect(desk).toMatchObject({ clicks: 3, fields: 2 });
    },
  },
  {
    title: 'A name is long, or has an emoji. Is it kept?',
    where: 'the desk',
    async carryOut(day) {
      const { client, consumer, desk } = day;
      const { productId: id } = await category(day, 'Ices', ['Ice']);
      const { url } = consumer;
      await client.webhookEndpoints.create.mutate({ url, events: ['product.updated'] });
      const name = `🍦 Ice ${'of a long name '.repeat(12)}é 😀`;
      expect([...name].length).toBeGreaterThan(180);
      await openProduct(day, 'Ice');
      await desk.type('Name', name);
      await desk.press('Save');
      await soon(async () => (await client.products.get.query({ id })).name).toBe(name);
      await soon(async () => consumer.received.some(({ text }) => text.includes(name))).toBe(true);
      await desk.follow('Products');
      await desk.sees(name);
    },
  },
  {
    title: 'A menu was published too early. How is it taken back?',
    where: 'Studio',
    async carryOut({ api, client, desk, studio, recipe }) {
      for (const name of ['Autumn', 'Winter']) {
        const { id } = await client.menus.create.mutate({ name });
        await client.menus.publish.mutate({ id });
      }
      const admin = await studio();
      const published = async (name: string, question: string) => {
        await soon(() => admin.column('name')).toContain(name);
        await admin.edit('is_published', (await admin.column('name')).indexOf(name));
        await admin.choose('mark');
        expect(await admin.save()).toContain(question);
        // The cell, its box, Save, and the answer; Enter opens the editor, and ends it.
        desk.clicks += 4;
        desk.enters += 2;
      };
      await admin.open(linkOf(recipe.title));
      await published('Winter', 'Winter is_published: true → false');
      await soon(async () => (await api.rest('GET /v2/menus/active')).status).toBe(404);
      await published('Autumn', 'Autumn is_published: false → true');
      await soon(async () => (await api.rest('GET /v2/menus/active')).text).toContain('Autumn');
    },
  },
  {
    title: 'A file has 5,000 products. How do they get in?',
    where: 'the command line',
    async carryOut(day) {
      const { folder, owner, api } = day;
      const rows = Array.from({ length: 5_000 }, (_, n) => `F-${n};Product ${n} of the file;${n % 90},50`);
      writeFileSync(join(folder, 'products.csv'), ['external_id;name;price', ...rows].join('\n'));
      await shell(day, 'curl', { folder });
      expect(await shell(day, '--dry-run', { folder })).toContain('5000 created');
      expect(await shell(day, '--yes', { folder })).toContain('5000 rows pushed');
      const there = `select count(*)::int, sum(price)::float from products where location_id = $1 and external_id ~ '^F-'`;
      const sum = rows.reduce((all, _, n) => all + (n % 90) + 0.5, 0);
      expect(await owner.sql(there, [api.locationId])).toEqual([{ count: 5_000, sum }]);
      // The next cases work with a menu of the usual size.
      await owner.sql(`delete from products where location_id = $1 and external_id ~ '^F-'`, [
        api.locationId,
      ]);
      await api.published();
    },
  },
  {
    title: 'A new restaurant gets the menu of another one. How is it copied?',
    where: 'the desk',
    async carryOut(day) {
      const { desk } = day;
      await category(day, 'Breakfast', ['Medialuna']);
      const given = { currency: 'USD' };
      const location = idIn(await shell(day, 'locations create', { given }));
      const link = await shell(day, 'app code', { given: { 'new restaurant': location } });
      await desk.follow('Keys');
      await desk.type('Name', 'Copy of the menu');
      await desk.choose('For', 'Permissions of your choice');
      for (const permission of ['Reads the whole catalog', 'Reads the menu']) await desk.tick(permission);
      await desk.press('Make a key');
      await desk.sees('The new key: Copy of the menu.');
      await desk.press('Copy');
      const key = await desk.page.evaluate<string>(`document.querySelector('.once output').textContent`);
      const there = await day.otherDesk(/code=([\w-]{41})/.exec(link)?.[1] ?? '');
      await there.follow('Categories');
      await there.follow('Copy the menu of another restaurant');
      await there.type('Key of the other restaurant', key);
      await there.press('Show the difference');
      await there.sees('Medialuna');
      await there.press('Copy the menu');
      await there.sees(' new, 0 changed.');
      const copied = `select name from products where location_id = $1 and name = 'Medialuna'`;
      expect(await day.owner.sql(copied, [location])).toEqual([{ name: 'Medialuna' }]);
      await there.page.close();
      await desk.page.bringToFront();
      await desk.press('Revoke', { row: 'Copy of the menu' });
      await desk.answer('Revoke');
      await soon(async () => (await day.api.rest('GET /v2/catalog', { key })).status).toBe(401);
    },
  },
  {
    title: 'Who changed this price?',
    where: 'the desk',
    async carryOut(day) {
      const { client, desk, hand } = day;
      const { productId: id } = await category(day, 'Sandwiches', ['Club sandwich']);
      await client.products.update.mutate({ id, price: 131 });
      const bob = await hand('bob');
      await bob.sql('update products set price = 132 where id = $1', [id]);
      await bob.close();
      await desk.follow('Audit');
      await desk.choose('Changes of', 'products');
      await desk.follow('Club sandwich', { isData: true });
      await desk.sees('History of changes');
      for (const change of ['from $95.00 to $131.00', 'from $131.00 to $132.00', 'bob'])
        await desk.sees(change);
    },
  },
];
