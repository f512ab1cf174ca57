/** The time of loops and of the limits that they keep. A test passes a clock that it moves. */
export interface Clock {
  /** Milliseconds since a fixed moment. It never goes back. */
  now(): number;
  /** Calls `work` once, after so many milliseconds. */
  setTimeout(work: () => void, ms: number): NodeJS.Timeout;
  clearTimeout(timer: NodeJS.Timeout | undefined): void;
}

/** The clock of the machine. */
export const systemClock: Clock = {
  now: () => performance.now(),
  setTimeout: (work, ms) => setTimeout(work, ms),
  clearTimeout: (timer) => clearTimeout(timer),
};
