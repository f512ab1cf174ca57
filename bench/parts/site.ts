import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from '../../packages/db/src/root.ts';
import { type Browser, startBrowser } from '../../tests/browser/browser.ts';
import { median } from '../load.ts';
import { figureRow } from '../result.ts';
import { paintOf } from './board.ts';
import type { Part } from './part.ts';

/** The first paint of every page of the documents at 1.6 Mbit/s, with nothing kept. Needs Chromium, as `npm run test:browser` does. */
export const site: Part = {
  name: 'site',
  summary: 'every page of /docs in Chromium at 1.6 Mbit/s: first paint',
  lacks: () =>
    existsSync(process.env.COMANDA_CHROMIUM ?? '') ? undefined : 'no Chromium (COMANDA_CHROMIUM names one)',
  async run({ place, small }) {
    const folder = join(repositoryRoot, 'docs/site/built');
    const pages = readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.html'))
      .map((file) => file.replace(/(^|\/)index\.html$/, '$1').replace(/\.html$/, ''));
    const api = await place.startApi();
    const browser = await startBrowser();
    try {
      const paints: { page: string; paint: number }[] = [];
      for (const page of small ? pages.slice(0, 2) : pages) {
        // What disturbs a paint makes it later: the earlier of two is nearer to the page's own.
        const seen = [0, 0].map(() => () => slowPaint(browser, `${api.url}/docs/${page}`));
        const values: number[] = [];
        for (const look of seen) values.push(await look());
        paints.push({ page, paint: Math.min(...values) });
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

/** The first paint of an address over a slow line, by a browser that has nothing of it, in milliseconds. */
async function slowPaint(browser: Browser, address: string): Promise<number> {
  const context = await browser.createBrowserContext();
  try {
    const page = await context.newPage();
    const devTools = await page.createCDPSession();
    await devTools.send('Network.enable');
    await devTools.send('Network.emulateNetworkConditions', {
      ...{ offline: false, latency: 0 },
      ...{ downloadThroughput: 1_600_000 / 8, uploadThroughput: 750_000 / 8 },
    });
    await page.goto(address, { waitUntil: 'networkidle0' });
    return await paintOf(page);
  } finally {
    await context.close();
  }
}
