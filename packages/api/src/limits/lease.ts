import type { Caller } from '../credentials/credentials.ts';
import { ApiError } from '../errors.ts';
import type { LeaseRow } from './statements.ts';

/** What a process holds of one window of a key: requests it may admit without asking. */
export interface Holding {
  /** The limit under which it was taken. */
  limit: number;
  /** Unix seconds. */
  start: number;
  end: number;
  /** Requests at hand. */
  tokens: number;
  /** What no process held when this was taken. */
  left: number;
}

/** What a process holds of one key. */
export interface Lease {
  readonly keyId: string;
  minute: Holding;
  month: Holding;
  /** No other process lived when this was taken: what was left then is still left. */
  alone: boolean;
  /** How many arrivals of other processes had been heard of when it was asked for. */
  arrivals: number;
  /** Until then (Unix milliseconds) nothing is asked again: a limit is used up. */
  refusedUntil: number;
}

/** A lease that holds nothing yet. */
export function emptyLease(keyId: string): Lease {
  return { keyId, minute: { ...nothing }, month: { ...nothing }, alone: false, arrivals: 0, refusedUntil: 0 };
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
  lease.alone = row.processes === 1;
  lease.arrivals = arrivals;
  lease.refusedUntil = 0;
}

/** Whether it was taken under the limits that the key has now. */
export function suits({ minute, month }: Lease, limits: Caller['limits']): boolean {
  return minute.limit === limits.perMinute && month.limit === limits.monthly;
}

/** How many requests can be admitted without asking the database. */
export function atHand({ minute, month }: Lease): number {
  return Math.min(minute.tokens, month.tokens);
}

/** Admits one request. */
export function spend({ minute, month }: Lease): void {
  minute.tokens -= 1;
  month.tokens -= 1;
}

/**
 * The limit headers: the minute's, or the month's when fewer are left in it. With other processes about, only
 * what is at hand is certain to be left. Specification: Limits, request limits.
 */
export function limitHeaders(lease: Lease, arrivals: number): Record<string, string> {
  const { minute, month } = lease;
  const shown = month.tokens + month.left < minute.tokens + minute.left ? month : minute;
  const certain = lease.alone && lease.arrivals === arrivals;
  return {
    'X-RateLimit-Limit': String(shown.limit),
    'X-RateLimit-Remaining': String(certain ? shown.tokens + shown.left : shown.tokens),
    'X-RateLimit-Reset': String(shown.end),
  };
}

/** The refusal when a window is used up: with the limit headers, and the seconds until it may be otherwise. */
export function usedUp(lease: Lease, arrivals: number, now: number): ApiError {
  const { month, minute } = lease;
  const monthIsUsedUp = month.tokens + month.left === 0;
  const end = monthIsUsedUp ? month.end : minute.end;
  return new ApiError(
    'rate_limited',
    monthIsUsedUp
      ? `The limit of ${month.limit} requests a month is used up.`
      : `The limit of ${minute.limit} requests a minute is used up.`,
    {
      headers: { ...limitHeaders(lease, arrivals), 'Retry-After': retryAfter(end, now) },
      limit: monthIsUsedUp ? 'month' : 'minute',
    },
  );
}

/** Whole seconds until `end` (Unix seconds), at least 1; `now` in Unix milliseconds. */
export function retryAfter(end: number, now: number): string {
  return String(Math.max(1, Math.ceil(end - now / 1_000)));
}

const nothing: Holding = { limit: -1, start: 0, end: 0, tokens: 0, left: 0 };
