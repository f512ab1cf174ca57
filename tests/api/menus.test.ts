import { beforeEach, describe, expect, it } from 'vitest';
import { Menu } from '../../packages/api/src/resources/menus/schema.ts';
import { dataOf, refusalOf } from '../support/answers.ts';
import { useApi } from '../support/api.ts';
import { useNewPlace } from '../support/place.ts';

const api = useApi();
const site = useNewPlace(api);
let food: string;
let drinks: string;

beforeEach(async () => {
  food = await site.make.category({ name: 'Food' });
  drinks = await site.make.category({ name: 'Drinks' });
});

const active = () => site.rest('GET /v2/menus/active');
const menus = () => site.client().menus;

/** A published menu of both categories; its id. */
const published = async (category_ids = [food, drinks]) => {
  const { id } = await menus().create.mutate({ name: 'Winter', category_ids });
  await menus().publish.mutate({ id });
  return id;
};

const audited = () =>
  api.sql`select operation, resource_id, api_key_id, changes from audit_entries
    where location_id = ${site.locationId} order by id`;

describe('GET /v2/menus/active', () => {
  it('answers 404 when no menu is published', async () => {
    expect(refusalOf(await active(), 404, 'resource_not_found')).toBe('Active menu not found');
    await menus().create.mutate({ name: 'Winter' });
    refusalOf(await active(), 404, 'resource_not_found');
  });

  it('shows the published menu with its categories in their order', async () => {
    const id = await published([food, drinks, food]);
    expect(dataOf(await active(), 200, Menu)).toEqual({
      id,
      name: 'Winter',
      version: 1,
      is_published: true,
      categories: [
        { id: food, name: 'Food' },
        { id: drinks, name: 'Drinks' },
      ],
    });
    expect(await menus().getActive.query()).toEqual((await active()).body.data);
  });

  it('shows the menu of its own location alone, and no category that was deleted', async () => {
    await published();
    refusalOf(await api.rest('GET /v2/menus/active'), 404, 'resource_not_found');
    await api.prisma.category.delete({ where: { locationId_id: { locationId: site.locationId, id: food } } });
    expect(dataOf(await active(), 200, Menu).categories).toEqual([{ id: drinks, name: 'Drinks' }]);
  });

  it('leaves hidden categories out, which the catalog shows as hidden', async () => {
    const id = await published();
    await site.client().categories.update.mutate({ id: food, visible: false });
    expect(dataOf(await active(), 200, Menu).categories).toEqual([{ id: drinks, name: 'Drinks' }]);
    const { categories } = await site.client().catalog.get.query();
    expect(categories.map(({ name, visible }) => ({ name, visible }))).toEqual([
      { name: 'Drinks', visible: true },
      { name: 'Food', visible: false },
    ]);
    // The person who edits it sees all of them.
    expect((await menus().update.mutate({ id })).categories).toHaveLength(2);
  });
});

describe('menus.create and menus.update', () => {
  it('make and change a menu that is not published, and write down who did', async () => {
    const made = await menus().create.mutate({ name: 'Winter' });
    expect(made).toEqual({ id: made.id, name: 'Winter', version: 0, is_published: false, categories: [] });
    const { id } = made;
    const changed = await menus().update.mutate({ id, name: 'Summer', category_ids: [drinks, food] });
    expect(changed.categories.map(({ name }) => name)).toEqual(['Drinks', 'Food']);
    const narrowed = await menus().update.mutate({ id, category_ids: [food] });
    expect(narrowed).toMatchObject({ name: 'Summer', categories: [{ id: food }] });
    expect(await audited()).toMatchObject([
      { operation: 'menus.create', resource_id: id, api_key_id: site.key.id },
      { operation: 'menus.update', changes: { before: { name: 'Winter' }, after: { name: 'Summer' } } },
      { operation: 'menus.update' },
    ]);
  });

  it('change nothing and write nothing down when nothing differs', async () => {
    const made = await menus().create.mutate({ name: 'Winter', category_ids: [food] });
    for (const input of [{}, { name: 'Winter' }, { category_ids: [food] }])
      expect(await menus().update.mutate({ id: made.id, ...input })).toEqual(made);
    expect(await audited()).toHaveLength(1);
  });

  it('name the unknown categories of a refused list', async () => {
    const foreign = await api.make.category();
    const refused = { data: { code: 'validation_error', httpStatus: 422 } };
    const wrong = menus().create.mutate({ name: 'Winter', category_ids: [food, foreign, 'x'] });
    const message = 'category_ids[1]: unknown category; category_ids[2]: unknown category';
    await expect(wrong).rejects.toMatchObject({ ...refused, message });
    await expect(menus().create.mutate({ name: '' })).rejects.toMatchObject(refused);
    expect(await audited()).toEqual([]);
  });
});

describe('a published menu that changes', () => {
  const publications = async () => {
    const rows = await api.sql<
      Record<'n', number>
    >`select count(distinct seed)::int as n from internal.captured_changes
      where location_id = ${site.locationId} and resource = 'catalog' and operation = 'publish'`;
    return rows[0]?.n;
  };
  const sql = (text: string, ...values: unknown[]) => api.pool.query(text, values);

  it.each<[string, (id: string) => Promise<unknown>]>([
    ['by its name', (id) => menus().update.mutate({ id, name: 'Summer' })],
    ['by its categories', (id) => menus().update.mutate({ id, category_ids: [drinks] })],
    ['by both at once', (id) => menus().update.mutate({ id, name: 'Summer', category_ids: [drinks, food] })],
    ['by the name of a category', () => site.client().categories.update.mutate({ id: food, name: 'Meals' })],
    ['by hiding a category', () => site.client().categories.update.mutate({ id: food, visible: false })],
    ['by the deletion of a category', () => site.client().categories.delete.mutate({ id: food })],
    ['by hand', (id) => sql(`update menus set name = 'By hand' where id = $1`, id)],
    ['by links taken away by hand', (id) => sql('delete from menu_categories where menu_id = $1', id)],
  ])('%s gets one new version, and is published', async (_, change) => {
    const id = await published();
    const before = await publications();
    await change(id);
    expect(dataOf(await active(), 200, Menu)).toMatchObject({ id, version: 2 });
    expect(await publications()).toBe((before ?? 0) + 1);
  });

  it('keeps its version when nothing of it changes, or it is not published', async () => {
    const { id } = await menus().create.mutate({ name: 'Winter', category_ids: [food, drinks] });
    await menus().update.mutate({ id, name: 'Summer', category_ids: [drinks] });
    await menus().publish.mutate({ id });
    const before = await publications();
    await menus().update.mutate({ id, name: 'Summer', category_ids: [drinks] });
    await site.client().categories.update.mutate({ id: food, name: 'Not in it' });
    await site.client().categories.update.mutate({ id: drinks, priority: 9 });
    expect(dataOf(await active(), 200, Menu).version).toBe(1);
    expect(await publications()).toBe(before);
  });
});

describe('menus.publish', () => {
  it('counts the version up at each publication and takes the other one back', async () => {
    const [first, second] = await Promise.all(
      ['First', 'Second'].map((name) => menus().create.mutate({ name })),
    );
    const publish = async (menu: Menu | undefined) => menus().publish.mutate({ id: menu?.id ?? '' });
    expect(await publish(first)).toMatchObject({ version: 1, is_published: true });
    expect(await publish(second)).toMatchObject({ name: 'Second', version: 1, is_published: true });
    expect(await publish(first)).toMatchObject({ version: 2, is_published: true });
    expect(await publish(first)).toMatchObject({ version: 3 });
    expect(dataOf(await active(), 200, Menu)).toMatchObject({ name: 'First', version: 3 });
    const rows = await api.sql`select name from menus
      where location_id = ${site.locationId} and is_published`;
    expect(rows).toEqual([{ name: 'First' }]);
    expect((await audited()).filter(({ operation }) => operation === 'menus.publish')).toHaveLength(4);
  });

  it('leaves exactly one published, in any race', async () => {
    const made = await Promise.all([1, 2, 3, 4].map((n) => menus().create.mutate({ name: `M${n}` })));
    const races = made.flatMap(({ id }) => [1, 2, 3].map(() => menus().publish.mutate({ id })));
    const fresh = menus()
      .create.mutate({ name: 'New' })
      .then(({ id }) => menus().publish.mutate({ id }));
    for (const menu of await Promise.all([...races, fresh])) expect(menu.is_published).toBe(true);
    const all = await api.prisma.menu.findMany({ where: { locationId: site.locationId } });
    expect(all.filter(({ isPublished }) => isPublished)).toHaveLength(1);
    expect(all.map(({ version }) => version).sort()).toEqual([1, 3, 3, 3, 3]);
  });
});

it('catalog.publish is captured for catalog.updated and written down, though nothing changed', async () => {
  await api.sql('delete from internal.captured_changes');
  const { published_at } = await site.client().catalog.publish.mutate();
  const rows = await api.sql`select location_id, resource, resource_ids, operation
    from internal.captured_changes`;
  const { locationId } = site;
  expect(rows).toEqual([
    { location_id: locationId, resource: 'catalog', resource_ids: [locationId], operation: 'publish' },
  ]);
  expect(published_at).toBe((await site.client().catalog.get.query()).version);
  expect(await audited()).toMatchObject([{ operation: 'catalog.publish', resource_id: site.locationId }]);
});
