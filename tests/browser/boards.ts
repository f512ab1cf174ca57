import { afterEach } from 'vitest';
import { live } from '../screens/board-page.ts';
import { linkTo } from '../screens/links.ts';
import { useOrderKitchen } from '../support/orders.ts';
import { usePublishingApi } from '../support/published.ts';
import { type AppPage, openApp } from './app-page.ts';
import { useBrowser } from './browser.ts';

type OpenOptions = Parameters<typeof openApp>[2];

/** Long enough for a move to be sent, which can be taken back before. */
export const untilSent = { timeout: 15_000 };

/** An API with its app and a kitchen, and a browser whose pages are closed after each test. */
export function useBoards() {
  const api = usePublishingApi(undefined, { app: 'on' });
  const browser = useBrowser();
  const kitchen = useOrderKitchen(api);
  const pages: AppPage[] = [];
  const closeAll = () => Promise.all(pages.splice(0).map((page) => page.close()));
  afterEach(closeAll);

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
  return { api, link, opened, board, place, closeAll };
}
