import { again, type Clock, type Database, type Loop, sleep, startLoop, systemClock } from '@comanda/db';
import type { Logger } from 'pino';
import type { FirstAttempts } from '../deliveries/first-attempts.ts';
import { createFairQueue } from './fair-queue.ts';
import { createGathering } from './gathering.ts';
import { publishRound, publishSetAside } from './round.ts';

/** The interval of polling, for a notification that was lost, and for changes that were set aside. */
const pollMs = 1_000;
/** When nothing has waited for so long, it polls less often. */
const quietMs = 30_000;
const quietPollMs = 5_000;
/** A round of fewer changes is followed by a rest: each costs some milliseconds, however little it publishes. */
const few = 500;

/**
 * Turns captured changes into events for as long as it runs; when it is woken, and by its own poll. Any number of workers
 * may run one: a lock for each location lets one at a time publish there. First attempts go to `first`, if it is given. `published` is
 * called after each round that published events. Specification: Events.
 */
export function startRelay(
  database: Database,
  log: Logger,
  {
    first,
    published = () => {},
    clock = systemClock,
  }: { first?: FirstAttempts; published?: () => void; clock?: Clock } = {},
): Loop {
  const queue = createFairQueue(clock.now);
  const gathering = createGathering();
  let setAsideAt = Number.NEGATIVE_INFINITY;
  let waitedAt = clock.now();
  const loop = startLoop({
    clock,
    async round() {
      const began = clock.now();
      const seen = await publishRound(database, log, { queue, ...(first && { first }) });
      if (seen.events > 0) published();
      if (seen.waited) waitedAt = began;
      // Behind the round: what has just been committed does not wait for it.
      if (began - setAsideAt >= pollMs) {
        const tried = await publishSetAside(database, log);
        if (tried.events > 0) published();
        if (tried.waited) waitedAt = began;
        setAsideAt = began;
      }
      if (seen.changes === 0) return again(began - waitedAt < quietMs ? pollMs : quietPollMs);
      log.debug({ ...seen }, 'published');
      const next = gathering.next(began, seen.transactions);
      // Not a rest, which the next change would end.
      if (seen.changes < few) await sleep(clock, Math.max(0, next - clock.now()));
      return again(0);
    },
    failed: (error, { failures }) => log.warn({ err: error, failures }, 'the relay failed and tries again'),
  });
  return {
    wake: loop.wake,
    async stop() {
      await loop.stop();
      await queue.idle();
    },
  };
}
