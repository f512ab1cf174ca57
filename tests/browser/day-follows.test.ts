import { expect, test } from 'vitest';
import { live } from '../screens/board-page.ts';
import { takePermission } from '../screens/session-keys.ts';
import { thrownBy } from '../support/thrown.ts';
import type { AppPage } from './app-page.ts';
import { useBoards } from './boards.ts';
import type { Page } from './browser.ts';
import { skip, withClock } from './clock.ts';

// Payments and closings elsewhere reach the day by events: it asks for nothing while nothing happens.

const { api, opened, place, link } = useBoards();

const client = () => api.client();
const requests = (page: AppPage) => page.evaluate<number>('turnCalls');

/** A page with a clock, which counts its calls of turns and the calls that are not answered. */
async function counting(page: Page): Promise<void> {
  await withClock(page);
  await page.evaluateOnNewDocument(`
    window.turnCalls = 0;
    window.openCalls = 0;
    const ask = window.fetch;
    window.fetch = (...words) => {
      const url = String(words[0]);
      if (url.includes('turns.')) turnCalls += 1;
      const answer = ask(...words);
      if (url.includes('events/stream')) return answer;
      openCalls += 1;
      answer.finally(() => { openCalls -= 1; }).catch(() => {});
      return answer;
    };`);
}

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
  const page = await opened({ prepare: counting }, await link({ screens: ['day'] }));
  await page.until(live);
  await page.until(`document.querySelector('.turn') !== null`);
  return page;
}

/** A payment that is completed elsewhere, once its order is on the day. */
async function paidElsewhere(page: AppPage, wait = async () => {}): Promise<void> {
  const before = await client().turns.getCurrent.query();
  const order = await place();
  await page.until(`document.querySelector('.turn p').innerText.endsWith(': ${before.total_orders + 1}')`);
  await wait();
  const { payment } = await client().orders.get.query({ id: order.id });
  await client().payments.complete.mutate({ id: payment.id });
  const { total_collected } = await client().turns.getCurrent.query();
  await page.until(
    `document.querySelector('.turn tfoot td:nth-child(3)')?.innerText.includes('${total_collected}')`,
  );
}

test('a turn that is opened, paid into and closed elsewhere, without a request while nothing happens', async () => {
  const page = await day();
  await page.until(`document.querySelector('.turn').innerText.includes('No turn is open')`);
  await client().turns.open.mutate();
  await page.until(`document.querySelector('.turn tfoot') !== null`);
  await paidElsewhere(page, async () => {
    await reached(page);
    await skip(page, 6_000);
    await page.until('openCalls === 0');
    const before = await requests(page);
    // Longer than a session that hears of no payments waits before it looks again.
    await skip(page, 12_000);
    expect(await requests(page)).toBe(before);
  });
  await client().turns.close.mutate();
  await page.until(`document.querySelectorAll('.turn').length === 2`);
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
  await page.until(`${low}.includes('Rye')`);
  await client().products.delete.mutate({ id });
  await page.until(`!${low}.includes('Rye')`);
});
