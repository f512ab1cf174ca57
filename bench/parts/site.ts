import { existsSync, readdirSync } from 'node:fs';
import { builtSite } from '../../packages/api/src/documents/site-files.ts';
import { type Browser, type Page, startBrowser } from '../../tests/browser/chromium.ts';
import { median } from '../load.ts';
import { figureRow } from '../result.ts';
import { paintOf } from './board.ts';
import type { Part } from './part.ts';

/** The first paint of every page of the documents at 1.6 Mbit/s, with nothing kept. Needs Chromium, as `npm test -- --suite site` does. */
export const site: Part = {
  name: 'site',
  summary: 'every page of /docs in Chromium at 1.6 Mbit/s: first paint',
  lacks: () =>
    !existsSync(process.env.COMANDA_CHROMIUM ?? '')
      ? 'no Chromium (COMANDA_CHROMIUM names one)'
      : existsSync(builtSite)
        ? undefined
        : 'no site (npm run site)',
  async run({ setup, small }) {
    const pages = readdirSync(builtSite, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.html'))
      .map((file) => file.replace(/(^|\/)index\.html$/, '$1').replace(/\.html$/, ''));
    const api = await setup.startApi();
    const browser = await startBrowser();
    try {
      // One tab: of many that come and go, Chromium now and then slows one for good.
      const tab = await slowTab(browser);
      const paints: { page: string; paint: number }[] = [];
      for (const page of small ? pages.slice(0, 2) : pages) {
        // A disturbance only delays a paint: the earlier of two is nearer to the page's own.
        const look = () => slowPaint(tab, `${api.url}/docs/${page}`);
        paints.push({ page, paint: Math.min(await look(), await look()) });
      }
      paints.sort((a, b) => b.paint - a.paint);
      const [worst] = paints;
      return [
        figureRow(
          'site',
          `${paints.length} pages of /docs at 1.6 Mbit/s: the latest first paint`,
          { most: 850, unit: ' ms' },
          worst?.paint ?? Number.NaN,
          `/docs/${worst?.page}; median ${median(paints.map(({ paint }) => paint)).toFixed(0)} ms; the earlier of two looks, nothing kept`,
        ),
      ];
    } finally {
      await browser.close();
      await api.stop();
    }
  },
};

/** A tab behind a slow line, which keeps nothing. */
async function slowTab(browser: Browser): Promise<Page> {
  const page = await browser.newPage();
  const devTools = await page.createCDPSession();
  await devTools.send('Network.enable');
  await devTools.send('Network.setCacheDisabled', { cacheDisabled: true });
  await devTools.send('Network.emulateNetworkConditions', {
    ...{ offline: false, latency: 0 },
    ...{ downloadThroughput: 1_600_000 / 8, uploadThroughput: 750_000 / 8 },
  });
  return page;
}

/** When the tab first shows an address, in milliseconds. */
async function slowPaint(tab: Page, address: string): Promise<number> {
  // Not until the line is idle: the site goes on to load the pages that this one links to.
  await tab.goto(address, { waitUntil: 'load' });
  await tab.waitForFunction(`performance.getEntriesByName('first-contentful-paint').length > 0`);
  return paintOf(tab);
}
