import { afterEach, expect } from 'vitest';
import { useOrderKitchen } from '../support/orders.ts';
import type { PublishingApi } from '../support/published.ts';
import { useClosed } from '../support/use.ts';
import { waitFor } from '../support/wait.ts';
import { type Browser, type Page, useBrowser } from './browser.ts';
import { startKitchenDisplay } from './kitchen-display.ts';

export interface Placed {
  id: string;
  number: number;
}

/** Screens of the guide in front of a service, in the Chromium of the run unless said; they are closed after each test. */
export function useScreens(api: PublishingApi, target = () => api.url, browser: Browser = useBrowser()) {
  const kitchen = useOrderKitchen(api);
  const display = useClosed(() => startKitchenDisplay(target(), api.key.key));
  const pages: Page[] = [];
  const closeAll = () => Promise.all(pages.splice(0).map((page) => page.close().catch(() => {})));
  afterEach(closeAll);

  const newPage = async () => {
    const page = await browser.newPage();
    pages.push(page);
    return page;
  };
  /** A page out of sight is asked from outside: it draws no frames. */
  const state = (page: Page, name: string) =>
    waitFor(
      `the screen to be ${name}`,
      () => page.evaluate<boolean>(`document.querySelector('[role=status]')?.textContent === '${name}'`),
      { timeoutMs: 60_000 },
    );
  /** The cards of a screen, `order-7 pending`, are the orders that the service lists, each once. */
  async function equal(page: Page): Promise<void> {
    const shown = () =>
      page.evaluate(
        `[...document.querySelectorAll('article')].map(({ id, className }) => id + ' ' + className)`,
      );
    const { data } = await api.client().orders.list.query({ status: ['pending', 'ready'], limit: 200 });
    const wanted = data.map(({ number, status }) => `order-${number} ${status}`);
    await expect.poll(shown, { timeout: 60_000 }).toEqual(wanted);
  }
  return {
    browser,
    display,
    newPage,
    state,
    equal,
    closeAll,
    place: (): Promise<Placed> => kitchen.place(),
    /** How many streams were asked for. */
    streams: () => display.asked.filter((url) => url.includes('events/stream')).length,
    async screen(prepare: (page: Page) => Promise<unknown> = async () => {}) {
      const page = await newPage();
      await prepare(page);
      await page.goto(display.url);
      await state(page, 'live');
      return page;
    },
  };
}
