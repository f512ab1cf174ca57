import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { repositoryRoot } from '../../packages/db/src/root.ts';
import { useOrderKitchen } from '../support/orders.ts';
import { usePublishingApi } from '../support/published.ts';
import { useClosed } from '../support/use.ts';
import { startProxy } from '../worker/proxy.ts';
import { type Page, useBrowser } from './browser.ts';
import { startKitchenDisplay } from './kitchen-display.ts';

// The screen of the guide with each React version that the client supports.

const api = usePublishingApi();
const kitchen = useOrderKitchen(api);
const browser = useBrowser();
const statusOf = async (id: string) => (await api.client().orders.get.query({ id })).status;

describe.each([
  ['18', join(repositoryRoot, 'tests/bundlers/react-18')],
  ['19', undefined],
])('a live list with React %s', (major, folder) => {
  const wire = useClosed(() => startProxy(api.url));
  const display = useClosed(() => startKitchenDisplay(new URL(wire.url).origin, api.key.key, folder));
  let page: Page;
  const faults: string[] = [];
  beforeAll(async () => {
    page = await browser.newPage();
    page.on('pageerror', ({ message }) => faults.push(message));
    page.on('console', (said) => {
      if (said.type() === 'error' && !said.text().includes('Failed to load resource'))
        faults.push(said.text());
    });
    await page.goto(display.url);
  }, 120_000);
  const until = (code: string) => page.waitForFunction(code, { timeout: 60_000 });
  const state = (name: string) => until(`document.querySelector('[role=status]')?.textContent === '${name}'`);
  const card = (number: number, status: string) =>
    until(`document.querySelector('#order-${number}.${status}') !== null`);

  test('is drawn, follows what happens, shows a press at once, and catches up after a loss', async () => {
    expect(await page.evaluate<string>('reactVersion')).toMatch(new RegExp(`^${major}\\.`));
    await state('live');
    const order = await kitchen.place();
    await card(order.number, 'pending');
    wire.cut();
    await state('offline');
    await page.evaluate(`document.querySelector('#order-${order.number} button').click()`);
    await card(order.number, 'ready');
    expect(await statusOf(order.id)).toBe('pending');
    const meanwhile = await kitchen.place();
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
