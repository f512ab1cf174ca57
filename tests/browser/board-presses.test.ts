import { describe, expect, test } from 'vitest';
import { column, moveButton } from '../screens/board-page.ts';
import { mayBeLeft } from '../screens/links.ts';
import type { AppPage } from './app-page.ts';
import { untilSent, useBoards } from './boards.ts';
import type { Page } from './browser.ts';
import { skip, withClock } from './clock.ts';

// The effect of a press on the board, and of a second one. The presses are the browser's own, at a place.

const { api, opened, board, place, link } = useBoards();

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

/** Clicks at the middle of a button, and again so many ms later by the clock of the page. */
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

describe('two presses at one place move one order', () => {
  test.each([60, 150, 300, 500, 900])('when the second comes after %i ms', async (ms) => {
    await emptied();
    const orders = [await place(), await place(), await place()];
    const [first] = orders;
    const page = await board({ prepare: counting });
    await page.until(`document.querySelectorAll('.column.pending article').length === 3`);
    await clickAt(page, button(first?.number ?? 0, 'Ready'), ms);
    await page.until(`${column(first?.number ?? 0)} === 'ready'`);
    await expect.poll(() => statusOf(first?.id ?? ''), untilSent).toBe('ready');
    expect(await movesSent(page)).toHaveLength(1);
    expect(await Promise.all(orders.map(({ id }) => statusOf(id)))).toEqual(['ready', 'pending', 'pending']);
    expect(await page.text()).not.toContain('stays');
    expect(page.complaints).toEqual([]);
  });

  test('when another cook moved the card above meanwhile', async () => {
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

  test('when the dialog of a cancel closes over another card', async () => {
    await emptied();
    const [one, two] = [await place(), await place()];
    const page = await board({ prepare: counting });
    await page.until(`${column(two.number)} === 'pending'`);
    await clickAt(page, button(one.number, 'Cancel'));
    await page.waitForSelector('.dialog .primary');
    // The second press hits the element below the dialog's button.
    await page.evaluate(`(() => {
      const below = document.querySelector('article[data-number="${two.number}"] .move');
      const confirming = document.querySelector('.dialog .primary');
      confirming.click();
      below.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true, detail: 1 }));
    })()`);
    await expect.poll(() => statusOf(one.id)).toBe('canceled');
    expect(await page.evaluate(`document.querySelector('article[data-number="${two.number}"].moved')`)).toBe(
      null,
    );
  });
});

test('a card keeps its place and size for a second, and the column does not slide', async () => {
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

test('Undo takes a move back before anything was sent', async () => {
  const page = await board({ prepare: counting });
  const [now, later] = [await place(), await place()];
  await page.until(`${column(later.number)} === 'pending'`);
  await page.click(moveButton(now.number));
  await page.until(`${button(now.number, 'Undo')} !== undefined`);
  // The end of a double press on Undo does not ask whether to cancel.
  await clickAt(page, button(now.number, 'Undo'), 120);
  await page.until(`${button(now.number, 'Ready')} !== undefined`);
  await skip(page, 600);
  await page.click(moveButton(later.number));
  await page.until(`${column(later.number)} === 'ready'`);
  await clickAt(page, button(later.number, 'Undo'));
  await page.until(`${column(later.number)} === 'pending'`);
  // Longer than a move is kept.
  await skip(page, 6_000);
  expect(await page.evaluate(`document.querySelector('.dialog')`)).toBe(null);
  expect(await movesSent(page)).toEqual([]);
  expect(await Promise.all([now, later].map(({ id }) => statusOf(id)))).toEqual(['pending', 'pending']);
});

test('two cooks who want the same hear nothing of each other', async () => {
  const [one, other] = await Promise.all([board({ prepare: counting }), board({ prepare: counting })]);
  const { id, number } = await place();
  await Promise.all([one, other].map((page) => page.until(`${column(number)} === 'pending'`)));
  await Promise.all([one, other].map((page) => page.click(moveButton(number))));
  for (const page of [one, other]) {
    await page.until(`document.querySelector('article.moved') !== null`);
    await skip(page, 6_000);
  }
  await expect.poll(() => statusOf(id), untilSent).toBe('ready');
  for (const page of [one, other]) {
    await page.until(`openCalls === 0 && document.querySelector('article[aria-busy=true]') === null`);
    expect(await page.evaluate(column(number))).toBe('ready');
    expect(await page.evaluate(`document.querySelector('.notice')`)).toBe(null);
  }
});

test('a move that another one overtook says where the order is now', async () => {
  const page = await board();
  const { id, number } = await place();
  await page.until(`${column(number)} === 'pending'`);
  await page.click(moveButton(number));
  await page.until(`document.querySelector('article.moved') !== null`);
  await api.client().orders.cancel.mutate({ id });
  await page.until(`document.querySelector('.notice')?.innerText.includes('Order ${number} was canceled')`);
});

describe('a move that waits is sent', () => {
  test.each([
    ['when another screen is shown', (page: AppPage) => page.click('nav a[href="/app/day"]')],
    [
      'when the page is hidden',
      (page: AppPage) =>
        page.evaluate(`(() => {
          Object.defineProperty(document, 'visibilityState', { get: () => 'hidden', configurable: true });
          document.dispatchEvent(new Event('visibilitychange'));
        })()`),
    ],
    ['when the page is left', (page: AppPage) => page.goto(`${api.url}/healthz`)],
  ])('%s', async (_when, leave) => {
    const page = await opened({}, await link({ screens: ['board', 'day'] }));
    const { id, number } = await place();
    await page.until(`${column(number)} === 'pending'`);
    await page.click(moveButton(number));
    await page.until(`document.querySelector('article.moved') !== null`);
    const pressed = performance.now();
    await leave(page);
    await expect.poll(() => statusOf(id), { timeout: 10_000 }).toBe('ready');
    console.log(`sent after ${Math.round(performance.now() - pressed)} ms`);
  });
});

test('a page with an unsent move asks before it is closed', async () => {
  const page = await opened({}, await link({ screens: ['board', 'day'] }));
  const { number } = await place();
  await page.until(`${column(number)} === 'pending'`);
  const isAsked = () => page.evaluate(`!${mayBeLeft}`);
  expect(await isAsked()).toBe(false);
  await page.setOfflineMode(true);
  await page.until(`document.body.innerText.includes('No connection')`);
  await page.click(moveButton(number));
  await page.until(`document.querySelector('article.moved') !== null`);
  expect(await isAsked()).toBe(true);
  // Nothing can be taken back any more: it waits for the connection.
  await page.until(`${column(number)} === 'ready' && ${button(number, 'Undo')} === undefined`);
  expect(await isAsked()).toBe(true);
  await page.setOfflineMode(false);
  await page.until(mayBeLeft);
});
