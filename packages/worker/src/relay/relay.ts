import { setTimeout as sleep } from 'node:timers/promises';
import { again, type Database, type Loop, startLoop } from '@comanda/db';
import type { Logger } from 'pino';
import { publishRound, publishSetAside } from './round.ts';
import { createSchedule } from './schedule.ts';

/** How often the relay looks by itself: what psql and Studio write wakes nobody. */
const pollMs = 200;
/** How often it looks for changes that were set aside. */
const setAsideMs = 1_000;
/** A round of fewer changes than `few` is followed by a rest: each costs some milliseconds, however little it publishes. */
const few = 500;
const gatherMs = 20;

/**
 * Turns captured changes into events for as long as it runs; when it is woken, and by its own poll. Any number of workers
 * may run one: a lock for each location lets one at a time publish there. Specification: Events.
 */
export function startRelay(database: Database, log: Logger): Loop {
  const schedule = createSchedule();
  let setAsideAt = 0;
  const loop = startLoop({
    async round() {
      if (performance.now() - setAsideAt >= setAsideMs) {
        await publishSetAside(database, log);
        setAsideAt = performance.now();
      }
      const seen = await publishRound(database, log, schedule);
      if (seen.changes === 0) return again(pollMs);
      log.debug({ ...seen }, 'published');
      // Not a rest, which the next change would end.
      if (seen.changes < few) await sleep(gatherMs);
      return again(0);
    },
    failed: (error, { failures }) => log.warn({ err: error, failures }, 'the relay failed and tries again'),
  });
  return {
    wake: loop.wake,
    async stop() {
      await loop.stop();
      await schedule.idle();
    },
  };
}
