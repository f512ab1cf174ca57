/** Every bound on streams of events; a test may lower them. */
export interface LiveBounds {
  /** Open streams of a key, of a location, and of this process; further ones are refused with 429. */
  perKey: number;
  perLocation: number;
  perProcess: number;
  /** Events that wait for one slow reader; from there on it reads the feed by itself when it comes back. */
  waiting: number;
  /** Events of a location that one look brings at most. */
  page: number;
  /** The interval of polling the feed without a notification. */
  pollMs: number;
  /** How often it is looked at whether the keys behind the streams still hold. */
  keysMs: number;
  /** After so long without an event a stream says that it lives. */
  quietMs: number;
}

/** The bounds of every process. */
export const defaultLiveBounds: LiveBounds = {
  perKey: 20,
  perLocation: 500,
  perProcess: 2_000,
  waiting: 200,
  page: 100,
  pollMs: 2_000,
  // A key that is revoked is refused everywhere within a second.
  keysMs: 300,
  quietMs: 15_000,
};
