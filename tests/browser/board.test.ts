import { expect } from 'vitest';
import { column, live, moveButton } from '../screens/board-page.ts';
import { mayBeLeft } from '../screens/links.ts';
import type { AppPage } from './app-page.ts';
import { untilSent, useBoards } from './boards.ts';
import { skip, withClock } from './clock.ts';
import { journey } from './journey.ts';

// The board in a browser: without a connection, when a page is left, after an upgrade, and by the keyboard.

const { api, opened, board, place, link, closeAll } = useBoards();

const focused = (page: AppPage) => page.evaluate<string>('document.activeElement.ariaLabel');

journey(
  'a browser around the board',
  (check) => {
    check(
      'without a connection it says so, keeps a move, and comes back right without a reload',
      async () => {
        const page = await board({ prepare: withClock });
        const [mine, other] = [await place(), await place()];
        await page.until(`${column(mine.number)} === 'pending' && ${column(other.number)} === 'pending'`);
        await page.evaluate('window.sameDocument = true');
        await page.setOfflineMode(true);
        await page.until(`document.body.innerText.includes('No connection')`);
        await page.tap(moveButton(mine.number));
        await page.until(`document.body.innerText.includes('Will be sent')`);
        expect(await page.evaluate(mayBeLeft)).toBe(false);
        // The move can no longer be taken back, and the client has given up to repeat the call.
        await skip(page, 10_000);
        expect(await page.text()).toContain('Will be sent');
        expect(await api.client().orders.get.query({ id: mine.id })).toMatchObject({ status: 'pending' });
        await api.client().orders.updateStatus.mutate({ id: other.id, status: 'ready' });
        const meanwhile = await place();
        await api.published();
        await page.setOfflineMode(false);
        await page.until(live);
        await page.until(`${column(mine.number)} === 'ready' && ${column(other.number)} === 'ready'`);
        await page.until(`${column(meanwhile.number)} === 'pending'`);
        await expect
          .poll(() => api.client().orders.get.query({ id: mine.id }), untilSent)
          .toMatchObject({ status: 'ready' });
        expect(await page.evaluate('window.sameDocument')).toBe(true);
        await page.until(mayBeLeft);
      },
    );

    check('a move that waits is sent when the page is left', async () => {
      const page = await opened({}, await link({ screens: ['board', 'day'] }));
      const { id, number } = await place();
      await page.until(`${column(number)} === 'pending'`);
      await page.click(moveButton(number));
      await page.until(`document.querySelector('article.moved') !== null`);
      await page.goto(`${api.url}/healthz`);
      await expect
        .poll(() => api.client().orders.get.query({ id }), { timeout: 10_000 })
        .toMatchObject({ status: 'ready' });
    });

    check(
      'a screen that is no longer there after an upgrade says so, and comes when it is loaded again',
      async () => {
        const page = await board();
        const devTools = await page.createCDPSession();
        await devTools.send('Network.enable');
        await devTools.send('Network.setBlockedURLs', { urls: ['*/app/*day*'] });
        await page.click('nav a[href="/app/day"]');
        await page.until(`document.body.innerText.includes('There may be a newer version of it.')`);
        await page.click('nav a[href="/app/board"]');
        await page.until(`document.querySelector('.board') !== null`);
        await page.click('nav a[href="/app/day"]');
        await devTools.send('Network.setBlockedURLs', { urls: [] });
        await page.click('main [role=alert] button');
        await page.until(`document.querySelector('.day') !== null`);
      },
    );

    check('by keyboard the board is two stops, arrows go from card to card, and Enter moves', async () => {
      const orders = [await place(), await place(), await place()];
      await api.client().orders.updateStatus.mutate({ id: (await place()).id, status: 'ready' });
      await api.published();
      const page = await board();
      const [one, two, three] = orders.map(({ number }) => number);
      const numbers = await page.evaluate<string[]>(
        `[...document.querySelectorAll('.column.pending article')].map(({ dataset }) => dataset.number)`,
      );
      expect(await page.evaluate(`document.querySelectorAll('.board [tabindex="0"]').length`)).toBe(2);
      await page.waitForSelector('.pause-button');
      await page.evaluate(`document.querySelector('.pause-button').focus()`);
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
  },
  closeAll,
);
