import { family, type MetricFamily } from './family.ts';
import { type MetricName, noisiest } from './table.ts';

/** Counts what locations do, for as long as `noisiest.minutes` says. */
export interface LocationCounter {
  /** Counts one; costs well under a microsecond. */
  count(locationId: string): void;
  /** The locations with most, for a sum with those of other processes: more than will be shown. */
  family(name: MetricName): MetricFamily;
}

/**
 * Locations that a minute keeps apart: with more, all counts of it fall short by the same, and the busiest locations
 * stay among them.
 */
const kept = 1_000;
/** Of each process: a location that is among the highest of all is among these of some. */
const reported = 100;
const minuteMs = 60_000;

/** Starts at zero. `now` is in milliseconds and never goes back. */
export function countLocations(now: () => number = () => performance.now()): LocationCounter {
  const minutes = Array.from({ length: noisiest.minutes }, () => new Map<string, number>());
  let minute = Math.floor(now() / minuteMs);

  const turn = () => {
    const present = Math.floor(now() / minuteMs);
    // Entries older than the longest look are dropped, after any pause.
    for (let next = Math.max(minute + 1, present - noisiest.minutes + 1); next <= present; next += 1)
      minutes[next % noisiest.minutes]?.clear();
    minute = present;
  };
  return {
    count(locationId) {
      turn();
      const counts = minutes[minute % noisiest.minutes];
      if (counts === undefined) return;
      const before = counts.get(locationId);
      if (before !== undefined) counts.set(locationId, before + 1);
      else if (counts.size < kept) counts.set(locationId, 1);
      else takeOneFromEach(counts);
    },
    family(name) {
      turn();
      const sums = new Map<string, number>();
      for (const counts of minutes)
        for (const [id, count] of counts) sums.set(id, (sums.get(id) ?? 0) + count);
      const values = [...sums]
        .sort(([, one], [, other]) => other - one)
        .slice(0, reported)
        .map(([id, value]) => ({ labels: { location_id: id }, value }));
      return { ...family(name, values), highest: noisiest.locations };
    },
  };
}

/** As Misra and Gries have it: paid for by the calls that were counted before, so a call costs no more for it on the whole. */
function takeOneFromEach(counts: Map<string, number>): void {
  for (const [id, count] of counts) {
    if (count === 1) counts.delete(id);
    else counts.set(id, count - 1);
  }
}
