import { expect, test } from 'vitest';
import { operationId } from '../../../packages/api/src/documents/names.ts';
import { kebab } from '../../../packages/api/src/documents/site/markdown.ts';
import { guides } from '../../../packages/api/src/documents/site/pages.ts';
import { builtSite } from '../../../packages/api/src/documents/site-files.ts';
import { readReasons } from '../../../packages/api/src/reasons.ts';
import { type Page, useBrowser } from '../../../tests/browser/browser.ts';
import { journey } from '../../../tests/browser/journey.ts';
import { startTestApi } from '../../../tests/support/api.ts';
import { operations } from '../../../tests/support/documented.ts';
import { useClosed } from '../../../tests/support/use.ts';
import { openPage, readsWell } from './site-pages.ts';

const api = useClosed(() => startTestApi({}, builtSite));
const browser = useBrowser();

const looked = [
  '',
  ...guides.map(({ path }) => path),
  'reference/v2/',
  'reference/v2/orders-create',
  'reference/events',
];

journey('every page of the documents reads well, complains of nothing and asks no other host', (check) => {
  for (const path of looked) check(`/docs/${path}`, () => readsWell(browser, `${api.url}/docs/${path}`));
});

test('the search finds every operation, and every reason of a refusal', { timeout: 600_000 }, async () => {
  const { page, complaints } = await opened();
  await page.setViewport({ width: 1280, height: 900 });
  await page.goto(`${api.url}/docs/`, { waitUntil: 'networkidle0' });
  await page.click('#local-search button');
  await page.waitForSelector('#localsearch-input');
  const lost: string[] = [];
  for (const operation of operations) {
    for (const { version, method, path } of operation.routes) {
      const address = `/docs/reference/${version}/${kebab(operationId(operation))}`;
      const query = `${operation.meta.summary} ${method} ${path}`;
      if (!(await finds(page, query, address))) lost.push(query);
    }
  }
  for (const reason of Object.keys(readReasons))
    if (!(await finds(page, reason, '/docs/errors', `#${reason}`))) lost.push(reason);
  expect(lost).toEqual([]);
  expect(complaints).toEqual([]);
  await page.close();
});

journey(
  'the first page is small, tabs keep their language, and the search box leads to the guide',
  (check) => {
    check('the first page needs at most 300 KB, compressed', async () => {
      const page = await browser.newPage();
      const devTools = await page.createCDPSession();
      let bytes = 0;
      devTools.on('Network.loadingFinished', ({ encodedDataLength }) => {
        bytes += encodedDataLength;
      });
      await devTools.send('Network.enable');
      await devTools.send('Network.setCacheDisabled', { cacheDisabled: true });
      await page.goto(`${api.url}/docs/`, { waitUntil: 'networkidle0' });
      expect(bytes).toBeGreaterThan(10_000);
      expect(bytes).toBeLessThan(300_000);
      await page.close();
    });

    check('a tab shows the sample of its language, and no other', async () => {
      const { page, complaints } = await openPage(browser);
      await page.goto(`${api.url}/docs/reference/v2/orders-create`, { waitUntil: 'networkidle0' });
      const shown = `[...document.querySelectorAll('.vp-code-group .blocks > div')]
    .filter((block) => getComputedStyle(block).display !== 'none').map((block) => block.className.split(' ')[0]).join()`;
      expect(await page.evaluate(shown)).toBe('language-sh');
      for (const [title, language] of [
        ['Python', 'python'],
        ['Node', 'js'],
      ]) {
        await page.click(`.vp-code-group label[data-title="${title}"]`);
        await page.waitForFunction(`${shown} === 'language-${language}'`, { timeout: 8_000 });
      }
      expect(complaints).toEqual([]);
      await page.close();
    });

    check('the language of a tab is shown on every page, and its focus can be seen', async () => {
      const { page, complaints } = await openPage(browser);
      const active = `[...document.querySelectorAll('.vp-code-group .blocks > .active')].map((block) => block.className.split(' ')[0]).join()`;
      await page.goto(`${api.url}/docs/reference/v2/orders-create`, { waitUntil: 'networkidle0' });
      await page.setViewport({ width: 1280, height: 900 });
      await page.evaluate(`document.querySelector('.vp-code-group input').focus()`);
      const outline = `getComputedStyle(document.querySelector('.vp-code-group input:checked + label')).outlineStyle`;
      await page.keyboard.press('ArrowRight');
      await page.waitForFunction(`${active} === 'language-js'`, { timeout: 8_000 });
      expect(await page.evaluate(outline)).toBe('solid');
      await page.goto(`${api.url}/docs/reference/v2/orders-list`, { waitUntil: 'networkidle0' });
      await page.waitForFunction(`${active} === 'language-js'`, { timeout: 8_000 });
      // Without a load of the page as well.
      await page.click('.VPSidebar a[href="/docs/reference/v2/products-list"]');
      await page.waitForFunction(
        `document.querySelector('h1').textContent.startsWith('List products') && ${active} === 'language-js'`,
        { timeout: 8_000 },
      );
      expect(complaints).toEqual([]);
      await page.close();
    });

    check('the search box asks as the tests of the search do: the guide comes first', async () => {
      const { page, complaints } = await opened();
      await page.goto(`${api.url}/docs/`, { waitUntil: 'networkidle0' });
      await page.click('#local-search button');
      await page.waitForSelector('#localsearch-input');
      await page.type('#localsearch-input', 'verify a webhook');
      await page.waitForFunction(
        `document.querySelector('.VPLocalSearchBox .results a')?.pathname === '/docs/guides/verify-a-webhook'`,
        { timeout: 8_000 },
      );
      expect(complaints).toEqual([]);
      await page.close();
    });
  },
);

const opened = () => openPage(browser);

async function finds(page: Page, query: string, address: string, place = ''): Promise<boolean> {
  // The box waits for the end of typing; its list is of this query once it says so.
  await page.evaluate(
    `{ const box = document.querySelector('#localsearch-input');
       box.value = ${JSON.stringify(query)};
       box.dispatchEvent(new Event('input')); }`,
  );
  const links = `[...document.querySelectorAll('.VPLocalSearchBox .results a')].map((a) => a.pathname + (${JSON.stringify(place)} && a.hash))`;
  return page
    .waitForFunction(`${links}.includes(${JSON.stringify(address + place)})`, { timeout: 8_000 })
    .then(
      () => true,
      () => false,
    );
}
