/** Returns the time in Unix milliseconds. */
export interface Clock {
  now(): number;
}

/** The database's clock, as this process knows it. */
export interface DatabaseClock extends Clock {
  /** Takes over what the database said just now, in Unix milliseconds. */
  set(databaseNow: number): void;
}

/**
 * Windows begin and end by the database's clock. Between two answers of the database the time runs on by the
 * monotonic clock, which cannot be set; it lags by the delay of the answer, so a window never ends early
 * here.
 */
export function databaseClock(): DatabaseClock {
  let offset = Date.now() - performance.now();
  return {
    now: () => performance.now() + offset,
    set(databaseNow) {
      offset = databaseNow - performance.now();
    },
  };
}
