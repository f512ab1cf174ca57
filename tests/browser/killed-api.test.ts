import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect } from 'vitest';
import { startProcess, type TestProcess } from '../support/processes.ts';
import { usePublishingApi } from '../support/published.ts';
import { waitFor } from '../support/wait.ts';
import type { Page } from './browser.ts';
import { journey } from './journey.ts';
import { type Placed, useScreens } from './screens.ts';

// The process of the API that screens are connected to is killed. Orders go on through another one, on the same database.

const encryptionKey = randomBytes(32).toString('base64');
const api = usePublishingApi(undefined, { encryptionKey });
let killed: TestProcess;
let port = '0';

const start = () =>
  startProcess({
    entry: 'api',
    env: { DATABASE_URL: api.databaseUrl, ENCRYPTION_KEY: encryptionKey, PORT: port },
    readyTimeoutMs: 120_000,
  });
beforeAll(async () => {
  killed = await start();
  ({ port } = new URL(killed.url ?? ''));
}, 120_000);
afterAll(() => killed?.stop());
const { place, screen, state, streams, equal, closeAll } = useScreens(api, () => `http://127.0.0.1:${port}`);

const cards = (page: Page) =>
  page.evaluate<string[]>(`[...document.querySelectorAll('article')].map(({ id }) => id)`);

/** Notes when each card came, of orders that come from now on. */
const noteCards = (page: Page) =>
  page.evaluate(`{
    globalThis.came = {};
    new MutationObserver(() => {
      for (const { id } of document.querySelectorAll('article')) came[id] ??= Date.now();
    }).observe(document.body, { childList: true, subtree: true });
  }`);
const whenCame = (page: Page, { number }: Placed) =>
  waitFor('the card', () => page.evaluate<number | null>(`came['order-${number}'] ?? null`), {
    timeoutMs: 60_000,
  });

async function kill(): Promise<void> {
  const { signal } = await killed.stop('SIGKILL');
  expect(signal, killed.output()).toBe('SIGKILL');
}

journey(
  'screens whose API is killed lack nothing when it is back',
  (check) => {
    check('an order that was placed while the API was dead is shown when it is back', async () => {
      const page = await screen();
      await noteCards(page);
      const times: number[] = [];
      for (let n = 0; n < 20; n += 1) {
        const at = Date.now();
        times.push((await whenCame(page, await place())) - at);
      }
      await kill();
      await state(page, 'offline');
      const meanwhile = await place();
      await api.published();
      killed = await start();
      const back = Date.now();
      const after = (await whenCame(page, meanwhile)) - back;
      await state(page, 'live');
      await equal(page);
      times.sort((one, other) => one - other);
      process.stdout.write(
        `from the order to its card: median ${times[10]} ms, slowest ${times.at(-1)} ms of 20; ` +
          `of an order from before the API was back: ${after} ms after it served again\n`,
      );
    });

    check(
      'the tab that held the stream crashed while the API was dead: another tab takes over, and lacks nothing',
      async () => {
        const holder = await screen();
        const before = streams();
        const other = await screen();
        expect(streams()).toBe(before);
        await kill();
        for (const page of [holder, other]) await state(page, 'offline');
        const meanwhile = [await place(), await place()];
        void holder.goto('chrome://crash').catch(() => {});
        const asked = streams();
        await waitFor('the other tab to ask for the stream', () => streams() > asked, { timeoutMs: 60_000 });
        await api.published();
        killed = await start();
        await state(other, 'live');
        const then = await place();
        await waitFor('all cards', async () => {
          const shown = await cards(other);
          return [...meanwhile, then].every(({ number }) => shown.includes(`order-${number}`));
        });
        await equal(other);
      },
    );
  },
  closeAll,
);
