import { expect } from 'vitest';
import { useBrowser } from '../../../tests/browser/browser.ts';
import { journey } from '../../../tests/browser/journey.ts';
import { createCategory, createLocation, createProduct } from '../../../tests/support/factories.ts';
import { use, useClosed } from '../../../tests/support/use.ts';
import { insertOrder, useWorkerKit } from '../../../tests/worker/kit.ts';
import { startStudio } from '../tests/run.ts';
import { sitDown } from './admin.ts';

// Two restaurants with the same menu, and a Studio of the second.

const kit = useWorkerKit();
const studio = useClosed(async () => {
  await kit.sql(`update locations set name = 'Café Ana' where id = $1`, [kit.locationId]);
  const there = await createLocation(kit.database, { name: 'Bar Nuevo' });
  for (const locationId of [kit.locationId, there]) {
    const categoryId = await createCategory(kit.database, { locationId, name: 'Hot drinks' });
    await createProduct(kit.database, {
      locationId,
      name: 'Ristretto',
      sku: 'RI-1',
      price: 2,
      categoryIds: [categoryId],
      stock: { quantity: 3, minStockAlarm: 1 },
    });
  }
  await insertOrder(kit);
  return startStudio(kit.url, ['--as', 'eva', '--edit', '--location', 'bar nuevo']);
});

const browser = useBrowser();
const eva = use(() => sitDown(browser, studio));

journey('a Studio of one restaurant', (check) => {
  check('says which, and shows its rows alone', async () => {
    expect(studio.output()).toContain('\nBar Nuevo alone\n');
    await eva.open('#schema=public&table=products');
    expect(await eva.page.evaluate('document.title')).toBe('Studio · eva · Bar Nuevo');
    await eva.shows('restaurant', ['Bar Nuevo']);
    await eva.open('#schema=public&table=orders');
    expect(await eva.text()).toContain('No results found');
  });

  check(
    'has names in link tables, and in the sentence that asks before rows are written or deleted',
    async () => {
      await eva.open('#schema=public&table=product_categories');
      expect((await eva.columns()).slice(1, 4)).toEqual(['restaurant', 'product', 'category']);
      await eva.shows('product', ['Ristretto']);
      await eva.shows('category', ['Hot drinks']);
      await eva.open('#schema=public&table=product_stock');
      await eva.edit('quantity');
      await eva.write('4');
      expect(await eva.save()).toContain('Bar Nuevo · product_stock · product Ristretto quantity: "3" → 4.');
      await eva.open('#schema=public&table=product_categories');
      expect(await eva.remove()).toContain(
        'Bar Nuevo · product_categories · product Ristretto · category Hot drinks.',
      );
      await expect
        .poll(
          () =>
            kit.sql(
              'select l.name from product_categories c join locations l on l.id = c.location_id order by l.name',
            ),
          { timeout: 15_000 },
        )
        .toEqual([{ name: 'Café Ana' }]);
    },
  );

  check('has no SQL in its menu, in its commands, in a filter, or at an address of it', async () => {
    await eva.open('#schema=public&table=products');
    const seen = (what: string) =>
      eva.page.evaluate<string[]>(
        `[...document.querySelectorAll('${what}')].filter((each) => each.offsetParent !== null).map((each) => each.textContent)`,
      );
    const menu = await seen('[data-testid="studio-navigation"] a');
    expect(menu).toEqual(expect.arrayContaining(['Console', 'products']));
    expect(menu).not.toContain('SQL');
    await eva.page.keyboard.down('Control');
    await eva.page.keyboard.press('k');
    await eva.page.keyboard.up('Control');
    await eva.page.waitForSelector('[cmdk-item]');
    await eva.page.keyboard.type('sql');
    await expect.poll(() => seen('[cmdk-item]')).not.toContain('Console');
    expect(await seen('[cmdk-item]')).not.toContain('SQL');
    await eva.page.keyboard.press('Escape');
    await eva.page.click('button[aria-label="Add filter"]');
    await eva.page.waitForSelector('input[aria-label="Select column to filter"]');
    expect(await eva.text()).not.toContain('SQL');
    await eva.open('#view=sql&schema=public&table=products');
    await eva.shows('restaurant', ['Bar Nuevo']);
    expect(await eva.text()).not.toContain('Run SQL');
  });
});
