import { beforeAll, describe, expect, it } from 'vitest';
import { createCategory, createLocation, createProduct } from '../../../tests/support/factories.ts';
import { roleUrl } from '../../../tests/support/roles.ts';
import { useClosed } from '../../../tests/support/use.ts';
import { insertOrder, useWorkerKit } from '../../../tests/worker/kit.ts';
import { openStudioDatabase } from '../src/database.ts';
import { makeGrids } from '../src/grids.ts';
import { nameColumns } from '../src/layout.ts';
import type { StudioTable } from '../src/schema.ts';
import { findScope } from '../src/scope.ts';
import { openPage, type Page, type Row, valueFor } from './page.ts';

const kit = useWorkerKit();
const database = useClosed(() =>
  openStudioDatabase({ url: roleUrl(kit.url, 'admin'), name: 'ana', role: null, readOnly: false }),
);
let there: string;
let everywhere: Page;
let here: Page;
let tables: StudioTable[];

beforeAll(async () => {
  await kit.sql(`update locations set name = 'Bar Nuevo' where id = $1`, [kit.locationId]);
  there = await createLocation(kit.database, { name: 'Cantina Aurora' });
  for (const locationId of [kit.locationId, there]) {
    const categoryId = await createCategory(kit.database, { locationId, name: 'Coffee' });
    await createProduct(kit.database, {
      locationId,
      name: 'Espresso',
      price: 2,
      categoryIds: [categoryId],
      stock: { quantity: 3, minStockAlarm: 5 },
    });
    await insertOrder({ ...kit, locationId });
    await kit.createEndpoint({ url: 'http://127.0.0.1:9/hook', events: ['order.created'], locationId });
  }
  await kit.publish();
  everywhere = await openPage(makeGrids(database, null));
  here = await openPage(makeGrids(database, await findScope(database, 'bar nuevo')));
  tables = await database.tables();
});

describe('every grid', () => {
  it('is read, by each column, each filter and each kind of search', { timeout: 300_000 }, async () => {
    for (const { name, columns } of tables)
      for (const { name: column, datatype, ...kind } of columns) {
        // Sorted and compared as the database can: JSON is neither.
        const isJson = /json/.test(datatype);
        const filters = [
          ...(isJson
            ? []
            : [{ column, operator: '=', value: valueFor({ name: column, datatype, ...kind }) }]),
          { column, operator: 'is', value: null },
          { column, operator: 'is not', value: null },
          { column, operator: 'ilike', value: '%a%' },
        ];
        await here.rows(name, { filters, sort: isJson ? [] : [{ column, direction: 'desc' }] });
      }
    for (const { name } of tables)
      for (const search of ['Espresso', '12', 'true', '2026-11-27', '10:15', there])
        await here.rows(name, { search });
    expect(here.sent.length).toBeGreaterThan(200);
  });

  it('names the restaurant of each row, and every row that another has a name for', async () => {
    for (const { name, columns } of tables.filter((table) => table.name !== 'locations')) {
      const [first, ...more] = columns.map((column) => column.name);
      expect([name, first]).toEqual([name, 'restaurant']);
      const isView = columns.every(({ shows }) => shows === null);
      for (const { name: id, fk_table } of columns)
        if (!isView && id !== 'location_id' && nameColumns[fk_table ?? ''] !== undefined)
          expect(
            columns.some(({ shows }) => shows?.by === id),
            `${name}.${id} of ${more}`,
          ).toBe(true);
    }
    const [link] = await everywhere.rows('product_categories', {
      filters: [{ column: 'restaurant', operator: '=', value: 'Cantina Aurora' }],
    });
    expect(link).toMatchObject({ restaurant: 'Cantina Aurora', product: 'Espresso', category: 'Coffee' });
    expect(await everywhere.rows('payments', { search: 'Cantina' })).toMatchObject([
      { restaurant: 'Cantina Aurora', order: 1, payment_method: 'Cash', amount: '12.5' },
    ]);
  });

  it('shows the names of what was written, too, and writes no name', async () => {
    const [product] = await everywhere.rows('products', {
      filters: [{ column: 'restaurant', operator: '=', value: 'Cantina Aurora' }],
    });
    expect(await everywhere.update('products', product ?? {}, { price: 3 })).toMatchObject({
      restaurant: 'Cantina Aurora',
      name: 'Espresso',
      price: '3',
    });
    await expect(everywhere.update('products', product ?? {}, { restaurant: 'Bar' })).rejects.toThrow(
      /column "restaurant" of relation "products" does not exist/,
    );
    const [made] = await everywhere.insert('categories', [{ location_id: there, name: 'Tea' }]);
    expect(made).toMatchObject({ restaurant: 'Cantina Aurora', name: 'Tea' });
    await everywhere.remove('categories', [made ?? {}]);
    expect(await everywhere.rows('categories', { search: 'Tea' })).toEqual([]);
  });
});

describe('a Studio of one restaurant', () => {
  it('shows no row of another, for any query of the page', async () => {
    for (const { name } of tables) {
      const rows = await here.rows(name);
      expect([name, JSON.stringify(rows)]).not.toEqual([name, expect.stringContaining(there)]);
      expect(
        await here.rows(name, { filters: [{ column: placeOf(name), operator: '=', value: there }] }),
      ).toEqual([]);
    }
    expect(await here.rows('orders')).toHaveLength(1);
    expect(await everywhere.rows('orders')).toHaveLength(2);
    expect(await here.rows('locations')).toMatchObject([{ name: 'Bar Nuevo' }]);
  });

  it('changes and deletes none of another', async () => {
    const ofOthers = async () => {
      const found: Record<string, Row[]> = {};
      for (const { name } of tables)
        found[name] = (await everywhere.rows(name)).filter((row) => row[placeOf(name)] === there);
      return found;
    };
    const before = await ofOthers();
    expect(Object.values(before).filter((rows) => rows.length > 0).length).toBeGreaterThan(9);
    for (const [name, [row]] of Object.entries(before)) {
      if (row === undefined) continue;
      const column = 'name' in row ? 'name' : placeOf(name);
      await expect(here.update(name, row, { [column]: row[column] })).rejects.toThrow();
      // Of what another key chooses no row is left: it says nothing, as of rows that are gone.
      await here.remove(name, [row]).catch(() => {});
    }
    expect(await ofOthers()).toEqual(before);
  });

  it('adds a row there unasked, and none elsewhere', async () => {
    const [made] = await here.insert('categories', [{ name: 'Wine' }]);
    expect(made).toMatchObject({ restaurant: 'Bar Nuevo', location_id: kit.locationId });
    const [named] = await here.insert('categories', [{ name: 'Beer', location_id: kit.locationId }]);
    expect(named).toMatchObject({ restaurant: 'Bar Nuevo' });
    await expect(
      here.insert('categories', [
        { name: 'Rum', location_id: kit.locationId },
        { name: 'Gin', location_id: there },
      ]),
    ).rejects.toThrow(
      `categories.location_id: this Studio shows Bar Nuevo alone: leave it empty, or write ${kit.locationId}`,
    );
    await expect(here.insert('locations', [{ name: 'Third', timezone: 'UTC' }])).rejects.toThrow(
      'this Studio shows Bar Nuevo alone: comanda locations create makes another',
    );
    await expect(here.update('categories', made ?? {}, { location_id: there })).rejects.toThrow(
      'categories.location_id: this Studio shows Bar Nuevo alone, so it stays',
    );
  });

  it('is found by its id, its code or its name, and by no name that two have', async () => {
    const [{ code } = { code: '' }] = await kit.sql<{ code: string }>(
      'select code from locations where id = $1',
      [there],
    );
    for (const wanted of [there, there.toUpperCase(), code, 'cantina aurora', ' Cantina Aurora '])
      expect(await findScope(database, wanted)).toEqual({ id: there, name: 'Cantina Aurora' });
    await expect(findScope(database, 'Cantina')).rejects.toThrow(
      '--location: there is no location Cantina (comanda locations list)',
    );
    await createLocation(kit.database, { name: 'cantina aurora' });
    await expect(findScope(database, 'Cantina Aurora')).rejects.toThrow(
      /^--location: several are called \w+ \w+: say \w+ or \w+$/i,
    );
  });
});

const placeOf = (table: string): string => (table === 'locations' ? 'id' : 'location_id');
