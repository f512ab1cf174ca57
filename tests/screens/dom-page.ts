import { AsyncLocalStorage } from 'node:async_hooks';
import { type Element, type HTMLElement, type HTMLSelectElement, Window } from 'happy-dom';
import { afterAll, beforeAll } from 'vitest';
import { installPageClock, type PageClock } from '../support/page-clock.ts';
import { waitFor } from '../support/wait.ts';
import { lendWindow } from './dom-globals.ts';
import { DomHands } from './dom-keyboard.ts';
import { DomNetwork } from './dom-network.ts';
import { giveInnerText } from './dom-text.ts';

/** Mounts the app at an element of the present window. The returned function takes it away. */
export type Mount = (place: HTMLElement) => () => void;

/** The page whose code runs, as opposed to the code of the test and of the service. */
const running = new AsyncLocalStorage<DomPage>();

/** The clock of the present page. */
let clock: PageClock;

const { fetch: fetchOfProcess } = globalThis;

/** Sends a request of a page outside of it: the timers of Node's own client are not the page's. */
const send: typeof fetch = (input, init) =>
  running.exit(async () => {
    const { body, status, headers } = await fetchOfProcess(input, init);
    return new Response(body?.pipeThrough(new TransformStream()), { status, headers });
  });

/** Lets the tests of a file open pages: code of a page gets the time and the network of that page. */
export function useDomPages(): void {
  let giveBack = () => {};
  beforeAll(() => {
    const { fetch, console } = globalThis;
    const { error, warn } = console;
    clock = installPageClock(globalThis, () => running.getStore() !== undefined);
    globalThis.fetch = (input, init) => {
      const page = running.getStore();
      // By the window: a test may replace its `fetch`, as a script of a page does.
      return page === undefined
        ? fetch(input, init)
        : (page.window.fetch as unknown as typeof fetch)(input, init);
    };
    const complain =
      (say: (...words: unknown[]) => void) =>
      (...words: unknown[]) => {
        const page = running.getStore();
        if (page === undefined) say(...words);
        // An element that browsers know, and happy-dom does not.
        else if (!words.includes('search')) page.complaints.push(words.map(String).join(' '));
      };
    Object.assign(console, { error: complain(error), warn: complain(warn) });
    giveBack = () => {
      Object.assign(console, { error, warn });
      globalThis.fetch = fetch;
      clock.end();
    };
  });
  afterAll(() => {
    DomPage.takeBack();
    giveBack();
  });
}

// Statements give their last value, and the names of the window come first, as in a page.
const runIn = new Function('window', 'code', 'with (window) { return eval(code); }') as (
  window: object,
  code: string,
) => unknown;

/**
 * A page without a browser, with the methods that the tests use of one (tests/browser): the app in happy-dom, over the real network of
 * this process. It has no layout and no styles. One is open at a time.
 */
export class DomPage {
  static #takeBack = () => {};
  readonly window: Window;
  readonly complaints: string[] = [];
  readonly network = new DomNetwork(send, (text) => this.complaints.push(text));
  readonly #hands: DomHands;
  readonly #mount: Mount;
  #unmount = () => {};

  /** The hosts that it asked. */
  get hosts(): Set<string> {
    return new Set(this.network.asked.map(({ url }) => new URL(url).host));
  }

  /** Ends the lending of the last window. */
  static takeBack(): void {
    DomPage.#takeBack();
    DomPage.#takeBack = () => {};
  }

  constructor(origin: string, mount: Mount) {
    DomPage.takeBack();
    clock.reset();
    const navigation = { disableMainFrameNavigation: true, disableFallbackToSetURL: true };
    this.window = new Window({ url: origin, width: 1024, height: 768, settings: { navigation } });
    this.#mount = mount;
    this.#hands = new DomHands(this.window);
    giveInnerText(this.window);
    Object.defineProperty(this.window.Element.prototype, 'ariaLabel', {
      configurable: true,
      get(this: Element) {
        return this.getAttribute('aria-label');
      },
    });
    this.#giveOwn({
      fetch: this.network.fetch,
      requestAnimationFrame: (run: (time: number) => void) => setTimeout(() => run(performance.now())),
      cancelAnimationFrame: (id: unknown) => clearTimeout(id as number),
      ...timers,
    });
    Object.defineProperty(this.window.navigator, 'onLine', { get: () => this.network.isOnline });
    forgetLocks(this.window);
    // happy-dom dispatches it also when code replaces the state, which no browser does. `goto` and `follow` dispatch a plain event.
    this.window.addEventListener('hashchange', (event) => {
      if (event instanceof this.window.HashChangeEvent) event.stopImmediatePropagation();
    });
    DomPage.#takeBack = lendWindow(this.window);
  }

  #giveOwn(own: object): void {
    for (const [name, value] of Object.entries(own))
      Object.defineProperty(this.window, name, { value, writable: true, configurable: true });
  }

  /** Loads an address: what was there is left as a browser leaves it. */
  async goto(address: string): Promise<void> {
    this.#leave();
    this.window.history.pushState(null, '', address);
    if (!this.window.location.pathname.startsWith('/app')) return;
    const place = this.window.document.createElement('div');
    this.window.document.body.append(place);
    this.#unmount = running.run(this, () => this.#mount(place));
    // The app takes a code when it is loaded, which is once for a process: here, as by a link in an open tab.
    const isTaken = () => {
      this.dispatch('hashchange');
      return !this.window.location.hash.startsWith('#code=');
    };
    await waitFor('the app to take the code', isTaken, { intervalMs: 4 });
  }

  /** Opens a link of the app over the address of the tab, which loads nothing. */
  follow(link: string): void {
    this.window.history.pushState(null, '', link);
    this.dispatch('hashchange');
  }

  /** Dispatches an event at the window. */
  dispatch(type: string): void {
    running.run(this, () => this.window.dispatchEvent(new this.window.Event(type)));
  }

  /** Runs code of the page, and gives its last value. */
  async evaluate<Result>(code: string): Promise<Result> {
    return (await running.run(this, () => runIn(this.window, code))) as Result;
  }

  /** Runs code before the app. */
  evaluateOnNewDocument = (code: string): Promise<unknown> => this.evaluate(code);

  /** Waits until an expression holds on the page. */
  async until(expression: string): Promise<void> {
    try {
      await waitFor(expression, () => this.evaluate<boolean>(expression), { intervalMs: 4 });
    } catch (error) {
      const asked = this.network.asked.slice(-5).map(({ url }) => decodeURIComponent(new URL(url).pathname));
      const seen = [await this.text(), `Last asked: ${asked.join(', ')}`, ...this.complaints];
      throw new Error(`${expression}: ${(error as Error).message}\n${seen.join('\n')}`);
    }
  }

  /** The same, where timers of the page lead to it: the clock is moved on by a second at a time. */
  async hurry(expression: string): Promise<void> {
    const check = async () => {
      await this.skip(1_000);
      return this.evaluate<boolean>(expression);
    };
    await waitFor(expression, check, { intervalMs: 20 });
  }

  /** Waits for an element. */
  waitForSelector = (selector: string): Promise<void> =>
    this.until(`document.querySelector(${JSON.stringify(selector)}) !== null`);

  text = (): Promise<string> => this.evaluate<string>('document.body.innerText');

  /** Keeps the clock of the page still but for skips, until another page is loaded. */
  hold = (): void => clock.hold();

  /** Moves the clock of the page on. */
  skip = (ms: number): Promise<void> => running.run(this, () => clock.skip(ms));

  /** In how many milliseconds each timer of the page is due. */
  waiting = (): number[] => clock.waiting();

  /** Waits until every call is answered, and what follows from the answers is drawn. */
  async settled(): Promise<void> {
    await waitFor('every call to be answered', () => this.network.openCalls === 0, { intervalMs: 4 });
    await this.skip(0);
  }

  /** Presses an element with the mouse. The board ignores presses right after something slid or closed: this one comes later. */
  async click(selector: string): Promise<void> {
    await this.skip(600);
    running.run(this, () => this.#hands.click(this.#element(selector)));
  }

  tap = (selector: string): Promise<void> => this.click(selector);

  async select(selector: string, value: string): Promise<void> {
    running.run(this, () => this.#hands.choose(this.#element(selector) as HTMLSelectElement, value));
  }

  /** Types into a field, behind what it holds. */
  async type(selector: string, text: string): Promise<void> {
    running.run(this, () => {
      this.#element(selector).focus();
      this.#hands.type(text);
    });
  }

  readonly keyboard = {
    type: async (text: string) => running.run(this, () => this.#hands.type(text)),
    press: async (key: string) => running.run(this, () => this.#hands.press(key)),
    down: async (key: string) => this.#hands.down(key),
    up: async (key: string) => this.#hands.up(key),
  };

  /** Takes the network from the page, or gives it back. */
  async setOfflineMode(isOffline: boolean): Promise<void> {
    if (isOffline !== this.network.isOnline) return;
    this.network.setOnline(!isOffline);
    this.dispatch(isOffline ? 'offline' : 'online');
  }

  /** Leaves the page for good. */
  async close(): Promise<void> {
    // Of the whole process, whichever page it was seen on.
    await this.setOfflineMode(false);
    this.#leave();
    await this.window.happyDOM.abort();
  }

  #leave(): void {
    this.dispatch('pagehide');
    this.network.leave();
    clock.drop();
    running.run(this, () => this.#unmount());
    this.#unmount = () => {};
    clock.drop();
    this.window.document.body.replaceChildren();
  }

  #element(selector: string): HTMLElement {
    const found = this.window.document.querySelector<HTMLElement>(selector);
    if (found === null) throw new Error(`the page has no ${selector}`);
    return found;
  }
}

/** happy-dom has the name of the locks, and no locks: pages do without, as over plain http. */
function forgetLocks({ navigator }: Window): void {
  for (let at: object | null = navigator; at !== null; at = Object.getPrototypeOf(at) as object | null)
    Reflect.deleteProperty(at, 'locks');
}

/** As they are when they are called: those of the clock. */
const timers = {
  setTimeout: (...words: Parameters<typeof setTimeout>) => setTimeout(...words),
  clearTimeout: (id: number) => clearTimeout(id),
  setInterval: (...words: Parameters<typeof setInterval>) => setInterval(...words),
  clearInterval: (id: number) => clearInterval(id),
};
