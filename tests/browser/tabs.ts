import { afterEach } from 'vitest';
import type { PublishingApi } from '../support/published.ts';
import { useClosed } from '../support/use.ts';
import { waitFor } from '../support/wait.ts';
import { type Browser, useBrowser } from './browser.ts';
import { type Pages, startPages } from './pages.ts';

/** The status that a watch of a tab reports. */
export interface State {
  status: string;
  retryInMs?: number;
}

/** A tab that watches. */
export type Tab = Awaited<ReturnType<typeof openTab>>;

/** How a tab watches: by the stream that all tabs share, or by one of its own. */
export interface TabOptions {
  shared?: boolean;
  key?: string;
  input?: object;
  silentMs?: number;
}

/** A browser with tabs of an application of the service, which are closed after each test. */
export function useTabs(api: PublishingApi) {
  const browser = useBrowser();
  const pages = useClosed(() => startPages(api.url));
  const open: Tab[] = [];
  const closeAll = async () => {
    pages.refuse(undefined);
    await Promise.all(open.splice(0).map(({ page }) => page.close().catch(() => {})));
  };
  afterEach(closeAll);
  let made = 0;
  return {
    browser,
    pages,
    closeAll,
    async open(options: TabOptions = {}) {
      const tab = await openTab({ browser, pages }, { key: api.key.key, ...options });
      open.push(tab);
      return tab;
    },
    /** Makes products: three events each. */
    async change(count = 1) {
      for (let n = 0; n < count; n += 1) {
        made += 1;
        await api.client().products.create.mutate({ name: `Product ${made}`, description: '', price: made });
      }
    },
    async newest() {
      await api.published();
      return (await api.client().events.list.query({ after: 'latest' })).pagination.next ?? '';
    },
    async idsAfter(after: string, types?: readonly string[]) {
      await api.published();
      const { data } = await api.client().events.list.query({ after, limit: 200 });
      return data.flatMap(({ id, type }) => (types === undefined || types.includes(type) ? [id] : []));
    },
    /** The ids that a tab had, once it has so many. */
    have: (tab: Tab, wanted: string[]) =>
      waitFor('the events', async () => (await tab.ids()).length >= wanted.length && tab.ids()),
    /** How many streams are open, of all tabs. */
    streams: () => api.app.live.count(),
  };
}

async function openTab(
  { browser, pages }: { browser: Browser; pages: Pages },
  { shared = true, key, input = {}, silentMs = 40_000 }: TabOptions,
) {
  const page = await browser.newPage();
  await page.goto(pages.url);
  const given = JSON.stringify({ url: pages.url, key });
  await page.evaluate(`(() => {
    const { createClient, watchShared, comandaError } = globalThis.comanda;
    const client = createClient(${given});
    globalThis.ids = []; globalThis.states = []; globalThis.error = null;
    const options = { onState: (state) => states.push(state), silentMs: ${silentMs} };
    const input = ${JSON.stringify(input)};
    const events = ${shared} ? watchShared(client, 'test', input, options) : client.events.watch(input, options);
    void (async () => { for await (const { id } of events) { ids.push(id); await globalThis.held; } })()
      .catch((thrown) => { error = comandaError(thrown)?.reason ?? String(thrown); });
  })()`);
  const devTools = await page.createCDPSession();
  await devTools.send('Network.enable');
  const states = () => page.evaluate<State[]>('states');
  return {
    page,
    states,
    online: (isOnline: boolean) =>
      devTools.send('Network.emulateNetworkConditions', {
        offline: !isOnline,
        latency: 0,
        downloadThroughput: -1,
        uploadThroughput: -1,
      }),
    /** The ids of the events that it had. */
    ids: () => page.evaluate<string[]>('ids'),
    error: () => page.evaluate<string | null>('error'),
    live: () => waitFor('the tab to be live', async () => (await states()).at(-1)?.status === 'live'),
  };
}
