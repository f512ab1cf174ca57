import { expect, test } from 'vitest';
import { createPayments } from '../support/moved-payments.ts';
import { confirm, press, says } from './actions.ts';
import { useDesk } from './app.ts';

const { api, desk } = useDesk();

test('a turn was closed without a view of what its settlement is made of', async () => {
  const { database } = api.app;
  const { locationId } = api;
  const page = await desk('turns');
  await press(page, 'Open a turn');
  await expect
    .poll(() =>
      api
        .client()
        .turns.getCurrent.query()
        .catch(() => undefined),
    )
    .toBeDefined();
  const methodId = await api.make.paymentMethod();
  const made = await createPayments(database, { locationId, methodId }, 60);
  await database.pool.query(`update payments set status = 'completed' where location_id = $1`, [locationId]);
  await press(page, 'Close the turn');
  await page.waitForSelector('.dialog');
  await page.type('.dialog label:nth-of-type(2) input', '1');
  await confirm(page);
  await says(page, 'Closed turns and their settlements');
  await page.waitForSelector('.desk tbody a');
  await page.click('.desk tbody a');
  await says(page, 'Entries of the settlement');
  const [settlement] = (await api.client().settlements.list.query({ limit: 1 })).data;
  const { difference = 0 } = await api.client().settlements.get.query({ id: settlement?.id ?? '' });
  expect(difference).toBeLessThan(-100);
  const money = new Intl.NumberFormat('en', { style: 'currency', currency: 'USD' }).format(difference);
  await says(page, `Difference to what was expected\n${money}`);
  const rows = () => page.evaluate<number>(`document.querySelectorAll('article tbody tr').length`);
  await expect.poll(rows).toBe(50);
  await press(page, 'Show more');
  await expect.poll(rows).toBe(made.length);
  expect(page.complaints).toEqual([]);
});
