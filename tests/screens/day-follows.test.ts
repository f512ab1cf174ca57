import { expect, test } from 'vitest';
import { thrownBy } from '../support/thrown.ts';
import { type AppPage, useBoards } from './app.ts';
import { live } from './board-page.ts';
import { takePermission } from './session-keys.ts';

// Payments and closings elsewhere reach the day by events: it asks for nothing while nothing happens.

const { api, opened, place, link } = useBoards();

const client = () => api.client();
const requests = ({ network }: AppPage) => network.asked.filter(({ url }) => url.includes('turns.')).length;

/** Waits until the page has every event from before: a later one, of stock that runs low, has reached it. */
async function reached(page: AppPage): Promise<void> {
  const id = await api.make.product({
    name: 'Marker',
    stock: { enabled: true, quantity: 3, minStockAlarm: 2 },
  });
  await client().stock.sync.mutate({ items: [{ product_id: id, enabled: true, quantity: 1 }] });
  await page.until(`document.querySelector('.low').innerText.includes('Marker')`);
}

async function day(): Promise<AppPage> {
  const page = await opened({}, await link({ screens: ['day'] }));
  await page.until(live);
  await page.until(`document.querySelector('.turn') !== null`);
  return page;
}

/** A payment that is completed elsewhere, once its order is on the day. */
async function paidElsewhere(page: AppPage, wait = async () => {}): Promise<void> {
  const before = await client().turns.getCurrent.query();
  const order = await place();
  await page.hurry(`document.querySelector('.turn p').innerText.endsWith(': ${before.total_orders + 1}')`);
  await wait();
  const { payment } = await client().orders.get.query({ id: order.id });
  await client().payments.complete.mutate({ id: payment.id });
  const { total_collected } = await client().turns.getCurrent.query();
  await page.hurry(
    `document.querySelector('.turn tfoot td:nth-child(3)')?.innerText.includes('${total_collected}')`,
  );
}

test('a turn that is opened, paid into and closed elsewhere, without a request while nothing happens', async () => {
  await thrownBy(client().turns.close.mutate());
  const page = await day();
  await page.until(`document.querySelector('.turn').innerText.includes('No turn is open')`);
  await client().turns.open.mutate();
  await page.hurry(`document.querySelector('.turn tfoot') !== null`);
  await paidElsewhere(page, async () => {
    await reached(page);
    await page.skip(6_000);
    await page.settled();
    const before = requests(page);
    // Longer than a session that hears of no payments waits before it looks again.
    for (let round = 0; round < 4; round += 1) {
      await page.skip(5_000);
      await page.settled();
    }
    expect(requests(page)).toBe(before);
  });
  await client().turns.close.mutate();
  await page.hurry(`document.querySelectorAll('.turn').length === 2`);
});

test('a session from before the day could hear of payments looks at its turn again and again', async () => {
  await thrownBy(client().turns.open.mutate());
  const page = await day();
  await takePermission(api, page, 'payments:read');
  await page.goto(`${api.url}/app/day`);
  await page.until(live);
  await page.until(`document.querySelector('.turn tfoot') !== null`);
  await paidElsewhere(page);
  expect(await page.evaluate(live)).toBe(true);
});

test('stock that runs low by orders elsewhere, and a product that is deleted', async () => {
  const stock = { enabled: true, quantity: 3, minStockAlarm: 2 };
  const id = await api.make.product({ name: 'Rye', stock });
  const page = await day();
  const low = `document.querySelector('.low').innerText`;
  await page.until(`document.querySelector('.low p, .low table') !== null && !${low}.includes('Loading')`);
  expect(await page.evaluate<string>(low)).not.toContain('Rye');
  await place({ items: [{ product_id: id, quantity: 2 }] });
  await page.hurry(`${low}.includes('Rye')`);
  await client().products.delete.mutate({ id });
  await page.until(`!${low}.includes('Rye')`);
});
