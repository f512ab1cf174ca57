import { systemClock } from '@comanda/db';

/** Which of the locations that wait come next, as one worker remembers it. */
export interface FairQueue {
  /**
   * The waiting locations that are served now, together: the one served longest ago comes first, then the one that
   * waits longest. A location that was put back and is due again comes alone, so that it delays no other.
   */
  next(waiting: readonly Waiting[]): { together: string[]; alone: string[] };
  /** Notes that the location was served in this round. */
  served(locationId: string): void;
  /** Puts a location back for 1, 2, 4 … 60 seconds; answers for how long, in seconds. */
  putBack(locationId: string): number;
  /** The location is not served until `work` has ended, which never fails. */
  during(locationId: string, work: Promise<void>): void;
  /** Settles when all such work has ended. */
  idle(): Promise<void>;
}

/** A location with the number of its first captured row. */
export interface Waiting {
  locationId: string;
  id: string;
}

interface Memory {
  /** The round in which it was served last. */
  round: number;
  failures: number;
  /** Not before this moment, in the time of the given clock. */
  until: number;
}

/** Makes one that remembers nothing yet; `now` in milliseconds. */
export function createFairQueue(now: () => number = systemClock.now): FairQueue {
  let memories = new Map<string, Memory>();
  const busy = new Map<string, Promise<void>>();
  let round = 0;
  const memoryOf = (locationId: string): Memory => {
    const memory = memories.get(locationId) ?? { round: 0, failures: 0, until: 0 };
    memories.set(locationId, memory);
    return memory;
  };
  return {
    next(waiting) {
      round += 1;
      // A location that waits no more is forgotten.
      memories = new Map(
        waiting.flatMap(({ locationId }) => {
          const memory = memories.get(locationId);
          return memory === undefined ? [] : [[locationId, memory]];
        }),
      );
      const at = now();
      const due = waiting
        .filter(({ locationId }) => !busy.has(locationId))
        .map(({ locationId, id }) => {
          const { round: last = 0, failures = 0, until = 0 } = memories.get(locationId) ?? {};
          return { locationId, id: BigInt(id), last, failures, until };
        })
        .filter(({ until }) => until <= at)
        .sort((a, b) => a.last - b.last || (a.id < b.id ? -1 : 1));
      const named = (alone: boolean) =>
        due.filter(({ failures }) => failures > 0 === alone).map(({ locationId }) => locationId);
      return { together: named(false), alone: named(true) };
    },
    served(locationId) {
      Object.assign(memoryOf(locationId), { round, failures: 0, until: 0 });
    },
    putBack(locationId) {
      const memory = memoryOf(locationId);
      const seconds = Math.min(60, 2 ** memory.failures);
      memory.failures = Math.min(memory.failures + 1, 6);
      memory.until = now() + seconds * 1_000;
      return seconds;
    },
    during(locationId, work) {
      busy.set(
        locationId,
        work.finally(() => busy.delete(locationId)),
      );
    },
    async idle() {
      await Promise.all(busy.values());
    },
  };
}
