import { expect } from 'vitest';
import { startTestApi } from '../support/api.ts';
import { useClosed } from '../support/use.ts';
import { seriousFindings, useBrowser } from './browser.ts';
import { journey } from './journey.ts';
import { openPage, sizes } from './site-pages.ts';

const api = useClosed(() => startTestApi());
const browser = useBrowser();

const paths = ['', 'guides/orders', 'guides/deprecation', 'errors', 'reference/v2/orders-create', 'nope'];

journey('before the site is built, every page reads well, and complains of nothing', (check) => {
  for (const { size, path } of sizes.flatMap((size) => paths.map((path) => ({ size, path }))))
    check(`/docs/${path} on ${size.name}`, async () => {
      const { page, complaints, hosts } = await openPage(browser);
      await page.setViewport(size);
      await page.goto(`${api.url}/docs/${path}`, { waitUntil: 'networkidle0' });
      expect(await seriousFindings(page)).toEqual([]);
      const width = await page.evaluate<number>('document.documentElement.scrollWidth');
      expect(width).toBeLessThanOrEqual(size.width);
      expect(complaints.filter((text) => path !== 'nope' || !text.includes('404'))).toEqual([]);
      expect([...hosts]).toEqual([new URL(api.url).host]);
      await page.close();
    });
});
