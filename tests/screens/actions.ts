/** The part of a page that the actions need, in a browser or without one. */
export interface ActionPage {
  evaluate<Result>(code: string): Promise<Result>;
  /** Waits until an expression holds. */
  until(expression: string): Promise<void>;
  waitForSelector(selector: string): Promise<unknown>;
  click(selector: string): Promise<void>;
  keyboard: { type(text: string): Promise<void> };
}

/** Presses the button of that name; the first whose name begins so. */
export async function press(page: ActionPage, name: string): Promise<void> {
  const find = `[...document.querySelectorAll('button')].filter((each) => !each.disabled)
    .find((each) => (each.getAttribute('aria-label') ?? each.textContent).startsWith(${JSON.stringify(name)}))`;
  await page.until(`${find} !== undefined`);
  await page.evaluate(`${find}.click()`);
}

/** Presses the button that confirms, and waits until the question is gone. */
export async function confirm(page: ActionPage): Promise<void> {
  await page.waitForSelector('.dialog .primary');
  await page.click('.dialog .primary');
  await page.until(`document.querySelector('.dialog') === null`);
}

/** Signs out, by the menu of the person. */
export async function signOut(page: ActionPage): Promise<void> {
  await page.click('.user-menu');
  await page.click('.menu .sign-out');
}

/** Waits until the text is on the screen. */
export const says = (page: ActionPage, text: string) =>
  page.until(`document.body.innerText.includes(${JSON.stringify(text)})`);

/** Types into the field of that label in place of what it holds. */
export async function fill(page: ActionPage, label: string, text: string): Promise<void> {
  const find = `[...document.querySelectorAll('label')].find((each) => each.firstChild.textContent === ${JSON.stringify(label)})
    ?.querySelector('input, textarea')`;
  await page.until(`${find} !== undefined`);
  await page.evaluate(`${find}.focus(); ${find}.select()`);
  await page.keyboard.type(text);
}

/** The sentences of the audit, or of the history of a row, without the small print: ids and logins. */
export const sentences = (page: ActionPage) =>
  page.evaluate<string[]>(
    `[...document.querySelectorAll('.desk tbody td:nth-of-type(1)')].map((cell) => {
       const copy = cell.cloneNode(true);
       for (const each of copy.querySelectorAll('small')) each.remove();
       return copy.textContent.replace(/\\s+/g, ' ').trim();
     })`,
  );
