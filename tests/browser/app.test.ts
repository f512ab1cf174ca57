import { expect, test } from 'vitest';
import { signOut } from '../screens/actions.ts';
import { column, live, moveButton } from '../screens/board-page.ts';
import { createManyOrders } from '../support/many-orders.ts';
import { thrownBy } from '../support/thrown.ts';
import { type AppPage, sizes } from './app-page.ts';
import { useBoards } from './boards.ts';
import { type Page, seriousFindings } from './browser.ts';

// The app as a browser loads, draws and keeps it.

const { api, opened, board, place, link } = useBoards();

test('a link signs in once, leaves nothing in the address or the history, and a reload stays signed in', async () => {
  const address = await link({ name: 'ana', screens: ['board', 'day'] });
  const page = await opened({}, address);
  await page.until(live);
  expect(await page.evaluate('location.href + history.length')).toBe(`${api.url}/app2`);
  const again = await opened({}, address);
  await again.until(`document.body.innerText.includes('each signs in once')`);
  await page.evaluate(`location.href = ${JSON.stringify(address)}`);
  await page.until(`document.querySelector('.dialog') !== null`);
  expect(await page.evaluate('location.href')).toBe(`${api.url}/app`);
  await page.click('.dialog .primary');
  await page.until(`document.querySelector('main.sign-in > button')?.innerText === 'Go on as ana'`);
  await page.click('main > button');
  await page.until(live);
  // As a page that is loaded, too: a link of another person asks before it replaces the session.
  await page.goto(`${api.url}/healthz`);
  await page.goto(await link({ name: 'bo', screens: ['board'] }));
  await page.until(
    `document.querySelector('.dialog')?.innerText.includes('You are signed in as ana at Test Kitchen')`,
  );
  await page.click('.dialog button:not(.primary)');
  await page.goto(`${api.url}/app/day`);
  await page.until(`document.querySelector('.day') !== null`);
  await signOut(page);
  await page.until(`document.querySelector('.sign-in') !== null`);
  await page.goto(`${api.url}/app/day`);
  await page.until(`document.querySelector('.sign-in') !== null`);
});

/** Ages in minutes; the color of a card depends on its age. */
const ages = [0, 6, 11, 16, 130];

test.each(Object.keys(sizes) as (keyof typeof sizes)[])(
  'on a %s orders are moved by touch, another screen follows, and every screen is clean for axe, light and dark',
  async (size) => {
    await touched(size);
    await thrownBy(api.client().turns.close.mutate());
    for (const value of ['light', 'dark']) await looked(size, value);
  },
);

async function touched(size: keyof typeof sizes): Promise<void> {
  const [one, other] = await Promise.all([board({ size }), board({ size })]);
  const { id, number } = await place();
  await one.until(`${column(number)} === 'pending'`);
  expect(await one.evaluate(`document.querySelector('main [role=status]').textContent`)).toContain(
    `${number}`,
  );
  await one.tap(moveButton(number));
  await one.until(`${column(number)} === 'ready'`);
  await one.until(`document.activeElement.dataset.number === '${number}'`);
  await other.until(`${column(number)} === 'ready'`);
  await other.until(`!document.querySelector('${moveButton(number)}').disabled`);
  await other.evaluate(`document.querySelector('${moveButton(number)}').scrollIntoView()`);
  await other.tap(moveButton(number));
  await one.until(`${column(number)} === 'closed'`);
  expect(await api.client().orders.get.query({ id })).toMatchObject({ status: 'closed' });
  for (const page of [one, other]) {
    expect(page.complaints).toEqual([]);
    expect([...page.hosts]).toEqual([new URL(api.url).host]);
  }
}

/** The screens, their dialogs, and cards of any age. */
async function looked(size: keyof typeof sizes, value: string): Promise<void> {
  const { database } = api.app;
  for (const minutes of ages) {
    const from = new Date(Date.now() - minutes * 60_000).toISOString();
    const prefix = `${size} ${value} ${minutes}-`;
    await createManyOrders(database, { locationId: api.locationId, count: 1, from, prefix });
  }
  const prepare = (page: Page) => page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value }]);
  const out = await opened({ size, prepare }, `${api.url}/app`);
  expect(await seriousFindings(out)).toEqual([]);
  const page = await board({ size, prepare });
  for (const urgency of [0, 1, 2, 3])
    await page.until(`document.querySelector('.urgency-${urgency} .age') !== null`);
  expect(await seriousFindings(page)).toEqual([]);
  await clean(page, '.card .beside', '.dialog button:not(.primary)');
  await clean(page, '.sold-out-button', '.dialog footer button');
  await page.evaluate(`location.href = ${JSON.stringify(await link({ name: 'bo' }))}`);
  await page.waitForSelector('.dialog');
  expect(await seriousFindings(page)).toEqual([]);
  await page.click('.dialog button:not(.primary)');
  const ground = await page.evaluate<string>('getComputedStyle(document.body).backgroundColor');
  expect(ground).toBe(value === 'light' ? 'rgb(246, 246, 247)' : 'rgb(18, 19, 22)');
  await page.goto(`${api.url}/app/day`);
  await page.until(`document.querySelectorAll('.bars rect').length >= 3`);
  await page.evaluate(`document.querySelectorAll('details').forEach((each) => { each.open = true; })`);
  expect(await seriousFindings(page)).toEqual([]);
  await turned(page);
  const width = await page.evaluate<number>('document.documentElement.scrollWidth');
  expect(width).toBeLessThanOrEqual(sizes[size].width);
  expect(page.complaints).toEqual([]);
}

/** The dialog behind a button is clean, and closes. */
async function clean(page: AppPage, button: string, close: string): Promise<void> {
  await page.waitForSelector(button);
  await page.evaluate(`document.querySelector('${button}').click()`);
  await page.waitForSelector('.dialog');
  expect(await seriousFindings(page)).toEqual([]);
  await page.evaluate(`document.querySelector('${close}').click()`);
  await page.until(`document.querySelector('.dialog') === null`);
}

/** A turn is opened and closed with a count; its panel and its dialog are clean. */
async function turned(page: AppPage): Promise<void> {
  const press = (where: string, name: string) =>
    page.evaluate(
      `[...document.querySelectorAll('${where} button')].find(({ innerText }) => innerText === '${name}').click()`,
    );
  if (await page.evaluate(`document.querySelector('.turn tfoot') === null`))
    await press('.turn', 'Open a turn');
  await page.until(`document.querySelector('.turn tfoot') !== null`);
  expect(await seriousFindings(page)).toEqual([]);
  await press('.turn', 'Close the turn');
  await page.waitForSelector('.dialog');
  const inputs = '.dialog label:nth-of-type';
  await page.type(`${inputs}(1) input`, '100');
  await page.type(`${inputs}(2) input`, '10,25');
  await page.until(`document.body.innerText.includes('is missing')`);
  expect(await seriousFindings(page)).toEqual([]);
  await press('.dialog', 'Close the turn');
  await page.until(`document.querySelector('.dialog') === null`);
}

test('the board needs at most 155 KB, compressed, and speaks the language of the browser', async () => {
  let bytes = 0;
  const prepare = async (page: Page) => {
    const devTools = await page.createCDPSession();
    devTools.on('Network.loadingFinished', ({ encodedDataLength }) => {
      bytes += encodedDataLength;
    });
    await devTools.send('Emulation.setUserAgentOverride', { userAgent: 'test', acceptLanguage: 'es-UY,en' });
    await devTools.send('Network.enable');
  };
  const page = await board({ prepare });
  expect(await page.text()).toContain('Por hacer');
  expect(await page.evaluate('document.documentElement.lang')).toBe('es');
  const paint = await page.evaluate<number>(
    `performance.getEntriesByName('first-contentful-paint')[0].startTime`,
  );
  console.log(`the board: ${bytes} bytes, first paint after ${Math.round(paint)} ms`);
  expect(bytes).toBeGreaterThan(50_000);
  expect(bytes).toBeLessThan(155_000);
});
