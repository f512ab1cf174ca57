// Takes a picture of every screen of the app, at three widths, light and dark, and of its empty, loading, failed and offline states:
// node scripts/pictures/screens.mjs 'http://127.0.0.1:3000/app#code=…' folder [part of a name], with a link to all screens.
import { mkdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const { launch } = createRequire(join(root, 'extras/site/generator/package.json'))('puppeteer-core');
const [, , link, folder, only = ''] = process.argv;
if (link === undefined || folder === undefined) throw new Error('wanted: a link of the app, and a folder');
mkdirSync(folder, { recursive: true });

const sizes = [
  { width: 390, height: 844, hasTouch: true, isMobile: true },
  { width: 820, height: 1180, hasTouch: true, isMobile: true },
  { width: 1440, height: 900 },
];

/** States that no address shows. */
const states = {
  async 'user-menu'(page) {
    await open(page, 'board');
    await page.click('.user-menu');
    await page.waitForSelector('.menu:popover-open');
  },
  async palette(page) {
    await open(page, 'desk/orders');
    await page.click('.find-button');
    await page.waitForSelector('.palette');
    await page.type('.palette input', 'a');
    await sleep(1_000);
  },
  async parts(page) {
    await open(page, 'desk/orders');
    if (page.viewport().width < 1024) await page.click('.parts-button');
  },
  async filters(page) {
    await open(page, 'desk/orders');
    if (page.viewport().width < 640) await page.click('.filters-button');
  },
  async 'dialog-cancel'(page) {
    await open(page, 'board');
    await page.click('.card .beside');
    await page.waitForSelector('.dialog');
  },
  async empty(page) {
    await open(page, 'desk/products');
    await page.evaluate(() => history.replaceState({ products: { text: 'no such name' } }, ''));
    await page.reload();
    await page.waitForSelector('.empty');
  },
  async loading(page) {
    await intercept(page, () => {});
    await page.goto(new URL('/app/desk/products', link).href, { waitUntil: 'domcontentloaded' });
    await page.waitForSelector('.part .skeleton, main .skeleton');
  },
  async failed(page) {
    await intercept(page, (request) => request.respond({ status: 404, body: '{}' }));
    await page.goto(new URL('/app/desk/products', link).href);
    await page.waitForSelector('[role=alert]:not(:empty)');
  },
  async 'offline-known'(page) {
    await open(page, 'desk/orders');
    await page.setOfflineMode(true);
    await page.waitForSelector('.live.offline');
  },
  async 'offline-unknown'(page) {
    await open(page, 'desk/orders');
    await page.setOfflineMode(true);
    await page.evaluate(() => document.querySelector('a[href="/app/desk/jobs"]').click());
    await page.waitForSelector('.nothing-known');
  },
};

const browser = await launch({
  executablePath: process.env.COMANDA_CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu', '--lang=en'],
});
try {
  const page = await browser.newPage();
  await page.goto(link);
  await page.waitForSelector('.live.live');
  const { key } = await page.evaluate(() => JSON.parse(sessionStorage.getItem('comanda.session')));
  const first = async (path) => {
    const headers = { authorization: `Bearer ${key}` };
    const answer = await fetch(new URL(`/v2/${path}`, link), { headers });
    return (await answer.json()).data[0];
  };
  const order = await first('orders?limit=1&status=pending');
  const product = await first('products?limit=1');
  const category = await first('categories?limit=1');
  const parts = [
    ...['orders', 'products', 'categories', 'turns', 'sales', 'payment-methods'],
    ...['endpoints', 'jobs', 'keys', 'location', 'audit'],
  ];
  const paths = {
    board: 'board',
    day: 'day',
    ...Object.fromEntries(parts.map((part) => [part, `desk/${part}`])),
    order: `desk/orders/${order?.id}`,
    product: `desk/products/${product?.id}`,
    category: `desk/categories/${category?.id}`,
    csv: 'desk/products/csv',
    'no-order': 'desk/orders/none-such',
    'no-screen': 'none-such',
  };
  for (const value of ['light', 'dark'])
    for (const size of sizes) {
      await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value }]);
      await page.setViewport(size);
      const take = async (name) => {
        await page.screenshot({ path: join(folder, `${name}-${size.width}-${value}.png`) });
      };
      for (const [name, path] of Object.entries(paths)) {
        if (!name.includes(only)) continue;
        await open(page, path);
        await take(name);
      }
      for (const [name, state] of Object.entries(states)) {
        if (!name.includes(only)) continue;
        await state(page);
        await take(name);
        await page.setOfflineMode(false);
        await page.setRequestInterception(false);
        page.removeAllListeners('request');
      }
    }
} finally {
  await browser.close();
}

/** Opens a page, and waits until it is read. */
async function open(page, path) {
  await page.goto(new URL(`/app/${path}`, link).href);
  await settled(page);
}

async function settled(page) {
  await page.waitForFunction(() => document.querySelector('main h1') && !document.querySelector('.skeleton'));
  // Not until the network is idle: a page that was left while it loaded counts for ever.
  await sleep(400);
}

/** Answers the readings of products by hand. */
async function intercept(page, answer) {
  await page.setRequestInterception(true);
  page.on('request', (request) => {
    if (request.url().includes('products.list')) answer(request);
    else request.continue();
  });
}
