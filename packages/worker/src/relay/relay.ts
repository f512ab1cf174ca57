import type { Database } from '@comanda/db';
import type { Logger } from 'pino';
import { backoffMs } from '../backoff.ts';
import { pause, type Waker } from '../waker.ts';
import { anythingWaits } from './changes.ts';
import { drainChanges, drainSetAside } from './drain.ts';

/** A relay that runs. */
export interface Relay {
  /** Ends it after the batch under way. */
  stop(): Promise<void>;
}

/** How often the relay looks by itself: what psql and Studio write wakes nobody. */
const pollMs = 200;
/** How often it looks for changes that were set aside. */
const setAsideMs = 1_000;

/**
 * Turns captured changes into events for as long as it runs, woken by `waker` and by its own poll. Any number
 * of workers may run one: a lock in the database lets one at a time publish. Specification: Events.
 */
export function startRelay(database: Database, waker: Waker, log: Logger): Relay {
  let stopping = false;
  const run = async () => {
    let failures = 0;
    let setAsideAt = 0;
    while (!stopping) {
      try {
        if (performance.now() - setAsideAt >= setAsideMs) {
          await drainSetAside(database, log);
          setAsideAt = performance.now();
        }
        const seen = (await anythingWaits(database)) ? await drainChanges(database, log) : undefined;
        failures = 0;
        if (seen && seen.changes > 0) log.debug({ ...seen }, 'published');
        else if (!stopping) await pause(waker, pollMs);
      } catch (error) {
        failures += 1;
        log.warn({ err: error, failures }, 'the relay failed and tries again');
        if (!stopping) await pause(waker, backoffMs(failures));
      }
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
