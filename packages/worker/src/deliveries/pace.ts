/** How fast an endpoint takes what it is sent. */
export interface Pace {
  /** Notes that an attempt ended. */
  count(): void;
  /** How many deliveries to have claimed beyond those that have a slot: what a claim takes to come. */
  ahead(now: number): number;
}

/** Claims reach as far ahead as the endpoint takes in this time, so a slow one has nothing waiting. */
const aheadMs = 25;
const mostAhead = 100;

/** Starts one; `now` is the time on the worker's clock. */
export function createPace(now: number): Pace {
  let ended = 0;
  let since = now;
  let perMs = 0;
  return {
    count() {
      ended += 1;
    },
    ahead(now) {
      const elapsed = now - since;
      if (elapsed >= aheadMs) {
        perMs = ended / elapsed;
        ended = 0;
        since = now;
      }
      return Math.min(mostAhead, Math.floor(perMs * aheadMs));
    },
  };
}
