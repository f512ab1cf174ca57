import { describe, expect, test } from 'vitest';
import { startTestApi } from '../support/api.ts';
import { useClosed } from '../support/use.ts';
import { seriousFindings, useBrowser } from './browser.ts';
import { openPage, sizes } from './site-pages.ts';

const api = useClosed(() => startTestApi());
const browser = useBrowser();

describe.each(sizes)('before the site is built, on $name', (size) => {
  test.each(['', 'guides/orders', 'guides/deprecation', 'errors', 'reference/v2/orders-create', 'nope'])(
    '/docs/%s reads well, and complains of nothing',
    async (path) => {
      const { page, complaints, hosts } = await openPage(browser);
      await page.setViewport(size);
      await page.goto(`${api.url}/docs/${path}`, { waitUntil: 'networkidle0' });
      expect(await seriousFindings(page)).toEqual([]);
      const width = await page.evaluate<number>('document.documentElement.scrollWidth');
      expect(width).toBeLessThanOrEqual(size.width);
      expect(complaints.filter((text) => path !== 'nope' || !text.includes('404'))).toEqual([]);
      expect([...hosts]).toEqual([new URL(api.url).host]);
      await page.close();
    },
    120_000,
  );
});
