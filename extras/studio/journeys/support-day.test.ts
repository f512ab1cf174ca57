import { afterAll, beforeAll, expect } from 'vitest';
import { type AppPage, openApp } from '../../../tests/browser/app-page.ts';
import { useBrowser } from '../../../tests/browser/browser.ts';
import { journey } from '../../../tests/browser/journey.ts';
import { linkTo } from '../../../tests/screens/links.ts';
import { openHand, useHand } from '../../../tests/support/by-hand.ts';
import { type RecordingConsumer, startConsumer } from '../../../tests/support/consumer.ts';
import { makeTestFolder } from '../../../tests/support/folder.ts';
import { createOrderKitchen } from '../../../tests/support/orders.ts';
import { usePublishingApi } from '../../../tests/support/published.ts';
import { type RunningStudio, startStudio } from '../tests/run.ts';
import { sitDown } from './admin.ts';
import { cases } from './support-day/cases.ts';
import type { Day } from './support-day/day.ts';
import { DeskHand, type Effort } from './support-day/desk-hand.ts';
import { supportRecipes } from './support-day/recipe.ts';

const api = usePublishingApi(undefined, { app: 'on' });
const owner = useHand(api);
const consumer = { status: 200 } as RecordingConsumer & { status: number };
const folder = makeTestFolder('support');
const browser = useBrowser();
let studio: RunningStudio | undefined;
let page: AppPage;
beforeAll(async () => {
  Object.assign(
    consumer,
    await startConsumer((_, response) => {
      response.statusCode = consumer.status;
      response.end(consumer.status === 200 ? 'ok' : 'out of order');
    }),
  );
  page = await signedIn('ana');
}, 120_000);
afterAll(async () => {
  await studio?.close();
  await consumer.close?.();
});

/** The desk of a person. */
const signedIn = async (name: string) => follow(await linkTo(api, { name, screens: ['desk'] }));

/** The desk of a link, which signs in. */
async function follow(link: string): Promise<AppPage> {
  const opened = await openApp(browser, link);
  await opened.until(`document.querySelector('.desk nav a') !== null`);
  // It asks before it is left with a change that is not answered yet.
  opened.on('dialog', (dialog) => void dialog.accept());
  return opened;
}

const efforts: { title: string; effort: Effort; seconds: number }[] = [];
const of = (count: number, one: string, more = `${one}s`) => `${count} ${count === 1 ? one : more}`;

afterAll(() => {
  for (const { title, effort, seconds } of efforts) {
    const { clicks, fields, enters, lines } = effort;
    const parts = [
      of(clicks, 'click'),
      of(fields, 'field'),
      of(enters, 'Enter', 'Enters'),
      of(lines, 'line'),
    ];
    const said = [...parts.filter((part) => !part.startsWith('0')), `${seconds.toFixed(1)} s`].join(', ');
    process.stdout.write(`${title}: ${said}\n`);
  }
});

journey('every recipe of a day of support is carried out as it is written', (check) => {
  for (const { title, carryOut } of cases)
    check(title, async () => {
      const recipe = supportRecipes.find((each) => each.title === title);
      if (recipe === undefined) throw new Error(`the guide has no recipe "${title}"`);
      await page.goto(`${api.url}/app/desk`);
      await page.until(`document.querySelector('.desk nav a') !== null`);
      consumer.status = 200;
      const desk = new DeskHand(page);
      const others: DeskHand[] = [];
      const day: Day = {
        api,
        consumer,
        desk,
        recipe,
        folder,
        owner,
        client: api.client(),
        kitchen: await createOrderKitchen(api),
        async hand(name) {
          const opened = await openHand(api.databaseUrl, 'admin');
          await opened.sql(`select set_config('application_name', $1, false)`, [name]);
          return opened;
        },
        async otherDesk(code) {
          const other = new DeskHand(await follow(`${api.url}/app#code=${code}`));
          others.push(other);
          return other;
        },
        async studio() {
          studio ??= await startStudio(api.databaseUrl, ['--as', 'ana', '--edit']);
          return sitDown(browser, studio);
        },
      };
      const began = performance.now();
      await carryOut(day);
      for (const other of others) desk.add(other);
      efforts.push({ title, effort: desk, seconds: (performance.now() - began) / 1_000 });
      // It is carried out as it is written: every pressed or filled element is named there.
      const unnamed = [...desk.names].filter(
        (name) => !['**', '`'].some((mark) => recipe.text.includes(`${mark}${name}${mark}`)),
      );
      expect({ title, unnamed }).toEqual({ title, unnamed: [] });
      if (desk.enters > 0) expect(recipe.text).toContain('Enter');
    });

  check('of two admins at one row the second saw nothing of the first', async () => {
    const id = await api.make.product({ name: 'Scone', price: 95 });
    const ana = new DeskHand(page);
    const bob = new DeskHand(await signedIn('bob'));
    for (const { page: opened } of [ana, bob]) await opened.goto(`${api.url}/app/desk/products/${id}`);
    await ana.type('Price', '150');
    await bob.page.bringToFront();
    await bob.type('Price', '140');
    await bob.press('Save');
    const price = async () => (await api.client().products.get.query({ id })).price;
    await expect.poll(price, { timeout: 20_000 }).toBe(140);
    await ana.page.bringToFront();
    await ana.press('Save');
    await ana.sees('Someone else changed it meanwhile.');
    await ana.sees('Now there: 140');
    expect(await price()).toBe(140);
    await ana.press('Save');
    await expect.poll(price, { timeout: 20_000 }).toBe(150);
    const { data } = await api.client().audit.list.query({ limit: 2, about: id });
    expect(data.map(({ by }) => by)).toEqual(['ana', 'bob']);
    await bob.page.close();
  });
});
