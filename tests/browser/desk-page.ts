import { afterEach, expect, vi } from 'vitest';
import { linkTo } from '../screens/links.ts';
import { usePublishingApi } from '../support/published.ts';
import { type AppPage, openApp, sizes } from './app-page.ts';
import { type Page, seriousFindings, useBrowser } from './browser.ts';

type LinkOptions = NonNullable<Parameters<typeof linkTo>[1]>;
type DeskOptions = NonNullable<Parameters<typeof openApp>[2]> & LinkOptions;

/** An API with its app, and a browser whose pages are closed after each test. A poll waits as long as a page does. */
export function useDesk() {
  vi.setConfig({ expect: { poll: { timeout: 20_000 } } });
  const api = usePublishingApi(undefined, { app: 'on' });
  const browser = useBrowser();
  const pages: AppPage[] = [];
  afterEach(() => Promise.all(pages.splice(0).map((page) => page.close())));

  /** Signs in at the desk, on a device of its own, and opens one of its pages. */
  async function desk(path: string, options: DeskOptions = {}): Promise<AppPage> {
    const { name = 'ana', screens = ['desk'], ...how } = options;
    const page = await openApp(browser, await linkTo(api, { name, screens }), how);
    pages.push(page);
    await page.until(`document.querySelector('.bar nav a, .desk nav a') !== null`);
    await page.goto(`${api.url}/app/desk/${path}`);
    await page.until(`document.querySelector('.desk nav + *') !== null`);
    return page;
  }
  return { api, browser, desk };
}

/** Nothing serious for axe, and no wider than the screen; a failure names the `part`. */
export async function expectClean(page: Page, size: keyof typeof sizes, part?: string): Promise<void> {
  expect(await seriousFindings(page), part).toEqual([]);
  expect(await page.evaluate('document.documentElement.scrollWidth'), part).toBe(sizes[size].width);
}

/** For `test.each`. */
export const sizeNames = Object.keys(sizes) as (keyof typeof sizes)[];
