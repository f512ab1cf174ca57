import type { Caller } from '../credentials/credentials.ts';
import { ApiError } from '../errors.ts';
import type { LeaseRow } from './statements.ts';

/** The part that a process holds of one window of a key: requests it may admit without asking. */
export interface Holding {
  /** The limit under which it was taken. */
  limit: number;
  /** Unix seconds. */
  start: number;
  end: number;
  /** Requests at hand. */
  tokens: number;
  /** The part that no process held at the last look. */
  left: number;
}

/** The parts that a process holds of one key. */
export interface Lease {
  readonly keyId: string;
  minute: Holding;
  month: Holding;
  /** In the time of the limiter's clock, in Unix milliseconds. */
  takenAt: number;
  /**
   * No other process lived when it was taken, after so many arrivals: until one more is heard of, what was left
   * then is still left. Undefined with others.
   */
  aloneAfter: number | undefined;
}

/** Requests that were counted in a window and will not be admitted by this process. */
export interface Unused {
  keyId: string;
  window: 'minute' | 'month';
  /** Unix seconds. */
  start: number;
  tokens: number;
}

/** A lease that holds nothing yet. */
export function emptyLease(keyId: string): Lease {
  return { keyId, minute: { ...nothing }, month: { ...nothing }, takenAt: 0, aloneAfter: undefined };
}

/** Takes over what the database granted. `arrivals`: those heard of when it was asked. */
export function refill(lease: Lease, limits: Caller['limits'], row: LeaseRow, arrivals: number): void {
  lease.minute = {
    limit: limits.perMinute,
    start: row.minute_start,
    end: row.minute_end,
    tokens: row.minute_granted + (lease.minute.end === row.minute_end ? lease.minute.tokens : 0),
    left: row.minute_left,
  };
  lease.month = {
    limit: limits.monthly,
    start: row.month_start,
    end: row.month_end,
    tokens: row.month_granted + (lease.month.end === row.month_end ? lease.month.tokens : 0),
    left: row.month_left,
  };
  lease.takenAt = row.now * 1_000;
  lease.aloneAfter = row.alone ? arrivals : undefined;
}

/** Whether it was taken under the limits that the key has now, and for the minute of `now` (Unix milliseconds). */
export function suits({ minute, month }: Lease, limits: Caller['limits'], now: number): boolean {
  // Before its start counts as after its end: the clock was set back.
  const inMinute = minute.start * 1_000 <= now && now < minute.end * 1_000;
  return inMinute && minute.limit === limits.perMinute && month.limit === limits.monthly;
}

/** How many requests can be admitted without asking the database. */
export function atHand({ minute, month }: Lease): number {
  return Math.min(minute.tokens, month.tokens);
}

/** Nothing was left except the part that the process held, and that is spent. */
export function isUsedUp({ minute, month }: Lease): boolean {
  return minute.tokens + minute.left === 0 || month.tokens + month.left === 0;
}

/**
 * Whether the last known remainder still holds, except for leases of other processes within a second. `arrivals` as
 * heard of now; `now` in Unix milliseconds.
 */
export function isFresh({ aloneAfter, takenAt }: Lease, arrivals: number, now: number): boolean {
  return aloneAfter === arrivals || now < takenAt + lookMs;
}

// With other processes the counters are looked at again so long after the last look, with the next call.
const lookMs = 1_000;

/** Admits one request, and returns the limit headers. */
export function admitOne(lease: Lease): Record<string, string> {
  lease.minute.tokens -= 1;
  lease.month.tokens -= 1;
  return limitHeaders(lease);
}

/** Takes out everything. */
export function takeOut(lease: Lease): Unused[] {
  return (['minute', 'month'] as const).flatMap((window) => {
    const { start, tokens } = lease[window];
    lease[window].tokens = 0;
    return tokens > 0 ? [{ keyId: lease.keyId, window, start, tokens }] : [];
  });
}

/** The refusal when a window is used up: with the limit headers, and the seconds until it may be otherwise. */
export function usedUp(lease: Lease, now: number): ApiError {
  const { month, minute } = lease;
  const monthIsUsedUp = month.tokens + month.left === 0;
  const end = monthIsUsedUp ? month.end : minute.end;
  return new ApiError(
    monthIsUsedUp ? 'month_limit' : 'minute_limit',
    monthIsUsedUp
      ? `The limit of ${month.limit} requests a month is used up.`
      : `The limit of ${minute.limit} requests a minute is used up.`,
    { headers: { ...limitHeaders(lease), 'Retry-After': retryAfter(end, now) } },
  );
}

/** Whole seconds until `end` (Unix seconds), at least 1; `now` in Unix milliseconds. */
export function retryAfter(end: number, now: number): string {
  return String(Math.max(1, Math.ceil(end - now / 1_000)));
}

// The minute's, or the month's when fewer are left in it: the part that no process held at the last look, and the
// part held here.
function limitHeaders({ minute, month }: Lease): Record<string, string> {
  const shown = month.tokens + month.left < minute.tokens + minute.left ? month : minute;
  return {
    'X-RateLimit-Limit': String(shown.limit),
    'X-RateLimit-Remaining': String(shown.tokens + shown.left),
    'X-RateLimit-Reset': String(shown.end),
  };
}

const nothing: Holding = { limit: -1, start: 0, end: 0, tokens: 0, left: 0 };
