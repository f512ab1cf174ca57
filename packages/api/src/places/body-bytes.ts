import { noPlace } from './no-place.ts';

/** Bounds the bytes of the bodies that a process holds, and that a location sends in a while. */
export interface BodyBytes {
  /** Begins a request of the location; give it back with `end`. */
  begin(locationId: string): BodyPlace;
}

/** The place of one body. */
export interface BodyPlace {
  /** Throws 503 with `Retry-After` where so many bytes would be too many for the location or the process. */
  ask(bytes: number): void;
  /** The same, and takes them: bytes that have arrived. */
  add(bytes: number): void;
  /** Lets go of them: the call is done. May be called again. */
  end(): void;
}

/** The bounds, in bytes: of bodies under way, and of those that began; `burst` may come at once. */
export const mostBodyBytes = {
  location: 24 * 1024 ** 2,
  all: 96 * 1024 ** 2,
  perSecond: 4 * 1024 ** 2,
  burst: 32 * 1024 ** 2,
} as const;

/** Counts bytes, from nothing. `now` returns milliseconds. */
export function createBodyBytes(
  most: { location: number; all: number; perSecond: number; burst: number } = mostBodyBytes,
  now: () => number = () => performance.now(),
): BodyBytes {
  const locations = new Map<string, Held>();
  let all = 0;

  function heldOf(locationId: string): Held {
    const known = locations.get(locationId);
    if (known !== undefined) return known;
    if (locations.size >= mostLocations) forgetIdle();
    const held = { bytes: 0, spent: 0, at: now() };
    locations.set(locationId, held);
    return held;
  }

  function refill(held: Held): void {
    const moment = now();
    held.spent = Math.max(0, held.spent - ((moment - held.at) / 1_000) * most.perSecond);
    held.at = moment;
  }

  function forgetIdle(): void {
    for (const [locationId, held] of locations) {
      refill(held);
      if (held.bytes === 0 && held.spent === 0) locations.delete(locationId);
    }
  }

  return {
    begin(locationId) {
      let own = 0;
      const ask = (bytes: number): Held => {
        const held = heldOf(locationId);
        refill(held);
        if (held.bytes + bytes > most.location || held.spent + bytes > most.burst)
          throw noPlace('location_busy');
        if (all + bytes > most.all) throw noPlace();
        return held;
      };
      return {
        ask: (bytes) => void ask(bytes),
        add(bytes) {
          const held = ask(bytes);
          own += bytes;
          all += bytes;
          held.bytes += bytes;
          held.spent += bytes;
        },
        end() {
          const held = locations.get(locationId);
          if (held !== undefined) held.bytes -= own;
          all -= own;
          own = 0;
        },
      };
    },
  };
}

/** Bytes under way, and bytes that the location has begun with and not yet had time for. */
interface Held {
  bytes: number;
  spent: number;
  /** When `spent` was so much. */
  at: number;
}

/** More locations than these are looked through for those that send nothing. */
const mostLocations = 10_000;
