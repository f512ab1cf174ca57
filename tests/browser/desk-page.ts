import { afterEach, expect, vi } from 'vitest';
import { usePublishingApi } from '../support/published.ts';
import { type AppPage, linkTo, openApp, sizes } from './app-page.ts';
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

/** Presses the button of that name; the first whose name begins so. */
export async function press(page: AppPage, name: string): Promise<void> {
  const find = `[...document.querySelectorAll('button')].filter((each) => !each.disabled)
    .find((each) => (each.getAttribute('aria-label') ?? each.textContent).startsWith(${JSON.stringify(name)}))`;
  await page.until(`${find} !== undefined`);
  await page.evaluate(`${find}.click()`);
}

/** Presses the button that confirms, and waits until the question is gone. */
export async function confirm(page: AppPage): Promise<void> {
  await page.waitForSelector('.dialog .primary');
  await page.click('.dialog .primary');
  await page.until(`document.querySelector('.dialog') === null`);
}

/** Waits until the text is on the screen. */
export const says = (page: AppPage, text: string) =>
  page.until(`document.body.innerText.includes(${JSON.stringify(text)})`);

/** Types into the field of that label in place of what it holds. */
export async function fill(page: AppPage, label: string, text: string): Promise<void> {
  const find = `[...document.querySelectorAll('label')].find((each) => each.firstChild.textContent === ${JSON.stringify(label)})
    ?.querySelector('input')`;
  await page.until(`${find} !== undefined`);
  await page.evaluate(`${find}.focus(); ${find}.select()`);
  await page.keyboard.type(text);
}
