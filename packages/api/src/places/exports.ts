import { holdUps } from '@comanda/db';
import { noPlace } from './no-place.ts';

/** Bounds how many exports a process runs at a time: each holds a connection for as long as its caller reads. */
export interface ExportPlaces {
  /**
   * Waits until an export of the location may begin; call the answer when it has ended. Throws 503 with `Retry-After`
   * when its place does not come in 10 s, so that slow readers cannot take the connections that every other request
   * needs.
   */
  enter(locationId: string): Promise<() => void>;
}

/** Makes the places of a process; all are free. */
export function createExportPlaces(
  most: { all: number; location: number } = { all: 4, location: 2 },
): ExportPlaces {
  /** The location of each that runs. */
  const running: string[] = [];
  const waiting: { locationId: string; begin(): void }[] = [];

  function hasRoom(locationId: string): boolean {
    const own = running.filter((other) => other === locationId).length;
    // The last place is left to a location that runs none.
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
