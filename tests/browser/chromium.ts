import { createRequire } from 'node:module';
import { join } from 'node:path';
import { repositoryRoot } from '../../packages/db/src/root.ts';

// Without vitest: the setup of the run starts the browser, and the benches do.

/** The parts of puppeteer-core that the tests use; it is in a folder of its own, and so brings no types here. */
export interface Page {
  goto(url: string, options?: { waitUntil?: 'load' | 'networkidle0' }): Promise<unknown>;
  setViewport(size: { width: number; height: number; isMobile?: boolean; hasTouch?: boolean }): Promise<void>;
  evaluate<Result>(code: string): Promise<Result>;
  evaluateOnNewDocument(code: string): Promise<unknown>;
  waitForSelector(selector: string, options?: { timeout?: number }): Promise<unknown>;
  waitForFunction(code: string, options?: { timeout?: number }): Promise<unknown>;
  click(selector: string): Promise<void>;
  tap(selector: string): Promise<void>;
  select(selector: string, value: string): Promise<unknown>;
  emulateMediaFeatures(features: { name: string; value: string }[]): Promise<void>;
  setOfflineMode(offline: boolean): Promise<void>;
  type(selector: string, text: string): Promise<void>;
  keyboard: Record<'press' | 'type' | 'down' | 'up', (text: string) => Promise<void>>;
  on(
    event: 'console',
    listener: (message: { type(): string; text(): string; location(): { url?: string } }) => void,
  ): void;
  on(event: 'pageerror', listener: (error: Error) => void): void;
  on(event: 'dialog', listener: (dialog: { type(): string; accept(): Promise<void> }) => void): void;
  on(event: 'request', listener: (request: { url(): string }) => void): void;
  bringToFront(): Promise<void>;
  createCDPSession(): Promise<DevTools>;
  close(): Promise<void>;
}

/** Chromium's own protocol. */
export interface DevTools {
  send(method: string, parameters?: object): Promise<unknown>;
  on(event: 'Network.loadingFinished', listener: (event: { encodedDataLength: number }) => void): void;
}

/** The page of a tab, by its address. */
export interface Target {
  url(): string;
  page(): Promise<Page | null>;
}

/** A running Chromium, or one of its contexts. */
export interface Browser {
  newPage(): Promise<Page>;
  /** Its tabs. */
  pages(): Promise<Page[]>;
  waitForTarget(isIt: (target: Target) => boolean): Promise<Target>;
  /** As another device: it shares nothing with the other pages. */
  createBrowserContext(): Promise<Browser>;
  /** Of the browser itself. */
  target(): { createCDPSession(): Promise<DevTools> };
  close(): Promise<void>;
}

/** A Chromium that was launched or joined. */
export interface Launched extends Browser {
  process(): { pid?: number | undefined } | null;
  wsEndpoint(): string;
  disconnect(): Promise<void>;
}

/** Resolves the packages of the site's generator, puppeteer-core among them. */
export const tools = createRequire(join(repositoryRoot, 'extras/site/generator/package.json'));

/** The package that launches and joins. */
export const puppeteer = () =>
  tools('puppeteer-core') as {
    launch(options: object): Promise<Launched>;
    connect(options: object): Promise<Launched>;
  };

/** Starts the Chromium that `COMANDA_CHROMIUM` names; it resolves no name, so that it reaches this machine alone. */
export function startBrowser(options: { userDataDir?: string } = {}): Promise<Launched> {
  return puppeteer().launch({
    executablePath: process.env.COMANDA_CHROMIUM,
    args: ['--no-sandbox', '--disable-gpu', '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1'],
    ...options,
  });
}
