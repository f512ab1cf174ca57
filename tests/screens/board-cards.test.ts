import { expect, test } from 'vitest';
import { useBoards } from './app.ts';
import { column } from './board-page.ts';

// How cards are found: by number, by age, and by the names of their buttons.

const { api, opened, board, place } = useBoards();

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

test.each([
  [0, 0, '0 min'],
  [6, 1, '◔ 6 min'],
  [11, 2, '◑ 11 min'],
  [16, 3, '● 16 min'],
  [130, 3, '● 2 hr'],
])('an order of %i minutes says so in words, and not by color alone', async (minutes, urgency, text) => {
  const { number } = await place();
  const page = await board({ prepare: (made) => made.skip((minutes + 0.2) * 60_000) });
  const card = `document.querySelector('article[data-number="${number}"]')`;
  await page.until(`${card} !== null`);
  expect(await page.evaluate(`${card}.querySelector('.age').innerText`)).toBe(text);
  expect(await page.evaluate(`${card}.classList.contains('urgency-${urgency}')`)).toBe(true);
});

test('an order is late once its promised time has passed, and no earlier, however old it is', async () => {
  const { number } = await place({ promised_at: new Date(Date.now() + 30 * 60_000).toISOString() });
  const page = await board();
  const card = `document.querySelector('article[data-number="${number}"]')`;
  await page.until(`${card} !== null`);
  await page.skip(20 * 60_000);
  await page.until(`${card}.querySelector('.age').innerText === '20 min'`);
  const promise = `${card}.querySelector('.promise').innerText`;
  expect(await page.evaluate(promise)).not.toContain('late');
  await page.skip(10 * 60_000 + 10_000);
  await page.until(`${promise}.endsWith(' · late')`);
  expect(await page.evaluate(`${card}.classList.contains('urgency-3')`)).toBe(true);
});

test('the age goes on by itself', async () => {
  const { number } = await place();
  const page = await board();
  const age = `document.querySelector('article[data-number="${number}"] .age')?.innerText`;
  await page.until(`${age} === '0 min'`);
  await page.skip(7 * 60_000 + 10_000);
  await page.until(`${age} === '◔ 7 min'`);
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
