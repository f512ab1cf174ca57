import { expect, onTestFinished } from 'vitest';
import { usePublishingApi } from '../support/published.ts';
import { waitFor } from '../support/wait.ts';
import { type Page, useOwnBrowser } from './browser.ts';
import { journey } from './journey.ts';
import { type Placed, useScreens } from './screens.ts';
import { useTabs } from './tabs.ts';

// A browser freezes hidden pages, or stops their process.

const api = usePublishingApi();
const tabs = useTabs(api);
const browser = useOwnBrowser();
const { display, newPage, place, screen, streams, closeAll } = useScreens(api, () => api.url, browser);

const card = ({ number }: Placed) => `document.querySelector('#order-${number}') !== null`;
/** The cards come, sooner than the silence of a stream would be noticed. A page out of sight is asked from outside: it draws no frames. */
const shown = (page: Page, ...orders: Placed[]) =>
  waitFor('the cards', () => page.evaluate<boolean>(orders.map(card).join(' && ')));

async function lifecycle(page: Page, state: 'frozen' | 'active'): Promise<void> {
  const devTools = await page.createCDPSession();
  await devTools.send('Page.setWebLifecycleState', { state });
}

/** Ends when the browser has an order's event, whether or not the page has it. */
const sent = ({ id }: Placed) =>
  expect.poll(() => display.streamed().includes(id), { timeout: 20_000 }).toBe(true);

journey(
  'a browser that freezes pages, or stops their process',
  (check) => {
    check('a screen that was frozen shows what came meanwhile, and what comes then', async () => {
      const page = await screen();
      await lifecycle(page, 'frozen');
      const meanwhile = await place();
      await sent(meanwhile);
      await lifecycle(page, 'active');
      const then = await place();
      await shown(page, meanwhile, then);
    });

    check('a screen that was frozen opens no other stream when it was only out of sight', async () => {
      const page = await screen();
      const before = streams();
      await (await newPage()).bringToFront();
      await page.bringToFront();
      await shown(page, await place());
      expect(streams()).toBe(before);
    });

    for (const how of [{ shared: false }, { shared: true }])
      check(
        `a watch that was frozen (shared: ${how.shared}) has every event once, in its order`,
        async () => {
          const before = await tabs.newest();
          const tab = await tabs.open(how);
          await tab.live();
          await tabs.change();
          await tabs.have(tab, await tabs.idsAfter(before));
          await lifecycle(tab.page, 'frozen');
          await tabs.change(5);
          await tabs.idsAfter(before);
          await lifecycle(tab.page, 'active');
          await tabs.change();
          const wanted = await tabs.idsAfter(before);
          expect(await tabs.have(tab, wanted)).toEqual(wanted);
          await tabs.change();
          const all = await tabs.idsAfter(before);
          expect(await tabs.have(tab, all)).toEqual(all);
        },
      );

    check('a screen whose process was stopped shows what came meanwhile', async () => {
      const page = await screen();
      const devTools = await browser.target().createCDPSession();
      const { processInfo } = (await devTools.send('SystemInfo.getProcessInfo')) as {
        processInfo: { type: string; id: number }[];
      };
      const renderers = processInfo.filter(({ type }) => type === 'renderer');
      expect(renderers).not.toEqual([]);
      // A page that an earlier check closed may end its process meanwhile.
      const signal = (name: NodeJS.Signals) => {
        for (const { id } of renderers)
          try {
            process.kill(id, name);
          } catch (error) {
            if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
          }
      };
      signal('SIGSTOP');
      onTestFinished(() => signal('SIGCONT'));
      const made: Placed[] = [];
      for (let n = 0; n < 20; n += 1) made.push(await place());
      await sent(made.at(-1) as Placed);
      signal('SIGCONT');
      await shown(page, ...made);
    });
  },
  async () => {
    await tabs.closeAll();
    await closeAll();
  },
);
