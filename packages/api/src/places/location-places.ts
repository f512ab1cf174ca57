import { holdUps } from '@comanda/db';
import { noPlace } from './no-place.ts';

/** Bounds how many of something are under way in a process, in all and of one location. */
export interface LocationPlaces {
  /**
   * Waits until one of the location may begin; call the answer when it has ended. Throws 503 with `Retry-After`
   * when its place does not come in 10 s.
   */
  enter(locationId: string): Promise<() => void>;
}

/** How many may be under way. Of all, the last place is left to a location that has none. */
export interface LocationLimits {
  all: number;
  location: number;
}

/** Of exports: each holds a connection for as long as its caller reads, so slow readers cannot take those of every other request. */
export const exportLimits: LocationLimits = { all: 4, location: 2 };

/** Makes the places of a process; all are free. */
export function createLocationPlaces(most: LocationLimits): LocationPlaces {
  /** The location of each that runs. */
  const running: string[] = [];
  const waiting: { locationId: string; begin(): void }[] = [];

  function hasRoom(locationId: string): boolean {
    const own = running.filter((other) => other === locationId).length;
    return own === 0 ? running.length < most.all : own < most.location && running.length < most.all - 1;
  }

  function wait(locationId: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const waiter = {
        locationId,
        begin() {
          clearTimeout(timer);
          running.push(locationId);
          resolve();
        },
      };
      const timer = setTimeout(() => {
        waiting.splice(waiting.indexOf(waiter), 1);
        reject(noPlace('location_busy'));
      }, holdUps.waitMs);
      waiting.push(waiter);
    });
  }

  return {
    async enter(locationId) {
      if (hasRoom(locationId)) running.push(locationId);
      else await wait(locationId);
      let over = false;
      return () => {
        if (over) return;
        over = true;
        running.splice(running.indexOf(locationId), 1);
        const next = waiting.findIndex((waiter) => hasRoom(waiter.locationId));
        for (const { begin } of next < 0 ? [] : waiting.splice(next, 1)) begin();
      };
    },
  };
}
