import type { Browser, Page } from './browser.ts';

/** The app in a browser of its own, as on another device, with what it complained of and the hosts it asked. */
export type AppPage = Awaited<ReturnType<typeof openApp>>;

/** The sizes of a kitchen: a phone, and a tablet that lies. */
export const sizes = {
  phone: { width: 390, height: 844, isMobile: true, hasTouch: true },
  tablet: { width: 1024, height: 768, isMobile: true, hasTouch: true },
} as const;

interface OpenOptions {
  size?: keyof typeof sizes;
  /** The language that was chosen; that of the browser unless said. */
  language?: string;
  /** Done before. */
  prepare?: (page: Page) => Promise<unknown>;
}

/** Opens an address of the app. */
export async function openApp(
  browser: Browser,
  address: string,
  { size = 'tablet', language, prepare }: OpenOptions = {},
) {
  const context = await browser.createBrowserContext();
  const page = await context.newPage();
  const complaints: string[] = [];
  const hosts = new Set<string>();
  page.on('console', (message) => {
    // Chromium logs each 404, also that of a restaurant without an open turn, where it is not batched with other answers.
    if (/turns\.getCurrent\b/.test(message.location().url ?? '')) return;
    if (message.type() === 'error' || message.type() === 'warn')
      complaints.push(`${message.text()} ${message.location().url ?? ''}`);
  });
  page.on('pageerror', ({ message }) => complaints.push(message));
  page.on('request', (request) => {
    const { protocol, host } = new URL(request.url());
    if (protocol !== 'data:') hosts.add(host);
  });
  await page.setViewport(sizes[size]);
  if (language !== undefined)
    await page.evaluateOnNewDocument(`localStorage.setItem('comanda.language', '${language}')`);
  await prepare?.(page);
  await page.goto(address);
  return Object.assign(page, {
    complaints,
    hosts,
    close: () => context.close(),
    text: () => page.evaluate<string>('document.body.innerText'),
    /** Waits until an expression holds on the page. */
    until: async (expression: string) => {
      await page.waitForFunction(expression, { timeout: 20_000 }).catch(async (error: Error) => {
        throw new Error(`${expression}: ${error.message}\n${await page.evaluate('document.body.innerText')}`);
      });
    },
  });
}
