import { expect, test } from 'vitest';
import { createPaymentMethod } from '../support/factories.ts';
import { createPayments } from '../support/moved-payments.ts';
import { usePublishingApi } from '../support/published.ts';
import { seriousFindings, useBrowser } from './browser.ts';
import { openDesk, press, says } from './desk-page.ts';

const api = usePublishingApi(undefined, { app: 'on' });
const browser = useBrowser();

test('a turn was closed without a view of what its settlement is made of', { timeout: 90_000 }, async () => {
  const { database } = api.app;
  const { locationId } = api;
  const page = await openDesk(browser, api, 'turns', { size: 'phone' });
  await press(page, 'Open a turn');
  await expect
    .poll(() =>
      api
        .client()
        .turns.getCurrent.query()
        .catch(() => undefined),
    )
    .toBeDefined();
  const methodId = await createPaymentMethod(database, { locationId });
  const made = await createPayments(database, { locationId, methodId }, 60);
  await database.pool.query(`update payments set status = 'completed' where location_id = $1`, [locationId]);
  await press(page, 'Close the turn');
  await page.waitForSelector('.dialog .primary');
  await page.click('.dialog .primary');
  await says(page, 'Closed turns and their settlements');
  await page.waitForSelector('.desk tbody a');
  await page.click('.desk tbody a');
  await says(page, 'Entries of the settlement');
  const rows = () => page.evaluate<number>(`document.querySelectorAll('article tbody tr').length`);
  await expect.poll(rows).toBe(50);
  expect(await seriousFindings(page)).toEqual([]);
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
  await press(page, 'Show more');
  await expect.poll(rows).toBe(made.length);
  expect(page.complaints).toEqual([]);
  await page.close();
});
