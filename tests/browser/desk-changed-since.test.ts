import { afterAll, beforeAll, expect, test } from 'vitest';
import { useApi } from '../support/api.ts';
import { linkTo, openApp } from './app-page.ts';
import { type Browser, startBrowser } from './browser.ts';
import { press, says } from './desk-page.ts';

const api = useApi(() => ({ app: 'on' }));
let browser: Browser;
beforeAll(async () => {
  browser = await startBrowser();
}, 120_000);
afterAll(() => browser?.close());

test('a change that another admin saved first is shown, and what was typed stays', {
  timeout: 60_000,
}, async () => {
  const page = await openApp(browser, await linkTo(api, { name: 'ana', screens: ['desk'] }));
  await page.until(`document.querySelector('.desk nav a') !== null`);
  await page.goto(`${api.url}/app/desk/location`);
  const name = '.desk form label:nth-of-type(1) input';
  await page.waitForSelector(name);
  await page.type(name, ' of Ana');
  const typed = await page.evaluate<string>(`document.querySelector('${name}').value`);
  await api.client().locations.update.mutate({ id: api.locationId, name: 'Of Berta' });
  await press(page, 'Save');
  await says(page, 'Somebody changed it meanwhile.');
  await says(page, 'Now there: Of Berta');
  expect(await page.evaluate(`document.querySelector('${name}').value`)).toBe(typed);
  expect(await api.client().locations.getCurrent.query()).toMatchObject({ name: 'Of Berta' });
  await press(page, 'Save');
  await page.until(`document.querySelector('.place').textContent.endsWith(' of Ana')`);
});
