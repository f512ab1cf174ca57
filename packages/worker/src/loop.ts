import { pause, type Waker } from './waker.ts';

/** Something that runs until it is stopped. */
export interface Loop {
  /** Ends the rest, and waits for the round under way. */
  stop(): Promise<void>;
}

/**
 * Calls `round` again and again, first after `firstRestMs`; each gives the milliseconds to rest, which waking ends. A round
 * does not throw.
 */
export function startLoop(waker: Waker, round: () => Promise<number>, firstRestMs = 0): Loop {
  let stopping = false;
  const run = async () => {
    for (let restMs = firstRestMs; !stopping; ) {
      if (restMs > 0) await pause(waker, restMs);
      if (!stopping) restMs = await round();
    }
  };
  const running = run();
  return {
    async stop() {
      stopping = true;
      waker.wake();
      await running;
    },
  };
}
