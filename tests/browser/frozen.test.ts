import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { createOrderKitchen, type OrderKitchen, placeOrder } from '../support/orders.ts';
import { usePublishingApi } from '../support/published.ts';
import { waitFor } from '../support/wait.ts';
import { type Browser, type Page, startBrowser } from './browser.ts';
import { type KitchenDisplay, startKitchenDisplay } from './kitchen-display.ts';
import { useTabs } from './tabs.ts';

// A browser freezes hidden pages, or stops their process.

vi.setConfig({ testTimeout: 120_000 });
const api = usePublishingApi();
const tabs = useTabs(api);
let kitchen: OrderKitchen;
let display: KitchenDisplay;
let browser: Browser;
beforeAll(async () => {
  [kitchen, browser] = await Promise.all([createOrderKitchen(api), startBrowser()]);
  display = await startKitchenDisplay(api.url, api.key.key);
}, 120_000);
const open: Page[] = [];
afterEach(() => Promise.all(open.splice(0).map((page) => page.close())));
afterAll(async () => {
  await browser?.close();
  await display?.close();
});

type Placed = { id: string; number: number };
const place = async () => (await placeOrder(api, kitchen)) as Placed;
const card = ({ number }: Placed) => `document.querySelector('#order-${number}') !== null`;
/** The cards come, sooner than the silence of a stream would be noticed. A page out of sight is asked from outside: it draws no frames. */
const shown = (page: Page, ...orders: Placed[]) =>
  waitFor('the cards', () => page.evaluate<boolean>(orders.map(card).join(' && ')));

async function screen(): Promise<Page> {
  const page = await browser.newPage();
  open.push(page);
  await page.goto(display.url);
  await page.waitForFunction(`document.querySelector('[role=status]')?.textContent === 'live'`);
  return page;
}

async function lifecycle(page: Page, state: 'frozen' | 'active'): Promise<void> {
  const devTools = await page.createCDPSession();
  await devTools.send('Page.setWebLifecycleState', { state });
}

/** Ends when the browser has an order's event, whether or not the page has it. */
const sent = ({ id }: Placed) =>
  expect.poll(() => display.streamed().includes(id), { timeout: 20_000 }).toBe(true);

describe('a screen that was frozen', () => {
  test('shows what came meanwhile, and what comes then', async () => {
    const page = await screen();
    await lifecycle(page, 'frozen');
    const meanwhile = await place();
    await sent(meanwhile);
    await lifecycle(page, 'active');
    const then = await place();
    await shown(page, meanwhile, then);
  });

  test('opens no other stream when it was only out of sight', async () => {
    const page = await screen();
    const streams = () => display.asked.filter((url) => url.includes('events/stream')).length;
    const before = streams();
    const other = await browser.newPage();
    open.push(other);
    await other.bringToFront();
    await page.bringToFront();
    const order = await place();
    await shown(page, order);
    expect(streams()).toBe(before);
  });
});

describe.each([{ shared: false }, { shared: true }])('a watch ($shared: shared) that was frozen', (how) => {
  test('has every event once, in its order', async () => {
    const before = await tabs.newest();
    const tab = await tabs.open(how);
    await tab.live();
    await tabs.change();
    await tabs.have(tab, await tabs.idsAfter(before));
    await lifecycle(tab.page, 'frozen');
    await tabs.change(5);
    await tabs.idsAfter(before);
    await lifecycle(tab.page, 'active');
    await tabs.change();
    const wanted = await tabs.idsAfter(before);
    expect(await tabs.have(tab, wanted)).toEqual(wanted);
    await tabs.change();
    const all = await tabs.idsAfter(before);
    expect(await tabs.have(tab, all)).toEqual(all);
  });
});

test('a screen whose process was stopped shows what came meanwhile', async () => {
  const page = await screen();
  const devTools = await browser.target().createCDPSession();
  const { processInfo } = (await devTools.send('SystemInfo.getProcessInfo')) as {
    processInfo: { type: string; id: number }[];
  };
  const renderers = processInfo.filter(({ type }) => type === 'renderer');
  expect(renderers).not.toEqual([]);
  for (const { id } of renderers) process.kill(id, 'SIGSTOP');
  const made: Placed[] = [];
  try {
    for (let n = 0; n < 20; n += 1) made.push(await place());
    await sent(made.at(-1) as Placed);
  } finally {
    for (const { id } of renderers) process.kill(id, 'SIGCONT');
  }
  await shown(page, ...made);
});
