import { installPageClock } from '../support/page-clock.ts';
import type { Page } from './chromium.ts';

/** Gives a page a clock, before anything of it runs. */
export const withClock = (page: Page) =>
  page.evaluateOnNewDocument(`window.pageClock = (${installPageClock})(window, () => true);`);

/** Moves the clock of a page on. Its timers have run then; the calls that they made are under way. */
export const skip = (page: Page, ms: number) => page.evaluate<void>(`pageClock.skip(${ms})`);
