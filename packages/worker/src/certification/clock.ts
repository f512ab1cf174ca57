import { setTimeout as wait } from 'node:timers/promises';

/** The time of a run. */
export interface Clock {
  /** Milliseconds that only grow. */
  now(): number;
  /** @throws the reason of `signal` when that aborts first. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

/** The clock of the machine. */
export const machineClock: Clock = {
  now: () => performance.now(),
  sleep: (ms, signal) => wait(ms, undefined, { signal }),
};
