import { ApiError } from '../errors.ts';
import type { LiveBounds } from './bounds.ts';

/** The owner of a stream. */
export interface Holder {
  apiKeyId: string;
  locationId: string;
}

/** Counts the open streams of this process. */
export interface Seats {
  /** Takes one; gives what leaves it. Throws 429 with `Retry-After` where a bound is reached. */
  take(holder: Holder): () => void;
  /** How many are taken. */
  count(): number;
}

const retryAfterSeconds = 5;

/** Makes them. */
export function createSeats({ perKey, perLocation, perProcess }: LiveBounds): Seats {
  const taken = new Map<string, number>();
  let all = 0;
  const change = (name: string, by: number) => {
    const now = (taken.get(name) ?? 0) + by;
    if (now > 0) taken.set(name, now);
    else taken.delete(name);
  };
  return {
    take({ apiKeyId, locationId }) {
      const names = [`key ${apiKeyId}`, `location ${locationId}`] as const;
      if ((taken.get(names[0]) ?? 0) >= perKey) throw tooMany(`The key has ${perKey} streams open`);
      if ((taken.get(names[1]) ?? 0) >= perLocation)
        throw tooMany(`The location has ${perLocation} streams open`);
      if (all >= perProcess) throw tooMany('Too many streams are open here');
      for (const name of names) change(name, 1);
      all += 1;
      let left = false;
      return () => {
        if (left) return;
        left = true;
        for (const name of names) change(name, -1);
        all -= 1;
      };
    },
    count: () => all,
  };
}

const tooMany = (what: string): ApiError =>
  new ApiError('too_many_streams', `${what}, which is the most; close one, or try again later.`, {
    headers: { 'Retry-After': String(retryAfterSeconds) },
  });
