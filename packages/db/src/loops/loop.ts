import { restarting } from '../lifetimes.ts';
import { type Backoff, backoffMs } from './backoff.ts';
import { type Clock, systemClock } from './clock.ts';
import { createWaker, type Waker } from './waker.ts';

/** Returned by a round when another one is to follow. */
export class Again {
  readonly afterMs: number;
  constructor(afterMs: number) {
    this.afterMs = afterMs;
  }
}

/** Another round after so many milliseconds. */
export const again = (afterMs: number): Again => new Again(afterMs);

/** How a loop rests between its rounds. */
export interface Rests {
  /** Ends a rest early. */
  waker?: Waker;
  /** The rest before the first round. */
  firstRestMs?: number;
  /** Whether a rest keeps the process alive; true unless said. */
  ref?: boolean;
  /** The time of the rests; the machine's unless said. */
  clock?: Clock;
}

/** Calls `round` again and again, until it answers something else than `again()`: that is the result. Throws what a round throws. */
export async function repeat<Result>(
  round: () => Result | Again | Promise<Result | Again>,
  { waker = createWaker(), firstRestMs = 0, ref = true, clock = systemClock }: Rests = {},
): Promise<Result> {
  for (let restMs = firstRestMs; ; ) {
    if (restMs > 0) {
      const timer = clock.setTimeout(waker.wake, restMs);
      if (!ref) timer.unref();
      await waker.wait();
      clock.clearTimeout(timer);
    }
    const said = await round();
    if (!(said instanceof Again)) return said;
    restMs = said.afterMs;
  }
}

/**
 * Does `work` until it succeeds. `judge` gets each failure, and the number of them in a row: it returns the
 * milliseconds until the next try, or throws.
 */
export function retry<Result>(
  work: () => Promise<Result>,
  judge: (error: unknown, failures: number) => number | Promise<number>,
  clock?: Clock,
): Promise<Result> {
  let failures = 0;
  const attempt = async () => {
    try {
      return await work();
    } catch (error) {
      failures += 1;
      return again(await judge(error, failures));
    }
  };
  return repeat(attempt, clock && { clock });
}

/** Something that runs until it has ended or was stopped. */
export interface Loop {
  /** Ends the rest, be it after a failure. */
  wake(): void;
  /** Ends the rest, and waits for the round under way. */
  stop(): Promise<void>;
}

/** The work and the timing of a loop. */
export interface LoopOptions extends Omit<Rests, 'waker'> {
  /** Returns `again()`, or the loop has ended. `signal` aborts when the loop is stopped. */
  round(signal: AbortSignal): Again | undefined | Promise<Again | undefined>;
  /** Called after a round that threw, with the time of the next one. */
  failed?(error: unknown, next: { failures: number; afterMs: number }): void;
  /** How long it rests after rounds that threw; 100 ms, 200 ms … 5 s unless said. */
  backoff?: Backoff;
}

/**
 * Starts a loop: it repeats its round, rests, is woken, backs off while rounds throw, and stops. A round that threw
 * after a long life counts as the first that did. A wake-up during a round that threw does not shorten the rest after
 * it.
 */
export function startLoop({ round, failed, backoff, ...rests }: LoopOptions): Loop {
  const waker = createWaker();
  const stopping = new AbortController();
  const { signal } = stopping;
  const { clock = systemClock } = rests;
  let failures = 0;
  const next = async (): Promise<Again | undefined> => {
    if (signal.aborted) return undefined;
    const began = clock.now();
    try {
      const said = await round(signal);
      failures = 0;
      return said;
    } catch (error) {
      failures = clock.now() - began > restarting.healthyLifeMs ? 1 : failures + 1;
      const afterMs = backoffMs(failures, backoff);
      failed?.(error, { failures, afterMs });
      waker.forget();
      return signal.aborted ? undefined : again(afterMs);
    }
  };
  const ended = repeat(next, { waker, ...rests });
  return {
    wake: waker.wake,
    async stop() {
      stopping.abort();
      waker.wake();
      await ended;
    },
  };
}
