import { expect, test } from 'vitest';
import { useBoards } from './app.ts';
import { live } from './board-page.ts';
import { setPermissions } from './session-keys.ts';

// The kitchen pauses on the board: every order is refused until it resumes, or the pause ends.

const { api, opened, place, link } = useBoards();
const state = () => api.client().locations.getCurrent.query();

test.each([
  ['en', 'Pause orders', '30 minutes', 'No orders are taken until'],
  ['es', 'Pausar pedidos', '30 minutos', 'No se toman pedidos hasta'],
])(
  'in %s the kitchen pauses for some minutes and resumes, and follows what others do',
  async (language, pause, minutes, shown) => {
    const page = await opened({ language }, await link({ screens: ['board'] }));
    await page.until(live);
    await page.until(`document.querySelector('.pause-button')?.innerText === '${pause}'`);
    await page.click('.pause-button');
    await page.waitForSelector('.pause-choices');
    await page.evaluate(`[...document.querySelectorAll('.pause-choices button')]
      .find((button) => button.innerText === '${minutes}').click()`);
    await page.until(`document.querySelector('.paused')?.innerText.includes('${shown}')`);
    const { paused, paused_until = '' } = await state();
    expect(paused).toBe(true);
    expect(Math.abs(Date.parse(paused_until) - Date.now() - 30 * 60_000)).toBeLessThan(60_000);
    await expect(place()).rejects.toThrow();
    await api.client().locations.resume.mutate();
    await page.waitForSelector('.pause-button');
    await api.client().locations.pause.mutate({});
    await page.waitForSelector('.resume-button');
    await page.click('.resume-button');
    await page.waitForSelector('.pause-button');
    expect((await state()).paused).toBe(false);
    await place();
  },
);

test('a pause without an end, with its reason, and one that ended by itself', async () => {
  await api.client().locations.pause.mutate({ reason: 'The oven is broken.' });
  const page = await opened({ language: 'en' }, await link({ screens: ['board'] }));
  await page.until(`document.querySelector('.paused')?.innerText.includes('No orders are taken The oven')`);
  await api.client().locations.pause.mutate({ until: new Date(Date.now() + 1_500).toISOString() });
  await page.until(`document.querySelector('.paused')?.innerText.includes('until')`);
  await page.waitForSelector('.pause-button');
});

test('a key that may not pause sees no button for it', async () => {
  const page = await opened({}, await link({ screens: ['board'] }));
  await page.waitForSelector('.pause-button');
  await setPermissions(api, page, ['orders:read', 'orders:write', 'locations:read', 'events:read']);
  await page.goto(`${api.url}/app/board`);
  await page.until(live);
  await page.until(`document.querySelector('.board') !== null`);
  expect(await page.evaluate(`document.querySelector('.pause-button')`)).toBe(null);
});
