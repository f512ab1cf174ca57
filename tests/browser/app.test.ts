import { describe, expect, test } from 'vitest';
import { column, live, moveButton } from '../screens/board-page.ts';
import { isRevoked, keyOf, setPermissions } from '../screens/session-keys.ts';
import { sizes } from './app-page.ts';
import { useBoards } from './boards.ts';
import { type Page, seriousFindings } from './browser.ts';

const { api, opened, board, place, link } = useBoards();

describe('sign-in', () => {
  test('a link signs in once, leaves nothing in the address, and gives a key of its own', async () => {
    const address = await link({ name: 'ana', screens: ['board'] });
    const page = await opened({}, address);
    await page.until(live);
    expect(await page.evaluate('location.href + history.length')).toBe(`${api.url}/app2`);
    const { data } = await api.client().keys.list.query({ limit: 200 });
    const made = data.find(({ name }) => name === 'app: ana');
    expect(made?.permissions).toEqual([
      ...['orders:read', 'orders:write', 'products:read', 'stock:read', 'stock:sync', 'events:read'],
    ]);
    expect(made?.expires_at).toBeDefined();
    expect(await page.text()).not.toContain('Day');
    const again = await opened({}, address);
    await again.until(`document.body.innerText.includes('each signs in once')`);
    await page.evaluate(`location.href = ${JSON.stringify(address)}`);
    await page.until(`document.querySelector('.dialog') !== null`);
    await page.click('.dialog .primary');
    await page.until(`document.querySelector('main.sign-in > button')?.innerText === 'Go on as ana'`);
    await page.click('main > button');
    await page.until(live);
  });

  test.each([
    ['en', 'You are signed in as ana at Test Kitchen (Board).', 'Go on as ana'],
    ['es', 'Usted entró como ana en Test Kitchen (Tablero).', 'Seguir como ana'],
  ])(
    'in %s a link of another person asks before it replaces the session, and is not used up by a user that stays',
    async (language, question, stay) => {
      const page = await opened({ language }, await link({ name: 'ana', screens: ['board'] }));
      await page.until(live);
      const session = () =>
        page.evaluate<string>(`JSON.parse(sessionStorage.getItem('comanda.session')).name`);
      const other = await link({ name: 'bo', screens: ['board', 'day'] });
      const isAsked = `document.querySelector('.dialog')?.innerText.includes(${JSON.stringify(question)})`;
      // Over the address of the open tab, and as a page that is loaded again.
      for (const open of [
        () => page.evaluate(`location.href = ${JSON.stringify(other)}`),
        () => page.goto(`${api.url}/healthz`).then(() => page.goto(other)),
      ]) {
        await open();
        await page.until(isAsked);
        expect(await page.evaluate('location.href')).toBe(`${api.url}/app`);
        await page.until(`document.querySelector('.board') !== null`);
        expect(await seriousFindings(page)).toEqual([]);
        await page.evaluate(`[...document.querySelectorAll('.dialog button')]
        .find(({ innerText }) => innerText === ${JSON.stringify(stay)}).click()`);
        await page.until(`document.querySelector('.dialog') === null`);
        await page.until(live);
        expect(await session()).toBe('ana');
      }
      await page.evaluate(`location.href = ${JSON.stringify(other)}`);
      await page.until(isAsked);
      await page.click('.dialog .primary');
      await page.until(`document.querySelector('.dialog') === null && ${live}`);
      expect(await session()).toBe('bo');
      expect(page.complaints).toEqual([]);
    },
  );

  test('a reload stays signed in; signing out does not', async () => {
    const page = await board();
    await page.goto(`${api.url}/app/day`);
    await page.until(`document.querySelector('.day') !== null`);
    await page.evaluate(`[...document.querySelectorAll('header.bar button')].at(-1).click()`);
    await page.until(`document.querySelector('.sign-in') !== null`);
    await page.goto(`${api.url}/app/day`);
    await page.until(`document.querySelector('.sign-in') !== null`);
  });

  const signOut = `[...document.querySelectorAll('header.bar button')].at(-1).click()`;

  test('signing out revokes the key', async () => {
    const page = await board();
    const key = await keyOf(page);
    await page.evaluate(signOut);
    await page.until(`document.querySelector('.sign-in') !== null`);
    await isRevoked(api, key);
    expect(await page.text()).not.toContain('no longer signed in');
    expect(page.complaints).toEqual([]);
  });

  test('a link that replaces a session revokes its key, and the new session stays', async () => {
    const page = await board();
    const key = await keyOf(page);
    await page.evaluate(`location.href = ${JSON.stringify(await link({ name: 'bo', screens: ['board'] }))}`);
    await page.until(`document.querySelector('.dialog') !== null`);
    await page.click('.dialog .primary');
    await page.until(`document.querySelector('.dialog') === null && ${live}`);
    await isRevoked(api, key);
    await api.client(await keyOf(page)).limits.get.query();
    await page.until(live);
  });

  test('without a connection signing out still ends the session in the tab', async () => {
    const page = await board();
    await page.setOfflineMode(true);
    await page.evaluate(signOut);
    await page.until(`document.querySelector('.sign-in') !== null`);
    expect(await page.evaluate(`sessionStorage.getItem('comanda.session')`)).toBeNull();
  });

  test('a key that is revoked ends the session, and says so', async () => {
    const page = await board();
    const key = await keyOf(page);
    const { data } = await api.client().keys.list.query({ limit: 200 });
    const own = data.find(({ prefix }) => key.startsWith(prefix));
    await api.client().keys.revoke.mutate({ id: own?.id ?? '' });
    await page.until(`document.body.innerText.includes('no longer signed in')`);
  });
});

describe.each(Object.keys(sizes) as (keyof typeof sizes)[])('on a %s', (size) => {
  test('an order that comes is moved on by touch, and another screen follows', async () => {
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
  });

  test.each(['light', 'dark'])('the screens are clean for axe when it is %s', async (value) => {
    await place();
    const prepare = (page: Page) => page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value }]);
    const out = await opened({ size, prepare }, `${api.url}/app`);
    expect(await seriousFindings(out)).toEqual([]);
    const page = await board({ size, prepare });
    expect(await seriousFindings(page)).toEqual([]);
    await page.click('.card .beside');
    await page.waitForSelector('.dialog');
    expect(await seriousFindings(page)).toEqual([]);
    const ground = await page.evaluate<string>('getComputedStyle(document.body).backgroundColor');
    expect(ground).toBe(value === 'light' ? 'rgb(246, 245, 242)' : 'rgb(23, 22, 20)');
    await page.goto(`${api.url}/app/day`);
    await page.until(`document.querySelectorAll('.bars rect').length >= 3`);
    await page.evaluate(`document.querySelectorAll('details').forEach((each) => { each.open = true; })`);
    expect(await seriousFindings(page)).toEqual([]);
    const width = await page.evaluate<number>('document.documentElement.scrollWidth');
    expect(width).toBeLessThanOrEqual(sizes[size].width);
    expect(page.complaints).toEqual([]);
  });
});

test('a move that is refused goes back, and says why', async () => {
  const page = await board();
  const { number } = await place();
  await page.until(`${column(number)} === 'pending'`);
  await setPermissions(api, page, ['orders:read', 'events:read']);
  await page.evaluate(
    `window.columns = []; new MutationObserver(() => columns.push(${column(number)})).observe(document.body, { childList: true, subtree: true })`,
  );
  await page.tap(moveButton(number));
  await page.until(`document.querySelector('.notice')?.innerText.includes('You may not do this.')`);
  await page.until(`${column(number)} === 'pending'`);
  expect(await page.evaluate<string[]>('window.columns')).toContain('ready');
});

test('it speaks the language of the browser, and the one that is chosen', async () => {
  const spanish = async (page: Page) => {
    const devTools = await page.createCDPSession();
    await devTools.send('Emulation.setUserAgentOverride', { userAgent: 'test', acceptLanguage: 'es-UY,en' });
  };
  const page = await board({ prepare: spanish });
  expect(await page.text()).toContain('Por hacer');
  expect(await page.evaluate('document.documentElement.lang')).toBe('es');
  await page.select('select.language', 'en');
  expect(await page.text()).toContain('To make');
  await page.goto(`${api.url}/app/day`);
  await page.until(`document.body.innerText.includes('Sales of')`);
});

test('the board needs at most 150 KB, compressed', async () => {
  let bytes = 0;
  const prepare = async (page: Page) => {
    const devTools = await page.createCDPSession();
    devTools.on('Network.loadingFinished', ({ encodedDataLength }) => {
      bytes += encodedDataLength;
    });
    await devTools.send('Network.enable');
  };
  const page = await board({ prepare });
  const paint = await page.evaluate<number>(
    `performance.getEntriesByName('first-contentful-paint')[0].startTime`,
  );
  console.log(`the board: ${bytes} bytes, first paint after ${Math.round(paint)} ms`);
  expect(bytes).toBeGreaterThan(50_000);
  expect(bytes).toBeLessThan(150_000);
});
