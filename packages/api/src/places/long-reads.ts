/** How reads that hold their places for long leave room for other locations. Durations in milliseconds. */
export interface LongReadLimits {
  /** A read that holds its place no longer than this is not counted. */
  fromMs: number;
  /** The time beyond it that reads of a location may hold places before they get fewer of them. */
  burstMs: number;
  /** The part of each millisecond that is given back. */
  refund: number;
  /** For how long after its last call another location counts as present. */
  presentMs: number;
  /** Places that are left then: of one location on one resource, and of one location. */
  places: Readonly<Record<'compartment' | 'location', number>>;
}

/** The limits of a process. */
export const longReadLimits: LongReadLimits = {
  ...{ fromMs: 15, burstMs: 250, refund: 0.1, presentMs: 1_000 },
  places: { compartment: 1, location: 2 },
};

/** Counts the time that the reads of one location hold places for long. */
export interface LongReads {
  /** Counts a read that has held its place for so long. */
  add(heldMs: number, now: number): void;
  /** How many places its reads have: `size`, or fewer while it has spent its burst and another location calls. */
  placesOf(size: number, now: number): number;
}

/** Watches the locations of a process. */
export interface Presence {
  /** A call of the location comes. */
  came(locationId: string, now: number): void;
  /** Counts for some places of the location, which become `places`. */
  countFor(locationId: string, places: number): LongReads;
}

/**
 * A caller who sends one long read after the other on a few connections uses every core of a small database, within all
 * limits. It goes on with one place, and the calls of others meet one long statement at a time. Alone it keeps all places.
 */
export function watchLongReads(limits: LongReadLimits): Presence {
  let last = { locationId: '', at: Number.NEGATIVE_INFINITY };
  let another = last;
  const othersCall = (locationId: string, now: number) =>
    now - (last.locationId === locationId ? another : last).at < limits.presentMs;

  return {
    came(locationId, now) {
      if (last.locationId === locationId) {
        last.at = now;
        return;
      }
      another = last;
      last = { locationId, at: now };
    },
    countFor(locationId, places) {
      let spentMs = 0;
      let at = 0;
      let isSpent = false;
      return {
        add(heldMs, now) {
          if (heldMs <= limits.fromMs && spentMs === 0) return;
          const given = spentMs - (now - at) * limits.refund;
          spentMs = Math.min(2 * limits.burstMs, Math.max(0, given) + Math.max(0, heldMs - limits.fromMs));
          at = now;
          // Until all is given back: else it would have all places again after each long read.
          isSpent = isSpent ? spentMs > 0 : spentMs > limits.burstMs;
        },
        placesOf(size, now) {
          if (!isSpent) return size;
          if (spentMs - (now - at) * limits.refund <= 0) {
            isSpent = false;
            return size;
          }
          return othersCall(locationId, now) ? Math.min(places, size) : size;
        },
      };
    },
  };
}
