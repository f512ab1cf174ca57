import { describe, expect, test } from 'vitest';
import { type AppPage, useBoards } from './app.ts';
import { column, moveButton } from './board-page.ts';
import { mayBeLeft } from './links.ts';

// The effect of a press on the board, and of a second one.

const { api, opened, board, place, link } = useBoards();

const statusOf = async (id: string) => (await api.client().orders.get.query({ id })).status;

const button = (number: number, name: string): string =>
  `[...document.querySelectorAll('article[data-number="${number}"] button')].find((each) => each.ariaLabel.startsWith('${name}'))`;

/** Requests of moves that left the page. */
const movesSent = ({ network }: AppPage) =>
  network.asked.filter(({ url }) => url.includes('orders.updateStatus'));

/** A press of the mouse at a button, at once. */
const pressAt = (page: AppPage, expression: string) =>
  page.evaluate(
    `${expression}.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true, detail: 1 }))`,
  );

test('a press right after the dialog of a cancel, which lay over another card, moves no order', async () => {
  const [one, two] = [await place(), await place()];
  const page = await board();
  await page.until(`${column(two.number)} === 'pending'`);
  await page.evaluate(`${button(one.number, 'Cancel')}.click()`);
  await page.waitForSelector('.dialog .primary');
  await page.evaluate(`document.querySelector('.dialog .primary').click()`);
  await pressAt(page, button(two.number, 'Ready'));
  await expect.poll(() => statusOf(one.id)).toBe('canceled');
  await page.settled();
  expect(await page.evaluate(`document.querySelector('article[data-number="${two.number}"].moved')`)).toBe(
    null,
  );
  expect(await statusOf(two.id)).toBe('pending');
});

test('Undo takes a move back before anything was sent', async () => {
  const [now, later] = [await place(), await place()];
  const page = await board();
  await page.until(`${column(later.number)} === 'pending'`);
  await page.click(moveButton(now.number));
  await page.until(`${button(now.number, 'Undo')} !== undefined`);
  await page.skip(600);
  // The end of a double press on Undo does not ask whether to cancel.
  await pressAt(page, button(now.number, 'Undo'));
  await page.until(`${button(now.number, 'Ready')} !== undefined`);
  await page.skip(120);
  await pressAt(page, button(now.number, 'Cancel'));
  await page.click(moveButton(later.number));
  await page.skip(1_000);
  await page.until(`${column(later.number)} === 'ready'`);
  await page.skip(600);
  await pressAt(page, button(later.number, 'Undo'));
  await page.until(`${column(later.number)} === 'pending'`);
  // Longer than a move is kept.
  await page.skip(6_000);
  await page.settled();
  expect(await page.evaluate(`document.querySelector('.dialog')`)).toBe(null);
  expect(movesSent(page)).toEqual([]);
  expect(await Promise.all([now, later].map(({ id }) => statusOf(id)))).toEqual(['pending', 'pending']);
});

test('a move is sent by itself after five seconds, once', async () => {
  const { id, number } = await place();
  const page = await board();
  await page.until(`${column(number)} === 'pending'`);
  page.hold();
  await page.click(moveButton(number));
  await page.skip(4_900);
  expect(movesSent(page)).toEqual([]);
  expect(await statusOf(id)).toBe('pending');
  await page.skip(200);
  await expect.poll(() => statusOf(id)).toBe('ready');
  await page.settled();
  await page.skip(6_000);
  expect(movesSent(page)).toHaveLength(1);
});

describe('two cooks who want the same hear nothing of each other', () => {
  test.each([
    ['before the move of this one is sent', 0],
    ['after it is sent', 6_000],
  ])('when the other is quicker, %s', async (_when, ms) => {
    const { id, number } = await place();
    const page = await board();
    await page.until(`${column(number)} === 'pending'`);
    await page.click(moveButton(number));
    await page.until(`document.querySelector('article.moved') !== null`);
    // Once it is sent, either may be the quicker one; the other is refused.
    await Promise.allSettled([
      api.client().orders.updateStatus.mutate({ id, status: 'ready' }),
      page.skip(ms),
    ]);
    await expect.poll(() => statusOf(id)).toBe('ready');
    await api.published();
    await page.skip(6_000);
    await page.settled();
    await page.until(
      `${column(number)} === 'ready' && document.querySelector('article[aria-busy=true]') === null`,
    );
    expect(await page.evaluate(`document.querySelector('.notice')`)).toBe(null);
  });
});

test('a move that another one overtook says where the order is now', async () => {
  const { id, number } = await place();
  const page = await board();
  await page.until(`${column(number)} === 'pending'`);
  await page.click(moveButton(number));
  await page.until(`document.querySelector('article.moved') !== null`);
  await api.client().orders.cancel.mutate({ id });
  await page.until(`document.querySelector('.notice')?.innerText.includes('Order ${number} was canceled')`);
});

describe('a move that waits is sent at once', () => {
  test.each([
    ['when another screen is shown', (page: AppPage) => page.click('nav a[href="/app/day"]')],
    [
      'when the page is hidden',
      (page: AppPage) =>
        page.evaluate(`{
          Object.defineProperty(document, 'visibilityState', { get: () => 'hidden', configurable: true });
          document.dispatchEvent(new Event('visibilitychange'));
        }`),
    ],
    ['when the page is left', (page: AppPage) => page.goto(`${api.url}/healthz`)],
  ])('%s', async (_when, leave) => {
    const { id, number } = await place();
    const page = await opened({}, await link({ screens: ['board', 'day'] }));
    await page.until(`${column(number)} === 'pending'`);
    await page.click(moveButton(number));
    await page.until(`document.querySelector('article.moved') !== null`);
    await leave(page);
    await expect.poll(() => statusOf(id)).toBe('ready');
    expect(movesSent(page)).toHaveLength(1);
  });
});

test('a page with an unsent move asks before it is closed', async () => {
  const { number } = await place();
  const page = await opened({}, await link({ screens: ['board', 'day'] }));
  await page.until(`${column(number)} === 'pending'`);
  const isAsked = () => page.evaluate(`!${mayBeLeft}`);
  expect(await isAsked()).toBe(false);
  await page.setOfflineMode(true);
  await page.until(`document.body.innerText.includes('No connection')`);
  await page.click(moveButton(number));
  await page.until(`document.querySelector('article.moved') !== null`);
  expect(await isAsked()).toBe(true);
  // Nothing can be taken back any more: it waits for the connection.
  await page.skip(6_000);
  await page.until(`${column(number)} === 'ready' && ${button(number, 'Undo')} === undefined`);
  expect(await isAsked()).toBe(true);
  await page.setOfflineMode(false);
  await page.until(mayBeLeft);
});
