/** The timers of a page. */
export interface PageClock {
  /** Moves the time of the page on: what is due by then runs in its order, and what it schedules, too. */
  skip(ms: number): Promise<void>;
  /** Keeps time still but for skips, until the next page. */
  hold(): void;
  /** In how many milliseconds each timer is due, the next first. */
  waiting(): number[];
  /** Drops the timers of the page: it is left. */
  drop(): void;
  /** Gives the next page the time of the machine. */
  reset(): void;
  /** The same, and gives the place its own timers back. */
  end(): void;
}

/** The parts of a global object that have to do with time. */
interface Place {
  setTimeout: unknown;
  clearTimeout: unknown;
  setInterval: unknown;
  clearInterval: unknown;
  Date: { now(): number };
  performance: { now(): number };
}

/**
 * Replaces the timers of a place by ones that go on by themselves and can also be skipped, for callers of which `isOfPage` holds. Its
 * source is also run in the pages of a browser, so it names nothing outside of itself.
 */
export function installPageClock(place: Place, isOfPage: () => boolean): PageClock {
  type Run = (...words: unknown[]) => void;
  type Wait = (run: Run, ms?: number, ...words: unknown[]) => unknown;
  type Forget = (id: unknown) => void;
  interface Timer {
    at: number;
    run(): void;
    everyMs: number | undefined;
    native?: unknown;
  }
  const day = place.Date.now;
  const ran = place.performance.now;
  const wait = place.setTimeout as Wait;
  const repeat = place.setInterval as Wait;
  const forget = place.clearTimeout as Forget;
  const forgetRepeat = place.clearInterval as Forget;
  const real = () => ran.call(place.performance);
  const timers = new Map<number, Timer>();
  let skippedMs = 0;
  let heldAt: number | undefined;
  let last = 0;

  const now = () => (heldAt ?? real()) + skippedMs;
  const begin = (id: number, timer: Timer) => {
    if (heldAt !== undefined) return;
    timer.native = wait(() => fire(id, timer), Math.max(0, timer.at - now()));
  };
  const dropAll = () => {
    for (const [id, timer] of timers) drop(id, timer);
  };
  const drop = (id: number, timer: Timer) => {
    forget(timer.native);
    timers.delete(id);
  };
  function fire(id: number, timer: Timer): void {
    drop(id, timer);
    if (timer.everyMs !== undefined) {
      timer.at += timer.everyMs;
      timers.set(id, timer);
      begin(id, timer);
    }
    timer.run();
  }
  function add(run: Run, ms: number, words: unknown[], everyMs?: number): number {
    last += 1;
    const timer = { at: now() + ms, run: () => run(...words), everyMs };
    timers.set(last, timer);
    begin(last, timer);
    return last;
  }
  const clear = (native: Forget) => (id: unknown) => {
    const timer = timers.get(id as number);
    if (timer === undefined) native(id);
    else drop(id as number, timer);
  };
  const msOf = (ms: unknown) => Math.max(0, Number(ms) || 0);
  place.setTimeout = (run: Run, ms?: number, ...words: unknown[]) =>
    isOfPage() ? add(run, msOf(ms), words) : wait(run, ms, ...words);
  place.setInterval = (run: Run, ms?: number, ...words: unknown[]) =>
    isOfPage() ? add(run, msOf(ms), words, Math.max(1, msOf(ms))) : repeat(run, ms, ...words);
  place.clearTimeout = clear(forget);
  place.clearInterval = clear(forgetRepeat);
  place.Date.now = () => day.call(place.Date) + (isOfPage() ? now() - real() : 0);
  place.performance.now = () => (isOfPage() ? now() : real());

  return {
    async skip(ms) {
      const end = now() + ms;
      for (;;) {
        const [next] = [...timers].filter(([, { at }]) => at <= end).sort(([, a], [, b]) => a.at - b.at);
        if (next === undefined) break;
        skippedMs += Math.max(0, next[1].at - now());
        fire(...next);
        // The effects of one come before the next one.
        await new Promise<void>((done) => wait(() => done()));
      }
      skippedMs += Math.max(0, end - now());
      for (const [id, timer] of timers) {
        forget(timer.native);
        begin(id, timer);
      }
    },
    hold() {
      heldAt = real();
      for (const { native } of timers.values()) forget(native);
    },
    waiting: () => [...timers.values()].map(({ at }) => at - now()).sort((one, other) => one - other),
    drop: dropAll,
    reset() {
      dropAll();
      skippedMs = 0;
      heldAt = undefined;
    },
    end() {
      dropAll();
      place.setTimeout = wait;
      place.setInterval = repeat;
      place.clearTimeout = forget;
      place.clearInterval = forgetRepeat;
      place.Date.now = day;
      place.performance.now = ran;
    },
  };
}
