import { expect } from 'vitest';
import { createManyOrders } from '../support/many-orders.ts';
import { usePublishingApi } from '../support/published.ts';
import { useClosed } from '../support/use.ts';
import { startProxy } from '../worker/proxy.ts';
import type { Page } from './browser.ts';
import { skip, withClock } from './clock.ts';
import { journey } from './journey.ts';
import { type Placed, useScreens } from './screens.ts';

// The screen of the guide, as it is shown there, equals the service's list after any failure on the way.

const api = usePublishingApi();
const wire = useClosed(() => startProxy(api.url));
const { place, screen, state, streams, equal, closeAll } = useScreens(api, () => new URL(wire.url).origin);

const move = (id: string, status: 'ready' | 'closed') =>
  api.client().orders.updateStatus.mutate({ id, status });
const statusAt = async (id: string) => (await api.client().orders.get.query({ id })).status;
const until = (page: Page, code: string) => page.waitForFunction(code, { timeout: 60_000 });
const card = ({ number }: Placed, status: string) =>
  `document.querySelector('#order-${number}.${status}') !== null`;
const gone = ({ number }: Placed) => `document.querySelector('#order-${number}') === null`;
const press = (page: Page, { number }: Placed, times = 1) =>
  page.evaluate(
    `{ for (let n = 0; n < ${times}; n += 1) document.querySelector('#order-${number} button').click(); }`,
  );

journey(
  'the screen of the guide',
  (check) => {
    check('an order comes, is moved by a press, and leaves; pressed twice it moves once', async () => {
      const page = await screen();
      const order = await place();
      await until(page, card(order, 'pending'));
      await press(page, order, 2);
      await until(page, card(order, 'ready'));
      await expect.poll(() => statusAt(order.id)).toBe('ready');
      await until(
        page,
        `document.querySelector('#order-${order.number}').getAttribute('aria-busy') === 'false'`,
      );
      expect(await statusAt(order.id)).toBe('ready');
      await move(order.id, 'closed');
      await until(page, gone(order));
      await equal(page);
    });

    check(
      'after the connections to the service broke and none was to be had, it shows what happened meanwhile',
      async () => {
        const page = await screen();
        const [mine, other] = [await place(), await place()];
        await until(page, `${card(mine, 'pending')} && ${card(other, 'pending')}`);
        wire.cut();
        await state(page, 'offline');
        await press(page, mine);
        await until(page, card(mine, 'ready'));
        await move(other.id, 'ready');
        const meanwhile = await place();
        await api.published();
        wire.mend();
        await until(page, card(meanwhile, 'pending'));
        await state(page, 'live');
        await expect.poll(() => statusAt(mine.id), { timeout: 20_000 }).toBe('ready');
        await equal(page);
      },
    );

    check('after the service was silent for longer than it ever is', async () => {
      const page = await screen(withClock);
      wire.swallow('everything');
      // The longest silence of a stream, and a little.
      await skip(page, 41_000);
      await state(page, 'offline');
      const meanwhile = await place();
      wire.mend();
      await until(page, card(meanwhile, 'pending'));
      await state(page, 'live');
      await equal(page);
    });

    check('after the tab that held the stream crashed', async () => {
      const holder = await screen();
      const before = streams();
      const other = await screen();
      expect(streams()).toBe(before);
      void holder.goto('chrome://crash').catch(() => {});
      await expect.poll(streams, { timeout: 60_000 }).toBeGreaterThan(before);
      const order = await place();
      await until(other, card(order, 'pending'));
      await equal(other);
    });

    check('after a reload, a move that found no connection is sent, once', async () => {
      const page = await screen();
      const order = await place();
      await until(page, card(order, 'pending'));
      wire.cut();
      await state(page, 'offline');
      await press(page, order);
      await until(page, card(order, 'ready'));
      const asked: string[] = [];
      page.on('dialog', (dialog) => {
        asked.push(dialog.type());
        void dialog.accept();
      });
      await page.evaluate(`void setTimeout(() => location.reload())`);
      await expect.poll(() => asked, { timeout: 20_000 }).toEqual(['beforeunload']);
      wire.mend();
      await state(page, 'live');
      await expect.poll(() => statusAt(order.id), { timeout: 20_000 }).toBe('ready');
      await equal(page);
    });

    check('after ten minutes, a move that found no connection is shown and not sent', async () => {
      const page = await screen();
      const order = await place();
      await until(page, card(order, 'pending'));
      const input = { id: order.id, status: 'ready' };
      const text = JSON.stringify([
        { key: 'k', path: 'orders.updateStatus', input, at: Date.now() - 600_001 },
      ]);
      await page.evaluate(
        `sessionStorage.setItem('comanda.outbox L1 ana', ${JSON.stringify(text)}); location.reload()`,
      );
      await until(page, `document.body.innerText.includes('Not sent: ${order.number}')`);
      await state(page, 'live');
      expect(await statusAt(order.id)).toBe('pending');
      await page.click('main > button');
      await until(page, `!document.body.innerText.includes('Not sent')`);
    });

    check('a burst among 2,000 open orders ends as the list of the service', async () => {
      const { locationId, app } = api;
      await createManyOrders(app.database, { locationId, count: 2_000, from: '2026-03-01T12:00:00Z' });
      const page = await screen();
      await equal(page);
      const made = await Promise.all(Array.from({ length: 100 }, place));
      await Promise.all(made.filter((_, n) => n % 2).map(({ id }) => move(id, 'ready')));
      await api.published();
      await equal(page);
    });
  },
  async () => {
    wire.mend();
    await closeAll();
  },
);
