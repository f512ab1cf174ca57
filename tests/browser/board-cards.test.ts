import { describe, expect, test } from 'vitest';
import { column } from '../screens/board-page.ts';
import type { AppPage } from './app-page.ts';
import { untilSent, useBoards } from './boards.ts';
import { type Page, seriousFindings } from './browser.ts';

// How cards are found: by number, by age, by the keyboard, and by the names of their buttons.

const { api, opened, board, place } = useBoards();

const focused = (page: AppPage) => page.evaluate<string>('document.activeElement.ariaLabel');

test('cards are in the order of their numbers, in any order of their arrival', async () => {
  const page = await board();
  const made = await Promise.all(Array.from({ length: 8 }, () => place()));
  const last = Math.max(...made.map(({ number }) => number));
  await page.until(`document.querySelectorAll('.column.pending article').length >= 8`);
  await page.until(`${column(last)} === 'pending'`);
  for (const { id, number } of made.slice(0, 4).reverse()) {
    await api.client().orders.updateStatus.mutate({ id, status: 'ready' });
    await page.until(`${column(number)} === 'ready'`);
  }
  for (const name of ['pending', 'ready']) {
    const numbers = await page.evaluate<number[]>(
      `[...document.querySelectorAll('.column.${name} article')].map(({ dataset }) => Number(dataset.number))`,
    );
    expect(numbers.length).toBeGreaterThan(3);
    expect(numbers).toEqual([...numbers].sort((one, other) => one - other));
  }
});

describe.each(['light', 'dark'])('when it is %s', (value) => {
  test.each([
    [0, 0, '0 min'],
    [6, 1, '◔ 6 min'],
    [11, 2, '◑ 11 min'],
    [16, 3, '● 16 min late'],
    [130, 3, '● 2 hr late'],
  ])('an order of %i minutes says so in words, and not by color alone', async (minutes, late, text) => {
    const { number } = await place();
    const page = await board({
      size: 'phone',
      prepare: async (page: Page) => {
        await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value }]);
        await page.evaluateOnNewDocument(
          `const now = Date.now; Date.now = () => now() + ${(minutes + 0.2) * 60_000}`,
        );
      },
    });
    const card = `document.querySelector('article[data-number="${number}"]')`;
    await page.until(`${card} !== null`);
    expect(await page.evaluate(`${card}.querySelector('.age').innerText`)).toBe(text);
    expect(await page.evaluate(`${card}.classList.contains('late-${late}')`)).toBe(true);
    expect(await seriousFindings(page)).toEqual([]);
  });
});

test('the age goes on by itself', async () => {
  const { number } = await place();
  const page = await board();
  const age = `document.querySelector('article[data-number="${number}"] .age')?.innerText`;
  await page.until(`${age} === '0 min'`);
  await page.evaluate(`{ const now = Date.now; Date.now = () => now() + 7 * 60_000; }`);
  await page.until(`${age} === '◔ 7 min'`);
});

test('by keyboard the board is two stops, arrows go from card to card, and Enter moves', async () => {
  const orders = [await place(), await place(), await place()];
  await api.client().orders.updateStatus.mutate({ id: (await place()).id, status: 'ready' });
  await api.published();
  const page = await board();
  const [one, two, three] = orders.map(({ number }) => number);
  const numbers = await page.evaluate<string[]>(
    `[...document.querySelectorAll('.column.pending article')].map(({ dataset }) => dataset.number)`,
  );
  expect(await page.evaluate(`document.querySelectorAll('.board [tabindex="0"]').length`)).toBe(2);
  await page.waitForSelector('.sold-out-button');
  await page.evaluate(`document.querySelector('.sold-out-button').focus()`);
  await page.keyboard.press('Tab');
  expect(await focused(page)).toBe(`Ready: order ${numbers[0]}`);
  await page.keyboard.press('End');
  expect(await focused(page)).toBe(`Ready: order ${three}`);
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('ArrowRight');
  expect(await focused(page)).toBe(`Cancel order ${two}`);
  await page.keyboard.press('ArrowUp');
  expect(await focused(page)).toBe(`Cancel order ${one}`);
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('Enter');
  await page.until(`document.activeElement.dataset.number === '${one}'`);
  await page.keyboard.press('Enter');
  await page.keyboard.press('ArrowDown');
  expect(await focused(page)).toBe(`Ready: order ${two}`);
  await page.keyboard.press('ArrowUp');
  expect(await focused(page)).toBe(`Undo: order ${one}`);
  await page.keyboard.press('Enter');
  await page.until(`document.querySelector('article.moved') === null`);
  expect(await focused(page)).toBe(`Order ${one}`);
  await page.keyboard.press('ArrowRight');
  expect(await focused(page)).toBe(`Ready: order ${one}`);
  await page.keyboard.press('Enter');
  await page.until(`${column(one ?? 0)} === 'ready'`);
  expect(await focused(page)).toBe(`Order ${one}`);
  await page.keyboard.press('Tab');
  const stop = await page.evaluate(`document.activeElement.closest('.column')?.className ?? 'none'`);
  expect(['column ready', 'none']).toContain(stop);
  await expect
    .poll(() => api.client().orders.get.query({ id: orders[0]?.id ?? '' }), untilSent)
    .toMatchObject({ status: 'ready' });
});

test('no two buttons of the board have one name', async () => {
  await Promise.all([place(), place(), place()]);
  const page = await opened();
  await page.until(`document.querySelectorAll('.column.pending article').length >= 3`);
  const names = await page.evaluate<string[]>(
    `[...document.querySelectorAll('button')].map((each) => each.ariaLabel ?? each.innerText)`,
  );
  expect(new Set(names).size).toBe(names.length);
});
