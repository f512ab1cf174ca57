import { expect, test } from 'vitest';
import { useBoards } from './app.ts';

// Read off the menus themselves, so that a screen that joins is looked at, too.

const { api, opened, place, link } = useBoards();

test.each(['en', 'es'])('every screen has one heading of its own in %s', async (language) => {
  await place();
  const page = await opened({ language }, await link({ screens: ['board', 'day', 'desk'] }));
  await page.until(`document.querySelector('header nav a') !== null`);
  const linksIn = (menu: string) =>
    page.evaluate<string[]>(`[...document.querySelectorAll('${menu} a')].map(({ pathname }) => pathname)`);
  const screens = await linksIn('header nav');
  await page.goto(`${api.url}/app/desk`);
  await page.until(`document.querySelector('.desk nav a') !== null`);
  const parts = await linksIn('.desk nav');
  expect(screens).toHaveLength(3);
  expect(parts.length).toBeGreaterThan(5);
  const headings = new Set<string>();
  for (const path of [...screens, ...parts, '/app/none-such']) {
    await page.goto(`${api.url}${path}`);
    await page.until(
      `document.querySelector('main h1') !== null && !/Loading|Cargando/.test(document.body.innerText)`,
    );
    const found = await page.evaluate<string[]>(
      `[...document.querySelectorAll('h1')].map(({ textContent }) => textContent)`,
    );
    expect(found, path).toEqual([expect.stringMatching(/\S/)]);
    headings.add(found.join());
  }
  // The desk itself is its first part.
  expect(headings.size).toBe(screens.length + parts.length);
  expect(page.complaints).toEqual([]);
});

test('a board that cannot be read has one, too', async () => {
  const page = await opened({
    prepare: (page) =>
      page.evaluateOnNewDocument(`
        const ask = window.fetch;
        window.fetch = (...words) => String(words[0]).includes('orders.list')
          ? Promise.resolve(new Response('{}', { status: 404 })) : ask(...words);`),
  });
  await page.until(`document.querySelector('main:not(.sign-in) [role=alert]') !== null`);
  expect(await page.evaluate(`document.querySelector('main h1')?.textContent`)).toBe('Board');
});
