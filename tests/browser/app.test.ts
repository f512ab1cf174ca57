import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { superuserUrl } from '../support/database.ts';
import { createOrderKitchen, type OrderKitchen, placeOrder } from '../support/orders.ts';
import { usePublishingApi } from '../support/published.ts';
import { type DatabaseProxy, startProxy } from '../worker/proxy.ts';
import { type AppPage, linkTo, openApp, sizes } from './app-page.ts';
import { type Browser, type Page, seriousFindings, startBrowser } from './browser.ts';

const api = usePublishingApi(undefined, { app: 'on' });
let browser: Browser;
let kitchen: OrderKitchen;
let wire: DatabaseProxy;
const pages: AppPage[] = [];
beforeAll(async () => {
  browser = await startBrowser();
  kitchen = await createOrderKitchen(api);
  wire = await startProxy(api.url);
});
afterEach(() => Promise.all(pages.splice(0).map((page) => page.close())));
afterAll(async () => {
  await browser?.close();
  await wire?.close();
});

const live = `document.querySelector('.live.live') !== null`;
const column = (number: number) =>
  `document.querySelector('article[data-number="${number}"]')?.closest('section').classList[1]`;
const moveButton = (number: number) => `article[data-number="${number}"] .move`;

async function opened(options: Parameters<typeof openApp>[2] = {}, link?: string): Promise<AppPage> {
  const page = await openApp(browser, link ?? (await linkTo(api)), options);
  pages.push(page);
  return page;
}

async function board(options?: Parameters<typeof openApp>[2]): Promise<AppPage> {
  const page = await opened(options);
  await page.until(live);
  await page.until(`document.querySelector('.board') !== null`);
  return page;
}

const place = async (): Promise<{ id: string; number: number }> => (await placeOrder(api, kitchen)) as never;

describe('sign-in', () => {
  test('a link signs in once, leaves nothing in the address, and gives a key of its own', async () => {
    const link = await linkTo(api, { name: 'ana', screens: ['board'] });
    const page = await opened({}, link);
    await page.until(live);
    expect(await page.evaluate('location.href + history.length')).toBe(`${api.url}/app2`);
    const { data } = await api.client().keys.list.query({ limit: 200 });
    const made = data.find(({ name }) => name === 'app: ana');
    expect(made?.permissions).toEqual(['orders:read', 'orders:write', 'events:read']);
    expect(made?.expires_at).toBeDefined();
    expect(await page.text()).not.toContain('Day');
    const again = await opened({}, link);
    await again.until(`document.body.innerText.includes('each signs in once')`);
    await page.evaluate(`location.href = ${JSON.stringify(link)}`);
    await page.until(`document.body.innerText.includes('Go on as ana')`);
    await page.click('main > button');
    await page.until(live);
  });

  test('a reload stays signed in; signing out does not', async () => {
    const page = await board();
    await page.goto(`${api.url}/app/day`);
    await page.until(`document.querySelector('.day') !== null`);
    await page.evaluate(`[...document.querySelectorAll('header.bar button')].at(-1).click()`);
    await page.until(`document.querySelector('.sign-in') !== null`);
    await page.goto(`${api.url}/app/day`);
    await page.until(`document.querySelector('.sign-in') !== null`);
  });

  test('a key that is revoked ends the session, and says so', async () => {
    const page = await board();
    const key = await page.evaluate<string>(`JSON.parse(sessionStorage.getItem('comanda.session')).key`);
    const { data } = await api.client().keys.list.query({ limit: 200 });
    const own = data.find(({ prefix }) => key.startsWith(prefix));
    await api.client().keys.revoke.mutate({ id: own?.id ?? '' });
    await page.until(`document.body.innerText.includes('no longer signed in')`);
  });
});

describe.each(Object.keys(sizes) as (keyof typeof sizes)[])('on a %s', (size) => {
  test('an order that comes is moved on by touch, and another screen follows', {
    timeout: 60_000,
  }, async () => {
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

  test.each(['light', 'dark'])(
    'the screens are clean for axe when it is %s',
    { timeout: 120_000 },
    async (value) => {
      await place();
      const prepare = (page: Page) => page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value }]);
      const out = await opened({ size, prepare }, `${api.url}/app`);
      expect(await seriousFindings(out)).toEqual([]);
      const page = await board({ size, prepare });
      expect(await seriousFindings(page)).toEqual([]);
      await page.click('.card footer button');
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
    },
  );
});

test('a move that is refused goes back, and says why', { timeout: 60_000 }, async () => {
  const page = await board();
  const { number } = await place();
  await page.until(`${column(number)} === 'pending'`);
  const key = await page.evaluate<string>(`JSON.parse(sessionStorage.getItem('comanda.session')).key`);
  await api.app.database.pool.query(
    `update api_keys set permissions = '{orders:read,events:read}' where starts_with($1, prefix)`,
    [key],
  );
  await expect
    .poll(() =>
      api
        .client(key)
        .limits.get.query()
        .then(({ permissions }) => permissions),
    )
    .toEqual(['orders:read', 'events:read']);
  await page.evaluate(
    `window.columns = []; new MutationObserver(() => columns.push(${column(number)})).observe(document.body, { childList: true, subtree: true })`,
  );
  await page.tap(moveButton(number));
  await page.until(`document.querySelector('.notice')?.innerText.includes('You may not do this.')`);
  await page.until(`${column(number)} === 'pending'`);
  expect(await page.evaluate<string[]>('window.columns')).toContain('ready');
});

test('without a connection it says so, keeps a move, and comes back right without a reload', {
  timeout: 60_000,
}, async () => {
  const page = await board();
  const [mine, other] = [await place(), await place()];
  await page.until(`${column(mine.number)} === 'pending' && ${column(other.number)} === 'pending'`);
  await page.evaluate('window.sameDocument = true');
  await page.setOfflineMode(true);
  await page.until(`document.body.innerText.includes('No connection')`);
  await page.tap(moveButton(mine.number));
  await page.until(`document.body.innerText.includes('Will be sent')`);
  // Longer than the client repeats a call that finds no connection.
  await sleep(4_000);
  expect(await page.text()).toContain('Will be sent');
  expect(await api.client().orders.get.query({ id: mine.id })).toMatchObject({ status: 'pending' });
  await api.client().orders.updateStatus.mutate({ id: other.id, status: 'ready' });
  const meanwhile = await place();
  await api.published();
  await page.setOfflineMode(false);
  await page.until(live);
  await page.until(`${column(mine.number)} === 'ready' && ${column(other.number)} === 'ready'`);
  await page.until(`${column(meanwhile.number)} === 'pending'`);
  await expect.poll(() => api.client().orders.get.query({ id: mine.id })).toMatchObject({ status: 'ready' });
  expect(await page.evaluate('window.sameDocument')).toBe(true);
});

describe('when the way to the service is cut', () => {
  test.each([
    ['it goes on where it stopped', false],
    ['and the feed no longer has the place, it reads the board anew', true],
  ])('%s, without a reload', { timeout: 60_000 }, async (_what, isForgotten) => {
    const link = (await linkTo(api)).replace(api.url, new URL(wire.url).origin);
    const page = await opened({}, link);
    await page.until(live);
    const order = await place();
    await page.until(`${column(order.number)} === 'pending'`);
    await page.evaluate('window.sameDocument = true');
    wire.cut();
    await page.until(`document.querySelector('.live.waiting') !== null`);
    await api.client().orders.updateStatus.mutate({ id: order.id, status: 'ready' });
    const meanwhile = await place();
    await api.published();
    if (isForgotten) await forgetEvents();
    wire.mend();
    await page.until(`${column(order.number)} === 'ready' && ${column(meanwhile.number)} === 'pending'`);
    await page.until(live);
    const later = await place();
    await page.until(`${column(later.number)} === 'pending'`);
    expect(await page.evaluate('window.sameDocument')).toBe(true);
  });
});

/** As if they were older than those that are kept. */
async function forgetEvents(): Promise<void> {
  const client = new pg.Client({ connectionString: superuserUrl(api.databaseUrl) });
  await client.connect();
  await client.query(
    `begin; set local comanda.deed = 'repair: as after 30 days'; delete from events; commit`,
  );
  await client.end();
}

describe('an order that comes', () => {
  test('while the board is read for the first time is on it', async () => {
    const page = await opened({ prepare: holding({ answers: 'orders.list' }) });
    const [other] = await Promise.all([board(), page.until(live)]);
    const { number } = await place();
    await other.until(`${column(number)} === 'pending'`);
    await page.evaluate('letGo()');
    await page.until(`${column(number)} === 'pending'`);
  });

  test('after the board was read and before its stream began is on it', async () => {
    const page = await opened({ prepare: holding({ answers: 'orders.list', questions: 'events/stream' }) });
    await page.until('asked.some((url) => url.includes("orders.list"))');
    const { number } = await place();
    await api.published();
    await page.evaluate('letGoQuestions()');
    await page.until(live);
    await page.evaluate('letGo()');
    await page.until(`${column(number)} === 'pending'`);
  });

  test('while another screen is shown is there on the way back', async () => {
    const page = await board();
    await page.click('nav a[href="/app/day"]');
    await page.until(`document.querySelector('.day') !== null`);
    const { number } = await place();
    await api.published();
    await page.click('nav a[href="/app/board"]');
    await page.until(`${column(number)} === 'pending'`);
  });
});

// Keeps the answers to some questions from the page, or the questions from the service, until they are let go.
const holding =
  ({ answers, questions = 'nothing' }: { answers: string; questions?: string }) =>
  (page: Page) =>
    page.evaluateOnNewDocument(`
      window.asked = [];
      const ask = window.fetch;
      const answers = new Promise((done) => { window.letGo = done; });
      const questions = new Promise((done) => { window.letGoQuestions = done; });
      window.fetch = async (...words) => {
        const url = String(words[0]);
        if (url.includes('${questions}')) await questions;
        const answer = await ask(...words);
        asked.push(url);
        if (url.includes('${answers}')) await answers;
        return answer;
      };`);

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

test('the first paint needs at most 150 KB, compressed, and a second', async () => {
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
