import { expect } from 'vitest';
import type { RunningStudio } from '../studio/run.ts';
import type { Browser, Page } from './browser.ts';

/** The actions of an admin at Studio, with mouse and keyboard, and the page as the admin sees it. */
export interface Admin {
  /** Opens a link of the guide at this Studio, and waits until the grid is there. */
  open(hash: string): Promise<void>;
  /** The text of a column, row by row as the grid shows them at the moment. */
  column(name: string): Promise<string[]>;
  /** Waits until a column shows this, row by row. */
  shows(name: string, rows: readonly unknown[]): Promise<void>;
  /** The columns of the grid in their order, arrows included. */
  columns(): Promise<string[]>;
  /** Opens the editor of a cell; false when none opens. */
  edit(column: string, row?: number): Promise<boolean>;
  /** Writes into the open editor, and presses Enter. */
  write(text: string): Promise<void>;
  /** Chooses a label of the open editor, and presses Enter. */
  choose(label: string): Promise<void>;
  /** Saves; gives the question that was answered with yes. */
  save(): Promise<string>;
  /** Marks a row at its left edge. */
  mark(row?: number): Promise<void>;
  /** Deletes a row; gives the question that was answered with yes. */
  remove(row?: number): Promise<string>;
  /** Waits for the sentence: at the bottom right, or where a button would be. */
  told(sentence: RegExp | string): Promise<void>;
  /** Follows an arrow of the first row. */
  follow(column: string): Promise<void>;
  /** The text of the page. */
  text(): Promise<string>;
  page: Page;
  /** Every host that was asked, and every error in the console, since it was opened. */
  hosts: ReadonlySet<string>;
  complaints: readonly string[];
}

const patience = { timeout: 45_000 };

/** Lets a browser in at Studio. */
export async function sitDown(browser: Browser, { address, origin }: RunningStudio): Promise<Admin> {
  const page = await browser.newPage();
  // Wide enough for all columns: the grid shows no others.
  await page.setViewport({ width: 6_400, height: 1_400 });
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
  const admin: Admin = {
    ...{ page, hosts, complaints },
    async open(hash) {
      // A whole load, as from a bookmark.
      await page.goto('about:blank');
      await page.goto(`${origin}/${hash}`, { waitUntil: 'load' });
      await page.waitForFunction(
        `document.querySelector('td[data-grid-column-id]') || document.body.innerText.includes('No results found')`,
        patience,
      );
    },
    column: (name) =>
      page.evaluate(
        `[...document.querySelectorAll('td[data-grid-column-id="${name}"]')].map((each) => each.innerText.trim())`,
      ),
    async shows(name, rows) {
      await expect.poll(() => admin.column(name), patience).toEqual(rows.map(String));
    },
    columns: () =>
      page.evaluate(
        `[...document.querySelectorAll('td[data-grid-row-index="0"]')].map((each) => each.dataset.gridColumnId)`,
      ),
    async edit(column, row = 0) {
      await page.waitForSelector(cell(column, row), patience);
      await page.click(cell(column, row));
      await page.keyboard.press('Enter');
      return page.waitForSelector('[data-studio-cell-editor]', { timeout: 1_500 }).then(
        () => true,
        () => false,
      );
    },
    async write(text) {
      await page.click('[data-studio-cell-editor] :is(input, textarea)');
      await page.keyboard.down('Control');
      await page.keyboard.press('a');
      await page.keyboard.up('Control');
      if (text === '') await page.keyboard.press('Backspace');
      else await page.keyboard.type(text);
      await page.keyboard.press('Enter');
      await page.waitForFunction(`!document.querySelector('[data-studio-cell-editor]')`, patience);
    },
    async choose(label) {
      const button = label === 'mark' ? 'button[role="checkbox"]' : `button::-p-text(${label})`;
      await page.click(`[data-studio-cell-editor] ${button}`);
      await page.keyboard.press('Enter');
      await page.waitForFunction(`!document.querySelector('[data-studio-cell-editor]')`, patience);
    },
    async save() {
      await page.click('button::-p-text(Save)');
      const asked = await answer('yes, write to db');
      // It says that it is written, or why not.
      await page.waitForSelector('[data-sonner-toast]', patience);
      return asked;
    },
    async mark(row = 0) {
      await page.waitForSelector(cell('__ps_select', row), patience);
      await page.click(cell('__ps_select', row));
    },
    async remove(row = 0) {
      await admin.mark(row);
      await page.waitForSelector('button::-p-text(Delete 1 row)', patience);
      await page.click('button::-p-text(Delete 1 row)');
      return answer('delete');
    },
    async told(sentence) {
      const seen = 'document.body.innerText';
      const source =
        typeof sentence === 'string' ? sentence.replace(/[.*+?^${}()|[\]\\]/g, '\\$&') : sentence.source;
      await page
        .waitForFunction(`new RegExp(${JSON.stringify(source)}).test(${seen})`, patience)
        .catch(async () => expect(await page.evaluate(seen)).toMatch(sentence));
    },
    async follow(column) {
      await page.waitForSelector(`${cell(column, 0)} a`, patience);
      await page.click(`${cell(column, 0)} a`);
    },
    text: () => page.evaluate('document.body.innerText'),
  };
  return admin;
}
