import type { Database } from '@comanda/db';
import type { Logger } from 'pino';
import { backoffMs } from '../backoff.ts';
import { type Loop, startLoop } from '../loop.ts';
import type { Waker } from '../waker.ts';
import { drainChanges, drainSetAside } from './drain.ts';
import { createSchedule } from './schedule.ts';

/** How often the relay looks by itself: what psql and Studio write wakes nobody. */
const pollMs = 200;
/** How often it looks for changes that were set aside. */
const setAsideMs = 1_000;

/**
 * Turns captured changes into events for as long as it runs, woken by `waker` and by its own poll. Any number
 * of workers may run one: a lock for each location lets one at a time publish there. Specification: Events.
 */
export function startRelay(database: Database, waker: Waker, log: Logger): Loop {
  const schedule = createSchedule();
  let failures = 0;
  let setAsideAt = 0;
  const loop = startLoop(waker, async () => {
    try {
      if (performance.now() - setAsideAt >= setAsideMs) {
        await drainSetAside(database, log);
        setAsideAt = performance.now();
      }
      const seen = await drainChanges(database, log, schedule);
      failures = 0;
      if (seen.changes === 0) return pollMs;
      log.debug({ ...seen }, 'published');
      return 0;
    } catch (error) {
      failures += 1;
      log.warn({ err: error, failures }, 'the relay failed and tries again');
      return backoffMs(failures);
    }
  });
  return {
    async stop() {
      await loop.stop();
      await schedule.idle();
    },
  };
}
