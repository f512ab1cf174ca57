import { afterAll, afterEach, beforeAll } from 'vitest';
import type { PublishingApi } from '../support/published.ts';
import { waitFor } from '../support/wait.ts';
import { type Browser, type Page, startBrowser } from './browser.ts';
import { type Pages, startPages } from './pages.ts';

/** The status that a watch of a tab reports. */
export interface State {
  status: string;
  retryInMs?: number;
}

/** A tab that watches. */
export interface Tab {
  page: Page;
  /** The ids of the events that it had. */
  ids(): Promise<string[]>;
  states(): Promise<State[]>;
  error(): Promise<string | null>;
  live(): Promise<unknown>;
  online(isOnline: boolean): Promise<unknown>;
}

/** How a tab watches: by the stream that all tabs share, or by one of its own. */
export interface TabOptions {
  shared?: boolean;
  key?: string;
  input?: object;
  silentMs?: number;
}

/** A browser with tabs of an application of the service, for the tests of a file. */
export interface Tabs {
  browser(): Browser;
  pages(): Pages;
  open(options?: TabOptions): Promise<Tab>;
  /** Makes products: three events each. */
  change(count?: number): Promise<void>;
  newest(): Promise<string>;
  idsAfter(after: string, types?: readonly string[]): Promise<string[]>;
  /** The ids that a tab had, once it has so many. */
  have(tab: Tab, wanted: string[]): Promise<string[]>;
  /** How many streams are open, of all tabs. */
  streams(): number;
}

/** Starts one before the tests and ends it after them; tabs are closed after each test. */
export function useTabs(api: PublishingApi): Tabs {
  let started: { pages: Pages; browser: Browser } | undefined;
  beforeAll(async () => {
    const [pages, browser] = await Promise.all([startPages(api.url), startBrowser()]);
    started = { pages, browser };
  }, 120_000);
  afterAll(async () => {
    await started?.browser.close();
    await started?.pages.close();
  });
  const all = () => {
    if (started === undefined) throw new Error('it is started before the tests');
    return started;
  };
  const open: Tab[] = [];
  afterEach(async () => {
    started?.pages.refuse(undefined);
    await Promise.all(open.splice(0).map(({ page }) => page.close().catch(() => {})));
  });
  let made = 0;
  return {
    browser: () => all().browser,
    pages: () => all().pages,
    async open(options = {}) {
      const tab = await openTab(all(), { key: api.key.key, ...options });
      open.push(tab);
      return tab;
    },
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
    async idsAfter(after, types) {
      await api.published();
      const { data } = await api.client().events.list.query({ after, limit: 200 });
      return data.flatMap(({ id, type }) => (types === undefined || types.includes(type) ? [id] : []));
    },
    have: (tab, wanted) =>
      waitFor('the events', async () => (await tab.ids()).length >= wanted.length && tab.ids()),
    streams: () => api.app.live.count(),
  };
}

async function openTab(
  { browser, pages }: { browser: Browser; pages: Pages },
  { shared = true, key, input = {}, silentMs = 40_000 }: TabOptions,
): Promise<Tab> {
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
  const tab: Tab = {
    page,
    online: (isOnline) =>
      devTools.send('Network.emulateNetworkConditions', {
        ...{ offline: !isOnline, latency: 0, downloadThroughput: -1, uploadThroughput: -1 },
      }),
    ids: () => page.evaluate('ids'),
    states: () => page.evaluate('states'),
    error: () => page.evaluate('error'),
    live: () => waitFor('the tab to be live', async () => (await tab.states()).at(-1)?.status === 'live'),
  };
  return tab;
}
