import type { Clock } from '@comanda/db';

/** A clock that runs like the machine's, and that a test moves ahead. */
export interface MovedClock extends Clock {
  /** Moves it ahead, and calls at once what is due by then. */
  advance(ms: number): void;
}

/** Starts with the time of the machine. */
export function createMovedClock(): MovedClock {
  let aheadMs = 0;
  const waiting = new Map<NodeJS.Timeout, { at: number; work: () => void }>();
  const now = () => performance.now() + aheadMs;
  const clearTimer = (timer: NodeJS.Timeout | undefined) => {
    if (timer !== undefined) waiting.delete(timer);
    clearTimeout(timer);
  };
  return {
    now,
    setTimeout(work, ms) {
      const call = () => {
        waiting.delete(timer);
        work();
      };
      const timer = setTimeout(call, ms);
      waiting.set(timer, { at: now() + ms, work: call });
      return timer;
    },
    clearTimeout: clearTimer,
    advance(ms) {
      aheadMs += ms;
      const due = [...waiting].filter(([, { at }]) => at <= now()).sort(([, a], [, b]) => a.at - b.at);
      for (const [timer, { work }] of due) {
        // A call before it may have canceled it.
        if (!waiting.has(timer)) continue;
        clearTimer(timer);
        work();
      }
    },
  };
}
