import { noPlace } from './no-place.ts';

/** Bounds how many calls a process works on at once. */
export interface InFlight {
  /** Begins a call of the location; call the answer when it is done. Throws 503 with `Retry-After` when too many are under way. */
  enter(locationId: string): () => void;
}

/** How many calls one process works on at once: of one location, and in all. */
export const mostInFlight = { location: 256, all: 1_024 } as const;

/**
 * Counts the calls under way. More than the database can work off soon are refused at once, which costs next to
 * nothing: what is accepted is answered in time, and one location leaves room for the others.
 */
export function createInFlight(most: { location: number; all: number } = mostInFlight): InFlight {
  const byLocation = new Map<string, number>();
  let all = 0;
  return {
    enter(locationId) {
      const own = byLocation.get(locationId) ?? 0;
      if (own >= most.location) throw noPlace('location_busy');
      if (all >= most.all) throw noPlace();
      byLocation.set(locationId, own + 1);
      all += 1;
      return () => {
        const left = (byLocation.get(locationId) ?? 1) - 1;
        if (left === 0) byLocation.delete(locationId);
        else byLocation.set(locationId, left);
        all -= 1;
      };
    },
  };
}
