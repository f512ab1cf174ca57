import { beforeAll, expect } from 'vitest';
import { builtSite } from '../../../packages/api/src/documents/site-files.ts';
import { type Page, seriousFindings, useBrowser } from '../../../tests/browser/browser.ts';
import { journey } from '../../../tests/browser/journey.ts';
import { startTestApi } from '../../../tests/support/api.ts';
import { useClosed } from '../../../tests/support/use.ts';
import { openPage, sizes } from './site-pages.ts';

const api = useClosed(() => startTestApi({}, builtSite));
const browser = useBrowser();
let key: string;
let resets = 0;
beforeAll(async () => {
  key = (await api.place({ location: { sandbox: true } })).token;
  await reset();
});
// The order of the example has an `external_id`, which is taken once it was created.
async function reset(): Promise<void> {
  const headers = { 'idempotency-key': `reset-${resets++}` };
  const { status, text: said } = await api.rest('POST /v2/sandbox/reset', { key, headers });
  expect(status, said).toBe(200);
}

const looks = sizes.flatMap((size) => ['light', 'dark'].map((scheme) => ({ ...size, scheme })));

journey(
  'the form of the reference',
  (check) => {
    for (const { scheme, name, ...size } of looks)
      check(
        `on ${name}, ${scheme}: an order is created by the keyboard alone, without a finding of axe or a complaint of the policy`,
        async () => {
          const { page, complaints, hosts } = await openPage(browser);
          await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
          await page.setViewport(size);
          await open(page, 'v2/orders-create');
          expect(await seriousFindings(page)).toEqual([]);
          await page.evaluate(`document.querySelector('#try-key').focus()`);
          await page.keyboard.type(key);
          await page.keyboard.press('Tab');
          await page.keyboard.press('Enter');
          await filled(page);
          expect(await page.evaluate('document.activeElement.className')).toContain('try-fill');
          expect(await seriousFindings(page)).toEqual([]);
          await page.evaluate(`document.querySelector('#try-key').focus()`);
          await page.keyboard.press('Enter');
          await answered(page);
          expect(await text(page, '.try-answer strong')).toBe('Answer: 201 Created');
          expect(JSON.parse(await text(page, '.try-answer > pre'))).toMatchObject({
            data: { status: 'pending' },
          });
          expect(await text(page, '.try-answer details pre')).toMatch(/^x-request-id: \S+$/m);
          await page.click('.try-answer summary');
          expect(await seriousFindings(page)).toEqual([]);
          expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(size.width);
          expect(complaints).toEqual([]);
          expect([...hosts]).toEqual([new URL(api.url).host]);
          await page.close();
        },
      );

    check('the form is loaded only by a reader who opens it', async () => {
      const { page, asked } = await openPage(browser);
      await page.goto(`${api.url}/docs/reference/v2/orders-create`, { waitUntil: 'networkidle0' });
      const loaded = () => asked.filter((url) => /call-form|openapi-v2/.test(url)).length;
      expect(loaded()).toBe(0);
      await page.click('.try .try-button');
      await page.waitForSelector('#try-key');
      expect(loaded()).toBe(2);
      await page.close();
    });

    check('a key of a live location is neither sent nor kept', async () => {
      const { page, asked } = await openPage(browser);
      await open(page, 'v2/orders-list');
      await page.type('#try-key', api.key.key);
      expect(await text(page, '#try-key-problem')).toContain('live location');
      asked.length = 0;
      await page.keyboard.press('Enter');
      await page.click('.try-form button[type=submit]');
      expect(asked).toEqual([]);
      expect(
        await page.evaluate('JSON.stringify([{ ...sessionStorage }, { ...localStorage }])'),
      ).not.toContain('cmd_live_');
      await page.close();
    });

    check('a key of a sandbox goes from page to page, and is in no address', async () => {
      const { page, asked } = await openPage(browser);
      await open(page, 'v1/orders-list');
      await page.type('#try-key', key);
      await page.keyboard.press('Enter');
      await answered(page);
      expect(await text(page, '.try-answer strong')).toBe('Answer: 200 OK');
      await open(page, 'v2/orders-get');
      expect(await page.evaluate(`document.querySelector('#try-key').value`)).toBe(key);
      await fillIn(page);
      await page.click('.try-form button[type=submit]');
      await answered(page);
      expect(await text(page, '.try-answer strong')).toBe('Answer: 200 OK');
      expect(asked.filter((url) => url.includes(key))).toEqual([]);
      expect(await page.evaluate('location.href')).not.toContain(key);
      expect(await page.evaluate('JSON.stringify({ ...localStorage }) + document.cookie')).not.toContain(key);
      await page.close();
    });

    check(
      'a refusal leads to its explanation, and the same order sent again is not a second one',
      async () => {
        const { page } = await openPage(browser);
        await open(page, 'v2/orders-create');
        await enter(page, '#try-key', key);
        await fillIn(page);
        const sent = await page.evaluate<string>(`document.querySelector('#try-body').value`);
        await enter(page, '#try-body', '{');
        await page.click('.try-form button[type=submit]');
        await answered(page);
        expect(await text(page, '.try-answer strong')).toBe('Answer: 400 Bad Request');
        const [link, reason] = await page.evaluate<[string, string]>(
          `(() => { const a = document.querySelector('.try-answer a'); return [a.pathname + a.hash, a.textContent]; })()`,
        );
        expect(link).toBe(`/docs/errors#${reason}`);
        await enter(page, '#try-body', sent);
        for (const replayed of [false, true]) {
          await page.click('.try-form button[type=submit]');
          await answered(page);
          expect(await text(page, '.try-answer strong')).toBe('Answer: 201 Created');
          expect((await text(page, '.try-answer details pre')).includes('idempotency-replayed: true')).toBe(
            replayed,
          );
        }
        await page.close();
      },
    );

    check('a stream is shown as it comes, until it is stopped', async () => {
      const { page } = await openPage(browser);
      await open(page, 'v2/events-watch');
      await enter(page, '#try-key', key);
      await page.click('.try-form button[type=submit]');
      await page.waitForFunction(
        `document.querySelector('.try-answer > pre')?.textContent.includes('retry:')`,
      );
      await page.click('.try-stop');
      await answered(page);
      expect(await text(page, '.try-answer strong')).toBe('Answer: 200 OK');
      expect(await page.evaluate('document.activeElement.type')).toBe('submit');
      expect(await page.evaluate(`document.querySelector('p.try-problem')`)).toBeNull();
      await page.close();
    });
  },
  reset,
);

/** Opens the reference page of an operation, and its form by the keyboard. */
async function open(page: Page, operation: string): Promise<void> {
  await page.goto(`${api.url}/docs/reference/${operation}`, { waitUntil: 'networkidle0' });
  await page.evaluate(`document.querySelector('.try .try-button').focus()`);
  await page.keyboard.press('Enter');
  await page.waitForSelector('#try-key');
}

/** Replaces what a field holds. */
const enter = (page: Page, field: string, value: string) =>
  page.evaluate(`{ const field = document.querySelector(${JSON.stringify(field)});
    field.value = ${JSON.stringify(value)};
    field.dispatchEvent(new Event('input')); }`);

async function fillIn(page: Page): Promise<void> {
  await page.waitForSelector('.try-fill:not(:disabled)');
  await page.click('.try-fill');
  await filled(page);
}

const filled = (page: Page) =>
  page.waitForFunction(`document.querySelector('.try-hint').textContent.includes('are filled in')`);

/** Waits for the end of an answer. */
const answered = (page: Page) =>
  page.waitForFunction(
    `document.querySelector('.try-answer') && document.querySelector('.try-form button[type=submit]').ariaDisabled === 'false'`,
  );

const text = (page: Page, selector: string): Promise<string> =>
  page.evaluate(`document.querySelector(${JSON.stringify(selector)})?.textContent ?? ''`);
