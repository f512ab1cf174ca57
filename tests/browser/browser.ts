import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { repositoryRoot } from '@comanda/db';
import { vi } from 'vitest';
import { useClosed } from '../support/use.ts';

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

/** A running Chromium. */
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

const tools = createRequire(join(repositoryRoot, 'docs/site/package.json'));

/** Starts the Chromium that `COMANDA_CHROMIUM` names; it resolves no name, so that it reaches this machine alone. */
export function startBrowser(): Promise<Browser> {
  const { launch } = tools('puppeteer-core') as { launch(options: object): Promise<Browser> };
  return launch({
    executablePath: process.env.COMANDA_CHROMIUM,
    args: ['--no-sandbox', '--disable-gpu', '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1'],
  });
}

/** One for the tests of a file, which may take long: pages load, draw and wait. */
export function useBrowser(): Browser {
  vi.setConfig({ testTimeout: 180_000 });
  return useClosed(async () => {
    const browser = await startBrowser();
    // Its methods read private fields, so each keeps its own browser.
    return {
      newPage: () => browser.newPage(),
      pages: () => browser.pages(),
      waitForTarget: (isIt) => browser.waitForTarget(isIt),
      createBrowserContext: () => browser.createBrowserContext(),
      target: () => browser.target(),
      close: () => browser.close(),
    } satisfies Browser;
  });
}

/** The findings of axe that are serious or critical: `color-contrast: .menu a`. */
export const seriousFindings = (page: Page): Promise<string[]> =>
  findings(page, `axe.run()`, `impact === 'serious' || impact === 'critical'`);

/** The findings of axe by one of its rules, however grave. */
export const findingsOf = (page: Page, rule: string): Promise<string[]> =>
  findings(page, `axe.run({ runOnly: ['${rule}'] })`, 'impact !== undefined');

async function findings(page: Page, run: string, isWanted: string): Promise<string[]> {
  await page.evaluate(readFileSync(tools.resolve('axe-core/axe.min.js'), 'utf8'));
  return page.evaluate(
    `${run}.then(({ violations }) => violations
      .filter(({ impact }) => ${isWanted})
      .flatMap(({ id, nodes }) => nodes.slice(0, 5).map(({ target }) => id + ': ' + target.join(' '))))`,
  );
}
