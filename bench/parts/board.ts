import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { issueCode } from '@comanda/api/services';
import { createClient } from '@comanda/client';
import { type Browser, type Page, startBrowser } from '../../tests/browser/chromium.ts';
import { makeOther } from '../company.ts';
import { inLanes } from '../operations/stage.ts';
import { figureRow } from '../result.ts';
import type { Part } from './part.ts';

/** Two tablets of one kitchen: how long after a move on one it is on the other. Needs Chromium, as `npm test -- --suite site` does. */
export const board: Part = {
  name: 'board',
  summary: 'two boards in Chromium: a move on one until it is on the other; first paints',
  lacks: () =>
    existsSync(process.env.COMANDA_CHROMIUM ?? '') ? undefined : 'no Chromium (COMANDA_CHROMIUM names one)',
  async run({ setup, small }) {
    const shop = await makeOther(setup, 20);
    const [api, worker] = await Promise.all([setup.startApi({ APP: 'on' }), setup.startWorker()]);
    const comanda = createClient({ url: api.url, key: shop.key });
    const orders = await inLanes(small ? 2 : 50, () =>
      comanda.orders.create.mutate({
        idempotencyKey: randomUUID(),
        external_id: randomUUID(),
        is_take_away: false,
        identifier: 'Table 4',
        payment_method_id: shop.paymentMethodId,
        items: [{ product_id: shop.productIds[0] ?? '', quantity: 1 }],
      }),
    );
    const browser = await startBrowser();
    try {
      const open = async (name: string) => {
        const { code } = await issueCode(setup.comanda, { location_id: shop.locationId, name });
        return openBoard(browser, `${api.url}/app#code=${code}`);
      };
      const [one, other] = [await open('one'), await open('other')];
      const own: number[] = [];
      const agreed: number[] = [];
      for (const { number } of orders) {
        const seen = [one, other].map((page) => page.evaluate<number>(whenReady(number)));
        const pressed = await one.evaluate<number>(press(number));
        const [here = Number.NaN, there = Number.NaN] = await Promise.all(seen);
        own.push(here - pressed);
        agreed.push(there - pressed);
      }
      const first = await firstPaint(browser, `${api.url}/docs/`);
      // The first one waits for what Chromium does at its start.
      const opened = await paintOf(other);
      const at = (of: number[], share: number) =>
        [...of].sort((a, b) => a - b)[Math.floor((of.length - 1) * share)] ?? Number.NaN;
      return [
        figureRow(
          'board',
          `${orders.length} moves on one of two boards in Chromium: until the other shows them, p99`,
          { most: 1_000, unit: ' ms' },
          at(agreed, 0.99),
          `p50 ${at(agreed, 0.5).toFixed(0)} ms; on the board itself p50 ${at(own, 0.5).toFixed(0)} ms, p99 ${at(own, 0.99).toFixed(0)} ms`,
        ),
        figureRow('board', 'a board opened: first paint', { most: 1_000, unit: ' ms' }, opened, ''),
        figureRow(
          'board',
          '/docs/ opened: first paint',
          { most: 1_000, unit: ' ms' },
          first,
          'in a browser that runs, with nothing kept',
        ),
      ];
    } finally {
      await browser.close();
      await Promise.all([api.stop(), worker.stop()]);
    }
  },
};

/** When a page was first painted, in milliseconds. */
export const paintOf = (page: Page): Promise<number> =>
  page.evaluate<number>(`performance.getEntriesByName('first-contentful-paint')[0].startTime`);

/** When a browser that has nothing of it yet first shows an address, in milliseconds. */
async function firstPaint(browser: Browser, address: string): Promise<number> {
  const page = await (await browser.createBrowserContext()).newPage();
  await page.goto(address, { waitUntil: 'networkidle0' });
  return paintOf(page);
}

async function openBoard(browser: Browser, address: string): Promise<Page> {
  const page = await (await browser.createBrowserContext()).newPage();
  await page.setViewport({ width: 1024, height: 768 });
  await page.goto(address);
  await page.waitForFunction(`document.querySelector('.live.live') && document.querySelector('.card')`, {
    timeout: 60_000,
  });
  return page;
}

const card = (number: number) => `document.querySelector('article[data-number="${number}"]')`;
/** Of both pages the same clock, finer than milliseconds. */
const now = 'performance.timeOrigin + performance.now()';

/** Gives the moment of the press. */
const press = (number: number): string =>
  `(() => { const at = ${now}; ${card(number)}.querySelector('.move').click(); return at; })()`;

/** Returns the moment in which an order is among those that are ready. */
const whenReady = (number: number): string => `new Promise((resolve, reject) => {
  const late = setTimeout(() => reject(new Error('order ${number} never became ready on a board')), 60_000);
  const look = () => {
    if (!${card(number)}?.closest('section').classList.contains('ready')) return;
    clearTimeout(late);
    changes.disconnect();
    resolve(${now});
  };
  const changes = new MutationObserver(look);
  changes.observe(document.body, { childList: true, subtree: true, attributes: true });
  look();
})`;
