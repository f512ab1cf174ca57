import { describe, expect, test } from 'vitest';
import { signOut } from './actions.ts';
import { useBoards } from './app.ts';
import { column, live, moveButton } from './board-page.ts';
import { isRevoked, keyOf, setPermissions } from './session-keys.ts';

const { api, opened, board, place, link } = useBoards();

describe('sign-in', () => {
  test('a link signs in once, leaves nothing in the address, and gives a key of its own', async () => {
    const address = await link({ name: 'nora', screens: ['board'] });
    const page = await opened({}, address);
    await page.until(live);
    expect(await page.evaluate('location.href')).toBe(`${api.url}/app`);
    const { data } = await api.client().keys.list.query({ limit: 200 });
    const made = data.find(({ name }) => name === 'app: nora');
    expect(made?.permissions).toEqual([
      'orders:read',
      'orders:write',
      'orders:pause',
      'products:read',
      'stock:read',
      'stock:sync',
      'locations:read',
      'events:read',
    ]);
    expect(made?.expires_at).toBeDefined();
    expect(await page.text()).not.toContain('Day');
    page.follow(address);
    await page.until(`document.querySelector('.dialog') !== null`);
    await page.click('.dialog .primary');
    await page.until(`document.querySelector('main.sign-in > button')?.innerText === 'Go on as nora'`);
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
        async () => page.follow(other),
        () => page.goto(`${api.url}/healthz`).then(() => page.goto(other)),
      ]) {
        await open();
        await page.until(isAsked);
        expect(await page.evaluate('location.href')).toBe(`${api.url}/app`);
        await page.until(`document.querySelector('.board') !== null`);
        await page.evaluate(`[...document.querySelectorAll('.dialog button')]
        .find(({ innerText }) => innerText === ${JSON.stringify(stay)}).click()`);
        await page.until(`document.querySelector('.dialog') === null`);
        await page.until(live);
        expect(await session()).toBe('ana');
      }
      page.follow(other);
      await page.until(isAsked);
      await page.click('.dialog .primary');
      await expect.poll(session).toBe('bo');
      await page.until(`document.querySelector('.dialog') === null && ${live}`);
      expect(page.complaints).toEqual([]);
    },
  );

  test('a reload stays signed in; signing out does not', async () => {
    const page = await board();
    await page.goto(`${api.url}/app/day`);
    await page.until(`document.querySelector('.day') !== null`);
    await signOut(page);
    await page.until(`document.querySelector('.sign-in') !== null`);
    await page.goto(`${api.url}/app/day`);
    await page.until(`document.querySelector('.sign-in') !== null`);
  });

  test('signing out revokes the key', async () => {
    const page = await board();
    const key = await keyOf(page);
    await signOut(page);
    await page.until(`document.querySelector('.sign-in') !== null`);
    await isRevoked(api, key);
    expect(await page.text()).not.toContain('no longer signed in');
    expect(page.complaints).toEqual([]);
  });

  test('a link that replaces a session revokes its key, and the new session stays', async () => {
    const page = await board();
    const key = await keyOf(page);
    page.follow(await link({ name: 'bo', screens: ['board'] }));
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
    await signOut(page);
    await page.until(`document.querySelector('.sign-in') !== null`);
    expect(await page.evaluate(`sessionStorage.getItem('comanda.session')`)).toBeNull();
  });

  test('a sign-in after a sign-out without a connection read nothing: its queries waited for ever', async () => {
    const page = await board();
    await page.setOfflineMode(true);
    await signOut(page);
    await page.skip(5_000);
    await page.until(`document.querySelector('.sign-in') !== null`);
    await page.setOfflineMode(false);
    await page.goto(await link({ screens: ['day'] }));
    await page.until(`document.querySelector('.turn p') !== null`);
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

test('an order that comes is said aloud and moved on, and another screen that moves it is followed', async () => {
  const page = await board();
  const { id, number } = await place();
  await page.until(`${column(number)} === 'pending'`);
  await page.until(`document.querySelector('main [role=status]').textContent.includes('${number}')`);
  await page.tap(moveButton(number));
  await page.until(`document.activeElement.dataset.number === '${number}'`);
  await page.skip(6_000);
  await page.until(
    `${column(number)} === 'ready' && !document.querySelector('${moveButton(number)}').disabled`,
  );
  await api.client().orders.updateStatus.mutate({ id, status: 'closed' });
  await page.until(`${column(number)} === 'closed'`);
  expect(page.complaints).toEqual([]);
  expect([...page.hosts]).toEqual([new URL(api.url).host]);
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
  await page.skip(6_000);
  await page.until(`document.querySelector('.notice')?.innerText.includes('You may not do this.')`);
  await page.until(`${column(number)} === 'pending'`);
  expect(await page.evaluate<string[]>('window.columns')).toContain('ready');
});

test('it speaks the language of the browser, and the one that is chosen', async () => {
  const page = await board({
    prepare: (made) =>
      made.evaluateOnNewDocument(
        `Object.defineProperty(navigator, 'languages', { value: ['es-UY', 'en'], configurable: true })`,
      ),
  });
  expect(await page.text()).toContain('Por hacer');
  await page.until(`document.documentElement.lang === 'es'`);
  await page.select('select.language', 'en');
  await page.until(`document.body.innerText.includes('To make')`);
  await page.goto(`${api.url}/app/day`);
  await page.until(`document.body.innerText.includes('Sales of')`);
});
