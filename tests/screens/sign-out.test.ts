import { describe, expect, test } from 'vitest';
import { waitFor } from '../support/wait.ts';
import { signOut } from './actions.ts';
import { type AppPage, useBoards } from './app.ts';
import { column, live, moveButton } from './board-page.ts';
import { isRevoked, keyOf } from './session-keys.ts';

// The fate of moves, held or under way, when their session ends.

const { api, board, opened, place, link } = useBoards();

const statusOf = async (id: string) => (await api.client().orders.get.query({ id })).status;
const isSignedOut = `document.querySelector('.sign-in') !== null`;
const notices = (page: AppPage) =>
  page.evaluate<string[]>(`[...document.querySelectorAll('.notice strong')].map((each) => each.innerText)`);

/** Moves leave the page once `letGo` is called, with any signal. */
async function holdMoves(page: AppPage): Promise<void> {
  await page.evaluateOnNewDocument(`
    const going = new Promise((resolve) => { window.letGo = resolve; });
    window.movesHeld = 0;
    const ask = window.fetch;
    window.fetch = async (...words) => {
      if (!String(words[0]).includes('orders.updateStatus')) return ask(...words);
      movesHeld += 1;
      await going;
      return ask(words[0], { ...words[1], signal: undefined });
    };`);
}

/** A board with an order that was pressed just now: its move is held for Undo. */
async function pressed(prepare?: (page: AppPage) => Promise<unknown>) {
  const page = await board(prepare && { prepare });
  const order = await place();
  await page.until(`${column(order.number)} === 'pending'`);
  await page.click(moveButton(order.number));
  await page.until(`document.querySelector('article.moved') !== null`);
  return { page, ...order, key: await keyOf(page) };
}

/** Opens the link of another person in the tab, as one that is pasted over its address. */
async function follow(page: AppPage): Promise<void> {
  page.follow(await link({ name: 'bo', screens: ['board'] }));
}

describe('a move that is held is made before the key is revoked', () => {
  test('by signing out', async () => {
    const { page, id, key } = await pressed();
    await signOut(page);
    await page.until(isSignedOut);
    expect(await statusOf(id)).toBe('ready');
    await isRevoked(api, key);
    expect(await notices(page)).toEqual([]);
    expect(page.complaints).toEqual([]);
  });

  test('by signing out while its answer takes long', async () => {
    const { page, id, key } = await pressed(holdMoves);
    await signOut(page);
    await page.until(`movesHeld === 1 && document.body.innerText.includes('Signing out')`);
    await page.evaluate('letGo()');
    await page.until(isSignedOut);
    expect(await statusOf(id)).toBe('ready');
    await isRevoked(api, key);
    expect(await notices(page)).toEqual([]);
  });

  test('by a link that replaces the session', async () => {
    const { page, id, number, key } = await pressed();
    await follow(page);
    await page.until(`document.querySelector('.dialog') !== null`);
    await page.click('.dialog .primary');
    await page.until(`document.querySelector('.dialog') === null && ${live}`);
    await isRevoked(api, key);
    expect(await statusOf(id)).toBe('ready');
    await page.until(`${column(number)} === 'ready'`);
    expect(await notices(page)).toEqual([]);
  });
});

/** Keeps the addresses of the requests that are open, and of those that were open when the key was revoked. */
const watchRequests = (page: AppPage) =>
  page.evaluateOnNewDocument(`
    const open = new Set();
    window.openRequests = () => [...open].map(({ address }) => address);
    const ask = window.fetch;
    window.fetch = async (input, init) => {
      const request = { address: new URL(input instanceof Request ? input.url : input, location).pathname };
      if (request.address.includes('appCodes.signOut')) window.openAtSignOut = openRequests();
      open.add(request);
      const signal = init?.signal ?? undefined;
      signal?.addEventListener('abort', () => open.delete(request));
      try {
        // The service takes long to answer this one.
        if (request.address.includes('locations.getCurrent'))
          await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
        const answer = await ask(input, init);
        // A stream is open until it is ended.
        if (!answer.headers.get('content-type')?.includes('event-stream')) open.delete(request);
        return answer;
      } catch (error) {
        open.delete(request);
        throw error;
      }
    };`);

test('the stream and the reads were still open when the key was revoked, and some were answered with 401', async () => {
  const page = await opened(
    { prepare: watchRequests },
    await link({ name: 'ana', screens: ['board', 'desk'] }),
  );
  await page.until(live);
  for (const part of ['locations.getCurrent', 'events/stream'])
    await page.until(`openRequests().filter((address) => address.includes('${part}')).length === 1`);
  const key = await keyOf(page);
  await signOut(page);
  await page.until(isSignedOut);
  await isRevoked(api, key);
  expect(await page.evaluate('openAtSignOut')).toEqual([]);
  expect(page.complaints).toEqual([]);
});

test('a move that was not sent by the sign-out is named', async () => {
  const { page, id, number } = await pressed();
  await page.setOfflineMode(true);
  await signOut(page);
  await page.until(`document.body.innerText.includes('Signing out')`);
  await page.skip(5_000);
  await page.until(isSignedOut);
  await expect.poll(() => notices(page)).toEqual([`Order ${number}: no answer`]);
  await page.setOfflineMode(false);
  expect(await statusOf(id)).toBe('pending');
});

test('the late refusal of a key that was signed out does not sign out the next user', async () => {
  const { page, number, key } = await pressed(holdMoves);
  await signOut(page);
  await page.until('movesHeld === 1');
  // An answer is not waited for any longer.
  await page.skip(5_000);
  await page.until(isSignedOut);
  await expect.poll(() => notices(page)).toEqual([`Order ${number}: no answer`]);
  await isRevoked(api, key);
  await follow(page);
  await page.until(live);
  const own = await keyOf(page);
  await page.evaluate('letGo()');
  await waitFor('the refusal', () => page.complaints.some((text) => /401 .*orders\.updateStatus/.test(text)));
  await page.settled();
  expect(await page.evaluate(isSignedOut)).toBe(false);
  expect(await keyOf(page)).toBe(own);
  expect(await page.text()).not.toContain('no longer signed in');
});
