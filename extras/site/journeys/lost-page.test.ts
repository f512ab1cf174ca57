import { expect } from 'vitest';
import { builtSite } from '../../../packages/api/src/documents/site-files.ts';
import { seriousFindings, useBrowser } from '../../../tests/browser/browser.ts';
import { journey } from '../../../tests/browser/journey.ts';
import { startTestApi } from '../../../tests/support/api.ts';
import { useClosed } from '../../../tests/support/use.ts';
import { openPage, sizes } from './site-pages.ts';

const api = useClosed(() => startTestApi({}, builtSite));
const browser = useBrowser();

const links = `[...document.querySelectorAll('.lost ul a')].map((a) => a.pathname)`;

journey('a page that is not there', (check) => {
  for (const { name, ...size } of sizes)
    check(`on ${name} a reader at an address without a page is led to pages that are there`, async () => {
      const { page, complaints, hosts } = await openPage(browser);
      await page.setViewport(size);
      await page.goto(`${api.url}/docs/guides/verify-webhooks`, { waitUntil: 'networkidle0' });
      await page.waitForSelector('.lost ul a');
      const shown = `[...document.querySelectorAll('h1')].filter((h1) => h1.offsetParent).map((h1) => h1.textContent)`;
      expect(await page.evaluate(shown)).toEqual(['Page not found']);
      expect((await page.evaluate<string[]>(links))[0]).toBe('/docs/guides/verify-a-webhook');
      expect(await seriousFindings(page)).toEqual([]);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(size.width);
      await page.click('.lost button');
      await page.waitForSelector('#localsearch-input');
      expect(await page.evaluate(`document.querySelector('#localsearch-input').value`)).toBe(
        'verify webhooks',
      );
      await page.waitForSelector('.VPLocalSearchBox .results a');
      await page.keyboard.press('Escape');
      await page.click('.lost ul a');
      await page.waitForFunction(`document.querySelector('h1')?.textContent.startsWith('Verify a webhook')`);
      // The browser itself says that the page was a 404.
      expect(complaints.filter((text) => !/status of 404/.test(text))).toEqual([]);
      expect([...hosts]).toEqual([new URL(api.url).host]);
      await page.close();
    });
});
