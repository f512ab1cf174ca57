import type { TestApi } from '../support/api.ts';
import { type AppPage, linkTo, openApp } from './app-page.ts';
import type { Browser } from './browser.ts';

/** Signs in at the desk, on a device of its own, and opens one of its pages. */
export async function openDesk(
  browser: Browser,
  api: TestApi,
  path: string,
  how?: Parameters<typeof openApp>[2],
): Promise<AppPage> {
  const page = await openApp(browser, await linkTo(api, { screens: ['desk'] }), how);
  await page.until(`document.querySelector('.desk nav a') !== null`);
  await page.goto(`${api.url}/app/desk/${path}`);
  return page;
}

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
