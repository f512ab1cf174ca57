import { readFileSync } from 'node:fs';
import { inject, vi } from 'vitest';
import { useClosed } from '../support/use.ts';
import { type Browser, type Page, puppeteer, startBrowser, tools } from './chromium.ts';

export type { Browser, Page } from './chromium.ts';

/**
 * The Chromium of the run, for the tests of a file, which may take long: pages load, draw and wait. Its pages are in a context of the
 * file, and others in contexts that are made for them. All contexts are closed with the file, so that no file leaves state to another.
 */
export function useBrowser(): Browser {
  vi.setConfig({ testTimeout: 180_000 });
  return useClosed(joinBrowser);
}

async function joinBrowser(): Promise<Browser> {
  const browserWSEndpoint = inject('browserEndpoint');
  if (browserWSEndpoint === '')
    throw new Error(
      'no Chromium runs: this is a test of the suites browser, studio and site (npm test -- --suites)',
    );
  const browser = await puppeteer().connect({
    browserWSEndpoint,
    defaultViewport: { width: 800, height: 600 },
  });
  const contexts: Browser[] = [];
  const createBrowserContext = async () => {
    const context = await browser.createBrowserContext();
    contexts.push(context);
    return context;
  };
  return {
    ...pagesOf(await createBrowserContext(), browser),
    createBrowserContext,
    async close() {
      // A test may have closed its own.
      await Promise.all(contexts.map((context) => context.close().catch(() => {})));
      await browser.disconnect();
    },
  };
}

/** A Chromium of the file's own: for tests that stop its processes, as other files use that of the run. */
export const useOwnBrowser = (): Browser =>
  useClosed(async () => {
    const browser = await startBrowser();
    return {
      ...pagesOf(browser, browser),
      createBrowserContext: () => browser.createBrowserContext(),
      close: () => browser.close(),
    };
  });

const pagesOf = (context: Browser, browser: Browser) => ({
  newPage: () => context.newPage(),
  pages: () => context.pages(),
  waitForTarget: (isIt: Parameters<Browser['waitForTarget']>[0]) => context.waitForTarget(isIt),
  target: () => browser.target(),
});

/** The findings of axe that are serious or critical: `color-contrast: .menu a`. */
export const seriousFindings = (page: Page): Promise<string[]> =>
  findings(page, `axe.run()`, `impact === 'serious' || impact === 'critical'`);

/** The findings of axe by one of its rules, however grave. */
export const findingsOf = (page: Page, rule: string): Promise<string[]> =>
  findings(page, `axe.run({ runOnly: ['${rule}'] })`, 'impact !== undefined');

async function findings(page: Page, run: string, isWanted: string): Promise<string[]> {
  await page.evaluate(readFileSync(tools.resolve('axe-core/axe.min.js'), 'utf8'));
  return page.evaluate(
    `${run}.then(({ violations }) => violations
      .filter(({ impact }) => ${isWanted})
      .flatMap(({ id, nodes }) => nodes.slice(0, 5).map(({ target }) => id + ': ' + target.join(' '))))`,
  );
}
