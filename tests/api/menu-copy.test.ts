import { describe, expect, it } from 'vitest';
import { MenuCopied } from '../../packages/api/src/resources/menus/copy.schema.ts';
import { useSteppedApi } from '../support/published.ts';
import { parseStrict } from '../support/strict.ts';

const api = useSteppedApi();

/** A location with a key of it. */
async function place(name: string, more: { currency?: string } = {}) {
  const { client, ...made } = await api.place({ location: { name, ...more } });
  return { ...made, client: client() };
}

type Place = Awaited<ReturnType<typeof place>>;

/** A location with two categories, a product in both with a choice, one in none, and a published menu. */
async function filled() {
  const from = await place('Cantina Aurora');
  const { make, client } = from;
  const drinks = await make.category({ name: 'Drinks', externalId: 'D' });
  const hot = await make.category({ name: 'Hot' });
  const espresso = await make.product({
    name: 'Espresso',
    externalId: 'E',
    price: 95,
    categoryIds: [drinks, hot],
    stock: { enabled: true, quantity: 7 },
  });
  await client.products.update.mutate({ id: espresso, tax_rate: 22, image_url: 'https://x.test/e.png' });
  await make.subselection({ productId: espresso, items: [{ price: 2 }, { price: 3 }] });
  const tea = await make.product({ name: 'Tea', price: 12.5 });
  const menu = await client.menus.create.mutate({ name: 'Winter', category_ids: [hot, drinks] });
  await client.menus.publish.mutate({ id: menu.id });
  return { ...from, drinks, hot, espresso, tea };
}

type Input = Omit<Parameters<Place['client']['menus']['copy']['mutate']>[0], 'from_key'>;
const copy = async (from: Pick<Place, 'token'>, to: Pick<Place, 'client'>, input: Input = {}) =>
  parseStrict(MenuCopied, await to.client.menus.copy.mutate({ from_key: from.token, ...input }));

/** All that a copy may write, without ids: as the documents show it. */
async function shown({ client, prisma, locationId }: Place) {
  const { categories } = await client.catalog.get.query();
  const { data: products } = await client.products.list.query({ limit: 200, include: ['tax'] });
  const menus = await prisma.menu.findMany({ where: { locationId } });
  const withoutIds = JSON.stringify(
    { categories, products, menus: menus.map(({ name, isPublished }) => ({ name, isPublished })) },
    (name, value) => (name === 'id' || name === 'updated_at' || name === 'stock' ? undefined : value),
  );
  return JSON.parse(withoutIds);
}

describe('menus.copy', () => {
  it('gives a new location the whole menu, without stock, and changes nothing when it is repeated', async () => {
    const from = await filled();
    const to = await place('Bar Nuevo');
    const first = await copy(from, to);
    expect(first).toMatchObject({
      from: { name: 'Cantina Aurora' },
      to: { name: 'Bar Nuevo' },
      created: 8,
      updated: 0,
      unchanged: 0,
      kept: 0,
    });
    expect(await shown(to)).toEqual(await shown(from));
    const { data } = await to.client.products.list.query({ search: 'Espresso' });
    expect(data[0]?.stock).toMatchObject({ enabled: false, quantity: 0 });
    const { categories } = await to.client.menus.getActive.query();
    expect(categories.map(({ name }) => name)).toEqual(['Hot', 'Drinks']);
    const again = await copy(from, to);
    expect(again).toMatchObject({ created: 0, updated: 0, unchanged: 8, kept: 0, changes: [] });
    expect(await shown(to)).toEqual(await shown(from));
  });

  it('says the difference first, writes nothing then, and refuses another difference than was seen', async () => {
    const from = await filled();
    const to = await place('Bar Nuevo');
    await copy(from, to);
    const was = await shown(to);
    await from.client.products.update.mutate({ id: from.tea, price: 13, category_ids: [from.hot] });
    const looked = await copy(from, to, { dry_run: true });
    expect(looked.changes).toEqual([
      {
        type: 'product',
        names: ['Tea'],
        action: 'updated',
        matched_by: 'sku',
        changes: [
          { field: 'price', before: 12.5, after: 13 },
          { field: 'categories', before: [], after: ['Hot'] },
        ],
      },
    ]);
    expect(await shown(to)).toEqual(was);
    await from.client.products.update.mutate({ id: from.tea, price: 14 });
    const late = { data: { reason: 'changed_since' } };
    await expect(copy(from, to, { seen: looked.seen })).rejects.toMatchObject(late);
    expect(await shown(to)).toEqual(was);
    const { seen } = await copy(from, to, { dry_run: true });
    await copy(from, to, { seen });
    expect(await shown(to)).toEqual(await shown(from));
  });

  it('finds what is there by its external_id, SKU or name, and keeps identifiers, stock and all that it has more', async () => {
    const from = await filled();
    const to = await place('Bar Viejo');
    const { make, client } = to;
    const drinks = await make.category({ name: 'Bebidas', externalId: 'D' });
    const own = await make.category({ name: 'Own' });
    const stock = { enabled: true, quantity: 3 };
    const espresso = await make.product({
      name: 'Espresso',
      sku: 'own-sku',
      externalId: 'own',
      price: 80,
      categoryIds: [own],
      stock,
    });
    await make.product({ name: 'Mate', sku: 'mate' });
    const menu = await client.menus.create.mutate({ name: 'Lunch', category_ids: [own] });
    await client.menus.publish.mutate({ id: menu.id });
    const result = await copy(from, to);
    expect(result.kept).toBe(3);
    expect(result.changes).toContainEqual(
      expect.objectContaining({ names: ['Espresso'], action: 'updated', matched_by: 'name' }),
    );
    expect((await client.categories.get.query({ id: drinks })).name).toBe('Drinks');
    const { categories, ...copied } = await client.products.get.query({ id: espresso });
    expect(copied).toMatchObject({ sku: 'own-sku', external_id: 'own', price: 95, stock });
    expect(categories.map(({ name }) => name).sort()).toEqual(['Drinks', 'Hot', 'Own']);
    // The published menu there stays published.
    expect((await client.menus.getActive.query()).name).toBe('Lunch');
    expect(await copy(from, to)).toMatchObject({ created: 0, updated: 0 });
  });

  it('publishes what it makes and changes, and is in the audit and in the history of each row', async () => {
    const from = await filled();
    const to = await place('Bar Nuevo');
    await copy(from, to);
    await api.published();
    const { data: events } = await to.client.events.list.query({});
    const types = events.map(({ type }) => type).sort();
    expect(types).toEqual(['catalog.updated', 'product.created', 'product.created']);
    const { data: entries } = await to.client.audit.list.query({});
    expect(entries).toContainEqual(expect.objectContaining({ operation: 'menus.copy', by: 'test' }));
    const { data: products } = await to.client.products.list.query({});
    const about = await to.client.audit.list.query({ about: products[0]?.id ?? '' });
    expect(about.data.length).toBeGreaterThan(0);
  });

  it('refuses what it could not find again, a SKU of another product, and leaves all as it was', async () => {
    const from = await filled();
    const to = await place('Bar Nuevo');
    const alike = await from.make.category({ name: 'Hot' });
    const unclear = 'several categories are called "Hot" and have no external_id';
    await expect(copy(from, to)).rejects.toThrow(unclear);
    await from.client.categories.update.mutate({ id: alike, external_id: 'hot 2' });
    await expect(copy(from, to)).rejects.toThrow('several categories are called "Hot"');
    await from.client.categories.update.mutate({ id: alike, name: 'Very hot' });
    const { sku } = await from.client.products.get.query({ id: from.tea });
    await to.make.product({ name: 'Other', externalId: 'E', sku });
    await expect(copy(from, to)).rejects.toMatchObject({ data: { reason: 'sku_taken' } });
    expect((await to.client.products.list.query({})).pagination.total).toBe(1);
  });

  it('refuses a key that is none or may not read there, the same location, and another currency', async () => {
    const from = await filled();
    const to = await place('Bar Nuevo');
    const invalid = 'from_key: must be a key that is valid here';
    await expect(copy({ token: `${from.token}x` }, to)).rejects.toThrow(invalid);
    const { key: token } = await from.make.key({ permissions: ['menus:read'] });
    await expect(copy({ token }, to)).rejects.toThrow('from_key: lacks the permission catalog:read');
    await expect(copy(from, from)).rejects.toThrow('from_key: must be of another location');
    const euros = await place('Bar Europa', { currency: 'EUR' });
    await expect(copy(from, euros)).rejects.toThrow('the prices there are in USD, and here in EUR');
    const { key: narrow } = await to.make.key({ permissions: ['menus:write'] });
    const missing = { data: { reason: 'permission_missing' } };
    await expect(copy(from, { client: api.client(narrow) })).rejects.toMatchObject(missing);
    expect((await to.client.products.list.query({})).pagination.total).toBe(0);
  });

  it('copies a menu of 600 products, more than a batch of the key may hold', async () => {
    const from = await place('Large');
    const to = await place('Also large');
    await api.sql`insert into products (location_id, sku, name, price)
      select ${from.locationId}, 's' || n, 'Product ' || n, n from generate_series(1, 600) n`;
    expect(await copy(from, to)).toMatchObject({ created: 600, kept: 0 });
    expect(await copy(from, to)).toMatchObject({ created: 0, updated: 0, unchanged: 600 });
  });
});
