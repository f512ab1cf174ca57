import { afterEach } from 'vitest';
import { useOrderKitchen } from '../support/orders.ts';
import { usePublishingApi } from '../support/published.ts';
import { type AppPage, linkTo, openApp } from './app-page.ts';
import { useBrowser } from './browser.ts';

type OpenOptions = Parameters<typeof openApp>[2];

/** Holds on a page that follows the events. */
export const live = `document.querySelector('.live.live') !== null`;

/** The column of an order. */
export const column = (number: number): string =>
  `document.querySelector('article[data-number="${number}"]')?.closest('section').classList[1]`;

/** The button that moves an order on. */
export const moveButton = (number: number): string => `article[data-number="${number}"] .move`;

/** The button that asks whether to cancel an order. */
export const cancelButton = (number: number): string => `article[data-number="${number}"] .beside`;

/** Long enough for a move to be sent, which can be taken back before. */
export const untilSent = { timeout: 15_000 };

/** An API with its app and a kitchen, and a browser whose pages are closed after each test. */
export function useBoards() {
  const api = usePublishingApi(undefined, { app: 'on' });
  const browser = useBrowser();
  const kitchen = useOrderKitchen(api);
  const pages: AppPage[] = [];
  afterEach(() => Promise.all(pages.splice(0).map((page) => page.close())));

  const link = (input?: Parameters<typeof linkTo>[1]) => linkTo(api, input);
  const opened = async (options: OpenOptions = {}, address?: string): Promise<AppPage> => {
    const page = await openApp(browser, address ?? (await link()), options);
    pages.push(page);
    return page;
  };
  const board = async (options?: OpenOptions): Promise<AppPage> => {
    const page = await opened(options);
    await page.until(live);
    await page.until(`document.querySelector('.board') !== null`);
    return page;
  };
  const place = (overrides?: Record<string, unknown>): Promise<{ id: string; number: number }> =>
    kitchen.place(overrides);
  return { api, link, opened, board, place };
}
