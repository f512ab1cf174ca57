// Takes the pictures of the app: node scripts/pictures/app.mjs 'http://127.0.0.1:3000/app#code=…', with the link that npm
// start printed. Needs a Chromium, and the tools of the site (npm run test:browser installs them).
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const { launch } = createRequire(join(root, 'docs/site/package.json'))('puppeteer-core');
const [, , link = ''] = process.argv;

const browser = await launch({
  executablePath: process.env.COMANDA_CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu', '--lang=en'],
});
try {
  const page = await browser.newPage();
  await page.setViewport({ width: 1024, height: 640 });
  await page.goto(link);
  await page.waitForSelector('.live.live');
  for (const [screen, sign] of [
    ['board', '.board .card'],
    ['day', '.bars rect'],
  ]) {
    await page.goto(new URL(`/app/${screen}`, link).href);
    await page.waitForSelector(sign);
    await page.waitForSelector('.live.live');
    await page.screenshot({ path: join(root, `docs/pictures/app-${screen}.png`) });
  }
  await page.goto(new URL('/app/board', link).href);
  await page.waitForSelector('.board .card');
  const number = await page.evaluate(() => document.querySelector('.card .number').textContent);
  await page.goto(new URL(`/app/desk/orders/${number}`, link).href);
  await page.waitForSelector('.desk .order .deeds');
  await page.waitForSelector('.live.live');
  await page.screenshot({ path: join(root, 'docs/pictures/app-desk.png') });
} finally {
  await browser.close();
}
