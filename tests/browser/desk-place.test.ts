import { expect, test } from 'vitest';
import { expectClean, sizeNames, useDesk } from './desk-page.ts';

const { api, desk } = useDesk();

const name = 'Restaurante con un nombre bastante largo, Ciudad Vieja';

test.each(sizeNames)('the name of the restaurant was scrolled away on a %s', async (size) => {
  await api.sql`update locations set name = ${name} where id = ${api.locationId}`;
  for (let n = 0; n < 50; n += 1) await api.make.product({ name: `Product ${n}` });
  const page = await desk('products', { size, screens: ['board', 'day', 'desk'] });
  await page.until(`document.querySelectorAll('.desk tbody tr').length >= 50`);
  await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)');
  const [top, height, shown] = await page.evaluate<[number, number, string]>(
    `(() => { const place = document.querySelector('.place'); const { top, height, left } = place.getBoundingClientRect();
         return [top, height, document.elementFromPoint(left + 20, top + height / 2).textContent]; })()`,
  );
  expect([top, shown]).toEqual([0, name]);
  // One line, however long the name is.
  expect(height).toBeLessThan(40);
  // An element that gets the focus by keyboard is not behind the name.
  await page.evaluate(`document.querySelector('.desk tbody tr a').focus()`);
  const focused = await page.evaluate<number>('document.activeElement.getBoundingClientRect().top');
  expect(focused).toBeGreaterThanOrEqual(height - 1);
  await expectClean(page, size);
  expect(page.complaints).toEqual([]);
});
