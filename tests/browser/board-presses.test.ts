import { expect } from 'vitest';
import { column, moveButton } from '../screens/board-page.ts';
import type { AppPage } from './app-page.ts';
import { untilSent, useBoards } from './boards.ts';
import type { Page } from './browser.ts';
import { skip, withClock } from './clock.ts';
import { journey } from './journey.ts';

// The effect of a press on the board, and of a second one. The presses are the browser's own, at a place.

const { api, board, place, closeAll } = useBoards();

const statusOf = async (id: string) => (await api.client().orders.get.query({ id })).status;

const button = (number: number, name: string): string =>
  `[...document.querySelectorAll('article[data-number="${number}"] button')].find((each) => each.ariaLabel.startsWith('${name}'))`;

/** Requests of moves that left the page. */
const movesSent = (page: AppPage) => page.evaluate<string[]>('window.sentMoves');

/** A page with a clock, which counts its moves and the calls that are not answered. */
async function counting(page: Page): Promise<void> {
  await withClock(page);
  await page.evaluateOnNewDocument(`
    window.sentMoves = [];
    window.openCalls = 0;
    const ask = window.fetch;
    window.fetch = (...words) => {
      if (String(words[0]).includes('orders.updateStatus')) sentMoves.push(words[1].body);
      const answer = ask(...words);
      if (String(words[0]).includes('events/stream')) return answer;
      openCalls += 1;
      answer.finally(() => { openCalls -= 1; }).catch(() => {});
      return answer;
    };`);
}

/** Clicks at the middle of a button, and again so many ms later on the clock of the page. */
async function clickAt(page: AppPage, expression: string, laterMs?: number): Promise<void> {
  const { x, y } = await page.evaluate<{ x: number; y: number }>(`(() => {
    const element = ${expression};
    element.scrollIntoView({ block: 'center' });
    const { x, y, width, height } = element.getBoundingClientRect();
    return { x: x + width / 2, y: y + height / 2 };
  })()`);
  const devTools = await page.createCDPSession();
  const mouse = (type: string) =>
    devTools.send('Input.dispatchMouseEvent', { type, x, y, button: 'left', clickCount: 1 });
  const click = async () => {
    await mouse('mousePressed');
    await mouse('mouseReleased');
  };
  await click();
  if (laterMs === undefined) return;
  await skip(page, laterMs);
  await click();
}

const emptied = async () => {
  for (const status of ['pending', 'ready'] as const)
    for (const { id } of (await api.client().orders.list.query({ status, limit: 200 })).data)
      await api.client().orders.cancel.mutate({ id });
};

journey(
  'presses meet the order at which they were aimed',
  (check) => {
    check('two presses at one place move one order, however soon the second comes', async () => {
      for (const ms of [60, 150, 300, 500, 900]) {
        await emptied();
        const orders = [await place(), await place(), await place()];
        const [first] = orders;
        const page = await board({ prepare: counting });
        await page.until(`document.querySelectorAll('.column.pending article').length === 3`);
        await clickAt(page, button(first?.number ?? 0, 'Ready'), ms);
        await skip(page, 6_000);
        await page.until(`${column(first?.number ?? 0)} === 'ready' && openCalls === 0`);
        await expect.poll(() => statusOf(first?.id ?? ''), untilSent).toBe('ready');
        expect(await movesSent(page), `${ms} ms`).toHaveLength(1);
        expect(await Promise.all(orders.map(({ id }) => statusOf(id)))).toEqual([
          'ready',
          'pending',
          'pending',
        ]);
        expect(await page.text()).not.toContain('stays');
        expect(page.complaints).toEqual([]);
      }
    });

    check('a press meets no other card when another cook moved the card above meanwhile', async () => {
      await emptied();
      const [one, two, three] = [await place(), await place(), await place()];
      const page = await board({ prepare: counting });
      await page.until(`document.querySelectorAll('.column.pending article').length === 3`);
      // The page clicks where the second card was, in the moment in which it slid away.
      await page.evaluate(`(() => {
    const place = ${button(two.number, 'Ready')}.getBoundingClientRect();
    new MutationObserver((_, observer) => {
      if (${column(one.number)} === 'pending') return;
      observer.disconnect();
      window.clicked = document.elementFromPoint(place.x + 20, place.y + 20)?.closest('article')?.dataset.number;
      const target = document.elementFromPoint(place.x + 20, place.y + 20);
      target?.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true, detail: 1 }));
    }).observe(document.body, { childList: true, subtree: true });
  })()`);
      await api.client().orders.updateStatus.mutate({ id: one.id, status: 'ready' });
      await page.until(`window.clicked === '${three.number}'`);
      expect(await page.evaluate(`document.querySelector('article.moved')`)).toBe(null);
    });

    check('a card keeps its place and size for a second, and the column does not slide', async () => {
      await emptied();
      const [one, two] = [await place(), await place()];
      const page = await board();
      await page.until(`${column(two.number)} === 'pending'`);
      const box = (number: number) =>
        page.evaluate<object>(
          `document.querySelector('article[data-number="${number}"]').getBoundingClientRect().toJSON()`,
        );
      const before = [await box(one.number), await box(two.number)];
      await page.click(moveButton(one.number));
      await page.until(`document.querySelector('article[data-number="${one.number}"].moved') !== null`);
      expect(await page.evaluate(column(one.number))).toBe('pending');
      expect([await box(one.number), await box(two.number)]).toEqual(before);
      await page.until(`${column(one.number)} === 'ready'`);
    });
  },
  closeAll,
);
