import { expect, test } from 'vitest';
import { useBrowser } from '../../../tests/browser/browser.ts';
import { linkTo } from '../../../tests/screens/links.ts';
import { useOrderKitchen } from '../../../tests/support/orders.ts';
import { usePublishingApi } from '../../../tests/support/published.ts';
import { useClosed } from '../../../tests/support/use.ts';
import { startStudio } from '../tests/run.ts';
import { sitDown } from './admin.ts';

const api = usePublishingApi(undefined, { app: 'on' });
const studio = useClosed(() =>
  startStudio(api.databaseUrl, ['--as', 'ana', '--edit', '--desk', `${api.url}/`]),
);
const browser = useBrowser();
const kitchen = useOrderKitchen(api);

test('nothing in Studio led to the desk: a row does, in one tab that stays signed in, and from there back', async () => {
  const [one, other] = [await kitchen.place(), await kitchen.place()];
  const admin = await sitDown(browser, studio);
  const { port } = new URL(studio.origin);
  const follow = async (hash: string, column: string) => {
    // A page behind another tab is not drawn.
    await admin.page.bringToFront();
    await admin.open(hash);
    const link = `td[data-grid-column-id="${column}"][data-grid-row-index="0"] a`;
    // The grid moves while it is drawn.
    const pressed = () =>
      admin.page.click(link).then(
        () => true,
        () => false,
      );
    await expect.poll(pressed, { timeout: 20_000 }).toBe(true);
  };

  const opened = browser.waitForTarget((target) => target.url().startsWith(`${api.url}/app/desk`));
  await follow('#schema=public&table=orders_today', 'number');
  const desk = await (await opened).page();
  if (desk === null) throw new Error('the link opened no tab');
  await desk.waitForSelector('.sign-in input');
  await desk.type('.sign-in input', await linkTo(api, { screens: ['desk'] }));
  await desk.click('.sign-in .primary');
  const heading = () => desk.evaluate<string>(`document.querySelector('.order h2')?.textContent ?? ''`);
  await expect.poll(heading, { timeout: 20_000 }).toBe(`Order ${other.number}`);

  const pages = (await browser.pages()).length;
  const filter = {
    kind: 'FilterGroup',
    id: 'g',
    after: 'and',
    filters: [{ kind: 'ColumnFilter', id: 'c', column: 'id', operator: '=', value: one.id, after: 'and' }],
  };
  const found = encodeURIComponent(JSON.stringify(filter));
  await follow(`#schema=public&table=orders&filter=${found}`, 'number');
  await expect.poll(heading, { timeout: 20_000 }).toBe(`Order ${one.number}`);
  expect((await browser.pages()).length).toBe(pages);
  const back = await desk.evaluate<string>(`document.querySelector('.order header a').href`);
  expect(back).toMatch(new RegExp(`^http://127\\.0\\.0\\.1:${port}/#schema=public&table=orders&filter=`));

  await follow('#schema=public&table=order_events', 'order_number');
  await expect.poll(heading, { timeout: 20_000 }).toBe(`Order ${other.number}`);
  expect(admin.complaints).toEqual([]);
});
