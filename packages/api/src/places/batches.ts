import { holdUps } from '@comanda/db';
import { noPlace } from './no-place.ts';

/** Lets the bulk writes of a location go one at a time in a process. */
export interface BatchPlaces {
  /**
   * Runs `work` after all of the location that came before: of those that wait for the location's lock at most one a
   * process holds a connection. Throws 503 with `Retry-After` after ten seconds.
   */
  inTurn<Result>(locationId: string, work: () => Promise<Result>): Promise<Result>;
}

/** Makes them; the queue is empty. */
export function createBatchPlaces(): BatchPlaces {
  const tails = new Map<string, Promise<unknown>>();
  return {
    async inTurn(locationId, work) {
      const ahead = tails.get(locationId);
      const mine = ahead === undefined ? work() : passed(ahead).then(work);
      const tail = Promise.allSettled([ahead, mine]);
      tails.set(locationId, tail);
      void tail.then(() => {
        if (tails.get(locationId) === tail) tails.delete(locationId);
      });
      return mine;
    },
  };
}

function passed(ahead: Promise<unknown>): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(noPlace('location_busy')), holdUps.waitMs);
    void ahead.then(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}
