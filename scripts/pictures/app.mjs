// Takes the pictures of the app: node scripts/pictures/app.mjs 'http://127.0.0.1:3000/app#code=…', with the link that npm
// start printed. Needs a Chromium, and the tools of the site (npm test -- --suite browser installs them).
import { once } from 'node:events';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const { launch } = createRequire(join(root, 'extras/site/generator/package.json'))('puppeteer-core');
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
  await page.waitForSelector('.board .pending .card');
  const number = await page.evaluate(
    () => document.querySelector('.board .pending .card .number').textContent,
  );
  const { key } = await page.evaluate(() => JSON.parse(sessionStorage.getItem('comanda.session')));
  const endEndpoints = await endpointsOf(key);
  try {
    await page.setViewport({ width: 1024, height: 860 });
    await page.goto(new URL(`/app/desk/orders/${number}`, link).href);
    const ready = '.desk .order .deeds button::-p-text(Mark as ready)';
    await page.waitForSelector(ready);
    await page.click(ready);
    await page.waitForSelector('.desk span.delivered');
    await page.waitForSelector('.desk span.failed');
    await page.waitForSelector('.live.live');
    await page.screenshot({ path: join(root, 'docs/pictures/app-desk.png') });
  } finally {
    await endEndpoints();
  }
} finally {
  await browser.close();
}

// Two programs that hear of the order: one takes it, one is out of order.
async function endpointsOf(key) {
  const consumer = createServer((request, response) => {
    request.resume();
    response.writeHead(request.url === '/erp' ? 200 : 503).end();
  });
  consumer.listen(0, '127.0.0.1');
  await once(consumer, 'listening');
  const ask = async (method, path, body) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const answer = await fetch(new URL(`/v2/webhook-endpoints${path}`, link), {
      method,
      headers,
      ...(body && { body: JSON.stringify(body) }),
    });
    if (!answer.ok) throw new Error(`${method} ${path}: ${await answer.text()}`);
    return answer.status === 204 ? undefined : answer.json();
  };
  const made = [];
  for (const path of ['/erp', '/kitchen-screen'])
    made.push(
      await ask('POST', '', {
        url: `http://127.0.0.1:${consumer.address().port}${path}`,
        events: ['order.updated'],
      }),
    );
  return async () => {
    for (const { data } of made) await ask('DELETE', `/${data.id}`);
    consumer.close();
    consumer.closeAllConnections();
  };
}
