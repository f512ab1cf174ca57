import { afterEach, beforeAll, vi } from 'vitest';
import type { TestApi } from '../support/api.ts';
import { useOrderKitchen } from '../support/orders.ts';
import { type PublishingApi, usePublishingApi } from '../support/published.ts';
import { live } from './board-page.ts';
import { DomPage, type Mount, useDomPages } from './dom-page.ts';
import { linkTo } from './links.ts';

/** The app, on a page without a browser. */
export type AppPage = DomPage;

type LinkOptions = NonNullable<Parameters<typeof linkTo>[1]>;

interface OpenOptions {
  /** The language that was chosen; that of the browser unless given. */
  language?: string;
  /** Done before the app is loaded. */
  prepare?: (page: AppPage) => Promise<unknown>;
}

/** The screens are loaded when they are opened first. They are read before the tests, so that no test takes longer than others. */
async function loadApp(): Promise<Mount> {
  const source = (name: string) => new URL(`../../packages/app/src/${name}.tsx`, import.meta.url).href;
  // By a variable: the types of the app are those of a browser, and are checked apart.
  const load = (url: string) => import(/* @vite-ignore */ url);
  const { App } = await load(source('frame/app'));
  await Promise.all(['board/board', 'day/day', 'desk/desk'].map((name) => load(source(name))));
  const { createElement } = await import('react');
  const { createRoot } = await import('react-dom/client');
  return (place) => {
    const root = createRoot(place as unknown as Parameters<typeof createRoot>[0]);
    // Not in strict mode, which runs effects twice here: in the build for browsers it does nothing.
    root.render(createElement(App));
    return () => root.unmount();
  };
}

/** Opens the app of an API on pages that are closed after each test. */
export function useAppPages(api: TestApi) {
  useDomPages();
  let mount: Mount;
  const pages: AppPage[] = [];
  beforeAll(async () => {
    vi.setConfig({ expect: { poll: { timeout: 20_000, interval: 4 } } });
    // The modules of the app ask for a window when they are loaded.
    const first = new DomPage(`${api.url}/app`, () => () => {});
    mount = await loadApp();
    await first.close();
  }, 60_000);
  afterEach(async () => {
    for (const page of pages.splice(0)) await page.close();
  });

  const link = (input?: LinkOptions) => linkTo(api, input);
  async function opened({ language, prepare }: OpenOptions = {}, address?: string): Promise<AppPage> {
    const shown = address ?? (await link());
    const page = new DomPage(`${new URL(shown).origin}/app`, mount);
    pages.push(page);
    if (language !== undefined) page.window.localStorage.setItem('comanda.language', language);
    await prepare?.(page);
    await page.goto(shown);
    return page;
  }
  return { link, opened };
}

/** An API with its app, and pages of the desk. */
export function useDesk() {
  const api: PublishingApi = usePublishingApi(undefined, { app: 'on' });
  const { opened, link } = useAppPages(api);

  /** Signs in at the desk, and opens one of its pages. */
  async function desk(path: string, options: OpenOptions & LinkOptions = {}): Promise<AppPage> {
    const { name = 'ana', screens = ['desk'], ...how } = options;
    const page = await opened(how, await link({ name, screens }));
    await page.until(`document.querySelector('.bar nav a, .desk nav a') !== null`);
    await page.goto(`${api.url}/app/desk/${path}`);
    // A list that is read for the first time while a row is made lacks the row.
    await page.until(
      `document.querySelector('.desk nav + *') !== null && !/Loading|Cargando/.test(document.body.innerText)`,
    );
    return page;
  }
  return { api, desk };
}

/** An API with its app and a kitchen, and pages of the board. */
export function useBoards() {
  const api: PublishingApi = usePublishingApi(undefined, { app: 'on' });
  const kitchen = useOrderKitchen(api);
  const { opened, link } = useAppPages(api);
  const board = async (options?: OpenOptions): Promise<AppPage> => {
    const page = await opened(options);
    await page.until(live);
    await page.until(`document.querySelector('.board') !== null`);
    return page;
  };
  const place = (overrides?: Record<string, unknown>) => kitchen.place(overrides);
  return { api, link, opened, board, place };
}
