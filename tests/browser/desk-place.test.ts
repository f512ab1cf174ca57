import { expect, test } from 'vitest';
import { createProduct } from '../support/factories.ts';
import { sizes } from './app-page.ts';
import { useBoards } from './boards.ts';
import { seriousFindings } from './browser.ts';

const { api, opened, link } = useBoards();

const name = 'Restaurante con un nombre bastante largo, Ciudad Vieja';

test.each(Object.keys(sizes) as (keyof typeof sizes)[])(
  'the name of the restaurant was scrolled away on a %s',
  { timeout: 60_000 },
  async (size) => {
    await api.app.database.pool.query('update locations set name = $2 where id = $1', [api.locationId, name]);
    for (let n = 0; n < 50; n += 1)
      await createProduct(api.app.database, { locationId: api.locationId, name: `Product ${n}` });
    const page = await opened({ size }, await link({ screens: ['board', 'day', 'desk'] }));
    await page.until(`document.querySelector('header nav a') !== null`);
    await page.goto(`${api.url}/app/desk/products`);
    await page.until(`document.querySelectorAll('.desk tbody tr').length >= 50`);
    await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)');
    const [top, height, shown] = await page.evaluate<[number, number, string]>(
      `(() => { const place = document.querySelector('.place'); const { top, height, left } = place.getBoundingClientRect();
         return [top, height, document.elementFromPoint(left + 20, top + height / 2).textContent]; })()`,
    );
    expect([top, shown]).toEqual([0, name]);
    // One line, however long the name is.
    expect(height).toBeLessThan(40);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(sizes[size].width);
    // An element that gets the focus by keyboard is not behind the name.
    await page.evaluate(`document.querySelector('.desk tbody tr a').focus()`);
    const focused = await page.evaluate<number>('document.activeElement.getBoundingClientRect().top');
    expect(focused).toBeGreaterThanOrEqual(height - 1);
    expect(await seriousFindings(page)).toEqual([]);
    expect(page.complaints).toEqual([]);
  },
);
