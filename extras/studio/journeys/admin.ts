import { expect } from 'vitest';
import type { Browser } from '../../../tests/browser/browser.ts';
import type { RunningStudio } from '../tests/run.ts';

/** The actions of an admin at Studio, with mouse and keyboard, and the page as the admin sees it. */
export type Admin = Awaited<ReturnType<typeof sitDown>>;

const patience = { timeout: 45_000 };

/** Lets a browser in at Studio. */
export async function sitDown(browser: Browser, { address, origin }: RunningStudio) {
  const page = await browser.newPage();
  // Wide enough for all columns: the grid shows no others.
  await page.setViewport({ width: 9_600, height: 1_400 });
  // Every host that is asked, and every error in the console.
  const hosts = new Set<string>();
  const complaints: string[] = [];
  page.on('request', (request) => {
    const { protocol, host } = new URL(request.url());
    if (protocol !== 'data:' && protocol !== 'blob:') hosts.add(host);
  });
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warn') complaints.push(message.text());
  });
  page.on('pageerror', ({ message }) => complaints.push(message));
  await page.goto(await address(), { waitUntil: 'load' });
  await page.waitForFunction(`sessionStorage.getItem('studio.token') !== null`, patience);

  const cell = (column: string, row: number) =>
    `td[data-grid-column-id="${column}"][data-grid-row-index="${row}"]`;
  const answer = async (button: string): Promise<string> => {
    await page.waitForSelector('[role="alertdialog"]', patience);
    const asked = await page.evaluate<string>(`document.querySelector('[role="alertdialog"]').innerText`);
    // Not by its place on the screen: it moves while the dialog opens.
    await page.evaluate(
      `[...document.querySelectorAll('[role="alertdialog"] button')].find((each) => each.textContent.includes(${JSON.stringify(button)})).click()`,
    );
    await page.waitForFunction(`!document.querySelector('[role="alertdialog"]')`, patience);
    return asked;
  };
  const column = (name: string) =>
    page.evaluate<string[]>(
      `[...document.querySelectorAll('td[data-grid-column-id="${name}"]')].map((each) => each.innerText.trim())`,
    );
  const enter = async (name: string, row: number) => {
    await page.waitForSelector(cell(name, row), patience);
    await page.click(cell(name, row));
    await page.keyboard.press('Enter');
  };
  const mark = async (row = 0) => {
    await page.waitForSelector(cell('__ps_select', row), patience);
    await page.click(cell('__ps_select', row));
  };
  return {
    page,
    hosts,
    complaints,
    column,
    mark,
    /** Opens a link of the guide at this Studio, and waits until the grid is there. */
    async open(hash: string) {
      // A whole load, as from a bookmark.
      await page.goto('about:blank');
      await page.goto(`${origin}/${hash}`, { waitUntil: 'load' });
      await page.waitForFunction(
        `document.querySelector('td[data-grid-column-id]') || document.body.innerText.includes('No results found')`,
        patience,
      );
    },
    /** Waits until a column shows this, row by row. */
    async shows(name: string, rows: readonly unknown[]) {
      await expect.poll(() => column(name), patience).toEqual(rows.map(String));
    },
    /** The columns of the grid in their order, arrows included. */
    columns: () =>
      page.evaluate<string[]>(
        `[...document.querySelectorAll('td[data-grid-row-index="0"]')].map((each) => each.dataset.gridColumnId)`,
      ),
    /** Opens the editor of a cell. */
    async edit(column: string, row = 0) {
      await enter(column, row);
      await page.waitForSelector('[data-studio-cell-editor]', patience);
    },
    /** Presses Enter in a cell that has no editor; whether one is there 30 frames later: others are there in the next one. */
    async isEdited(column: string, row = 0) {
      await enter(column, row);
      return page.evaluate<boolean>(`new Promise((done) => {
        let frames = 0;
        const look = () => ++frames < 30 ? requestAnimationFrame(look) : done(document.querySelector('[data-studio-cell-editor]') !== null);
        look();
      })`);
    },
    /** Writes into the open editor, and presses Enter. */
    async write(text: string) {
      await page.click('[data-studio-cell-editor] :is(input, textarea)');
      await page.keyboard.down('Control');
      await page.keyboard.press('a');
      await page.keyboard.up('Control');
      if (text === '') await page.keyboard.press('Backspace');
      else await page.keyboard.type(text);
      await page.keyboard.press('Enter');
      await page.waitForFunction(`!document.querySelector('[data-studio-cell-editor]')`, patience);
    },
    /** Chooses a label of the open editor, and presses Enter. */
    async choose(label: string) {
      const button = label === 'mark' ? 'button[role="checkbox"]' : `button::-p-text(${label})`;
      await page.click(`[data-studio-cell-editor] ${button}`);
      await page.keyboard.press('Enter');
      await page.waitForFunction(`!document.querySelector('[data-studio-cell-editor]')`, patience);
    },
    /** Saves; gives the question that was answered with yes. */
    async save() {
      await page.click('button::-p-text(Save)');
      const asked = await answer('yes, write to db');
      // It says that it is written, or why not.
      await page.waitForSelector('[data-sonner-toast]', patience);
      return asked;
    },
    /** Deletes a row; gives the question that was answered with yes. */
    async remove(row = 0) {
      await mark(row);
      await page.waitForSelector('button::-p-text(Delete 1 row)', patience);
      await page.click('button::-p-text(Delete 1 row)');
      return answer('delete');
    },
    /** Waits for the sentence: at the bottom right, or where a button would be. */
    async sees(sentence: RegExp | string) {
      const seen = 'document.body.innerText';
      const source =
        typeof sentence === 'string' ? sentence.replace(/[.*+?^${}()|[\]\\]/g, '\\$&') : sentence.source;
      await page
        .waitForFunction(`new RegExp(${JSON.stringify(source)}).test(${seen})`, patience)
        .catch(async () => expect(await page.evaluate(seen)).toMatch(sentence));
    },
    /** Follows an arrow of the first row. */
    async follow(column: string) {
      await page.waitForSelector(`${cell(column, 0)} a`, patience);
      await page.click(`${cell(column, 0)} a`);
    },
    text: () => page.evaluate<string>('document.body.innerText'),
  };
}
