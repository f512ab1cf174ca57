import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { repositoryRoot } from '../../packages/db/src/root.ts';
import { createOrderKitchen, type OrderKitchen, placeOrder } from '../support/orders.ts';
import { usePublishingApi } from '../support/published.ts';
import { type DatabaseProxy, startProxy } from '../worker/proxy.ts';
import { type Browser, type Page, startBrowser } from './browser.ts';
import { type KitchenDisplay, startKitchenDisplay } from './kitchen-display.ts';

// The screen of the guide with each React version that the client supports.

vi.setConfig({ testTimeout: 120_000 });
const api = usePublishingApi();
let kitchen: OrderKitchen;
let browser: Browser;
beforeAll(async () => {
  [kitchen, browser] = await Promise.all([createOrderKitchen(api), startBrowser()]);
}, 120_000);
afterAll(() => browser?.close());

const place = async () => (await placeOrder(api, kitchen)) as { id: string; number: number };
const statusOf = async (id: string) => (await api.client().orders.get.query({ id })).status;

describe.each([
  ['18', join(repositoryRoot, 'tests/bundlers/react-18')],
  ['19', undefined],
])('a live list with React %s', (major, folder) => {
  let wire: DatabaseProxy;
  let display: KitchenDisplay;
  let page: Page;
  const faults: string[] = [];
  beforeAll(async () => {
    wire = await startProxy(api.url);
    display = await startKitchenDisplay(wire.url.replace(/\/$/, ''), api.key.key, folder);
    page = await browser.newPage();
    page.on('pageerror', ({ message }) => faults.push(message));
    page.on('console', (said) => {
      if (said.type() === 'error' && !said.text().includes('Failed to load resource'))
        faults.push(said.text());
    });
    await page.goto(display.url);
  }, 120_000);
  afterAll(async () => {
    await page?.close();
    await display?.close();
    await wire?.close();
  });
  const until = (code: string) => page.waitForFunction(code, { timeout: 60_000 });
  const state = (name: string) => until(`document.querySelector('[role=status]')?.textContent === '${name}'`);
  const card = (number: number, status: string) =>
    until(`document.querySelector('#order-${number}.${status}') !== null`);

  test('is drawn, follows what happens, shows a press at once, and catches up after a loss', async () => {
    expect(await page.evaluate<string>('reactVersion')).toMatch(new RegExp(`^${major}\\.`));
    await state('live');
    const order = await place();
    await card(order.number, 'pending');
    wire.cut();
    await state('offline');
    await page.evaluate(`document.querySelector('#order-${order.number} button').click()`);
    await card(order.number, 'ready');
    expect(await statusOf(order.id)).toBe('pending');
    const meanwhile = await place();
    wire.mend();
    await card(meanwhile.number, 'pending');
    await state('live');
    await expect.poll(() => statusOf(order.id), { timeout: 20_000 }).toBe('ready');
    const shown = await page.evaluate<string[]>(
      `[...document.querySelectorAll('article')].map(({ id }) => id)`,
    );
    const { data } = await api.client().orders.list.query({ status: ['pending', 'ready'], limit: 200 });
    expect(shown).toEqual(data.map(({ number }) => `order-${number}`));
    expect(faults).toEqual([]);
  });
});
