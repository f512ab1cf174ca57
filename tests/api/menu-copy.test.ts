import { describe, expect, it } from 'vitest';
import { MenuCopied } from '../../packages/api/src/resources/menus/copy.schema.ts';
import {
  createCategory,
  createKey,
  createLocation,
  createProduct,
  createSubselection,
} from '../support/factories.ts';
import { usePublishingApi } from '../support/published.ts';
import { parseStrict } from '../support/strict.ts';

const api = usePublishingApi();

/** A location with a key of it. */
async function place(name: string, more: { currency?: string } = {}) {
  const { database } = api.app;
  const locationId = await createLocation(database, { name, ...more });
  const { key } = await createKey(database, { locationId });
  return { database, locationId, key, client: api.client(key) };
}

type Place = Awaited<ReturnType<typeof place>>;

/** A location with two categories, a product in both with a choice, one in none, and a published menu. */
async function filled() {
  const from = await place('Cantina Aurora');
  const { database, locationId, client } = from;
  const at = { locationId };
  const drinks = await createCategory(database, { ...at, name: 'Drinks', externalId: 'D' });
  const hot = await createCategory(database, { ...at, name: 'Hot' });
  const espresso = await createProduct(database, {
    ...{ ...at, name: 'Espresso', externalId: 'E', price: 95, categoryIds: [drinks, hot] },
    stock: { enabled: true, quantity: 7 },
  });
  await client.products.update.mutate({ id: espresso, tax_rate: 22, image_url: 'https://x.test/e.png' });
  await createSubselection(database, { ...at, productId: espresso, items: [{ price: 2 }, { price: 3 }] });
  const tea = await createProduct(database, { ...at, name: 'Tea', price: 12.5 });
  const menu = await client.menus.create.mutate({ name: 'Winter', category_ids: [hot, drinks] });
  await client.menus.publish.mutate({ id: menu.id });
  return { ...from, drinks, hot, espresso, tea };
}

type Input = Omit<Parameters<Place['client']['menus']['copy']['mutate']>[0], 'from_key'>;
const copy = async (from: Place, to: Place, input: Input = {}) =>
  parseStrict(MenuCopied, await to.client.menus.copy.mutate({ from_key: from.key, ...input }));

/** All that a copy may write, without ids: as the documents show it. */
async function shown({ client, database, locationId }: Place) {
  const { categories } = await client.catalog.get.query();
  const { data: products } = await client.products.list.query({ limit: 200, include: ['tax'] });
  const menus = await database.prisma.menu.findMany({ where: { locationId } });
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
      ...{ from: { name: 'Cantina Aurora' }, to: { name: 'Bar Nuevo' } },
      ...{ created: 8, updated: 0, unchanged: 0, kept: 0 },
    });
    expect(await shown(to)).toEqual(await shown(from));
    const { data } = await to.client.products.list.query({ search: 'Espresso' });
    expect(data[0]?.stock).toMatchObject({ enabled: false, quantity: 0 });
    expect((await to.client.menus.getActive.query()).categories.map(({ name }) => name)).toEqual([
      'Hot',
      'Drinks',
    ]);
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
        ...{ type: 'product', names: ['Tea'], action: 'updated', matched_by: 'sku' },
        changes: [
          { field: 'price', before: 12.5, after: 13 },
          { field: 'categories', before: [], after: ['Hot'] },
        ],
      },
    ]);
    expect(await shown(to)).toEqual(was);
    await from.client.products.update.mutate({ id: from.tea, price: 14 });
    await expect(copy(from, to, { seen: looked.seen })).rejects.toMatchObject({
      data: { reason: 'changed_since' },
    });
    expect(await shown(to)).toEqual(was);
    const { seen } = await copy(from, to, { dry_run: true });
    await copy(from, to, { seen });
    expect(await shown(to)).toEqual(await shown(from));
  });

  it('finds what is there by its external_id, SKU or name, and keeps identifiers, stock and all that it has more', async () => {
    const from = await filled();
    const to = await place('Bar Viejo');
    const { database, locationId, client } = to;
    const drinks = await createCategory(database, { locationId, name: 'Bebidas', externalId: 'D' });
    const own = await createCategory(database, { locationId, name: 'Own' });
    const espresso = await createProduct(database, {
      ...{ locationId, name: 'Espresso', sku: 'own-sku', externalId: 'own', price: 80, categoryIds: [own] },
      stock: { enabled: true, quantity: 3 },
    });
    await createProduct(database, { locationId, name: 'Mate', sku: 'mate' });
    const menu = await client.menus.create.mutate({ name: 'Lunch', category_ids: [own] });
    await client.menus.publish.mutate({ id: menu.id });
    const result = await copy(from, to);
    expect(result.kept).toBe(3);
    expect(result.changes).toContainEqual(
      expect.objectContaining({ names: ['Espresso'], action: 'updated', matched_by: 'name' }),
    );
    expect((await client.categories.get.query({ id: drinks })).name).toBe('Drinks');
    expect(await client.products.get.query({ id: espresso })).toMatchObject({
      ...{ sku: 'own-sku', external_id: 'own', price: 95, stock: { enabled: true, quantity: 3 } },
    });
    const { categories } = await client.products.get.query({ id: espresso });
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
    expect(events.map(({ type }) => type).sort()).toEqual([
      'catalog.updated',
      'product.created',
      'product.created',
    ]);
    const { data: entries } = await to.client.audit.list.query({});
    expect(entries).toContainEqual(expect.objectContaining({ operation: 'menus.copy', by: 'test' }));
    const { data: products } = await to.client.products.list.query({});
    const about = await to.client.audit.list.query({ about: products[0]?.id ?? '' });
    expect(about.data.length).toBeGreaterThan(0);
  });

  it('refuses what it could not find again, a SKU of another product, and leaves all as it was', async () => {
    const from = await filled();
    const to = await place('Bar Nuevo');
    const { database } = api.app;
    const alike = await createCategory(database, { locationId: from.locationId, name: 'Hot' });
    await expect(copy(from, to)).rejects.toThrow(
      'several categories are called "Hot" and have no external_id',
    );
    await from.client.categories.update.mutate({ id: alike, external_id: 'hot 2' });
    await expect(copy(from, to)).rejects.toThrow('several categories are called "Hot"');
    await from.client.categories.update.mutate({ id: alike, name: 'Very hot' });
    const at = { locationId: to.locationId };
    const { sku } = await from.client.products.get.query({ id: from.tea });
    await createProduct(database, { ...at, name: 'Other', externalId: 'E', sku });
    await expect(copy(from, to)).rejects.toMatchObject({ data: { reason: 'sku_taken' } });
    expect((await to.client.products.list.query({})).pagination.total).toBe(1);
  });

  it('refuses a key that is none or may not read there, the same location, and another currency', async () => {
    const from = await filled();
    const to = await place('Bar Nuevo');
    const { database } = api.app;
    await expect(copy({ ...from, key: `${from.key}x` }, to)).rejects.toThrow(
      'from_key: must be a key that is valid here',
    );
    const { key } = await createKey(database, { locationId: from.locationId, permissions: ['menus:read'] });
    await expect(copy({ ...from, key }, to)).rejects.toThrow('from_key: lacks the permission catalog:read');
    await expect(copy(from, from)).rejects.toThrow('from_key: must be of another location');
    const euros = await place('Bar Europa', { currency: 'EUR' });
    await expect(copy(from, euros)).rejects.toThrow('the prices there are in USD, and here in EUR');
    const narrow = await createKey(database, { locationId: to.locationId, permissions: ['menus:write'] });
    await expect(copy(from, { ...to, client: api.client(narrow.key) })).rejects.toMatchObject({
      data: { reason: 'permission_missing' },
    });
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
