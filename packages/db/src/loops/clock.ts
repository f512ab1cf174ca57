/** The time of loops and of the limits that they keep. A test passes a clock that it moves. */
export interface Clock {
  /** Milliseconds since a fixed moment. It never goes back. */
  now(): number;
  /** Calls `work` once, after so many milliseconds. */
  setTimeout(work: () => void, ms: number): NodeJS.Timeout;
  clearTimeout(timer: NodeJS.Timeout | undefined): void;
}

/** Waits by a clock. @throws the reason of `signal` when that aborts first. */
export function sleep(clock: Clock, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const abort = () => {
      clock.clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = clock.setTimeout(() => {
      signal?.removeEventListener('abort', abort);
      resolve();
    }, ms);
    signal?.addEventListener('abort', abort, { once: true });
  });
}

/** The clock of the machine. */
export const systemClock: Clock = {
  now: () => performance.now(),
  setTimeout: (work, ms) => setTimeout(work, ms),
  clearTimeout: (timer) => clearTimeout(timer),
};
