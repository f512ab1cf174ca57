import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { readAheadAsNow } from '../../packages/api/src/call/input.ts';
import type { ApiError } from '../../packages/api/src/errors.ts';
import { readFrom } from '../../packages/api/src/moments.ts';
import { TimestampFilter } from '../../packages/api/src/wire.ts';

const now = new Date('2026-01-31T21:05:09.120Z');
const schema = z.object({
  since: readFrom(TimestampFilter),
  day: readFrom(z.string().transform((text) => new Date(text))).optional(),
  until: TimestampFilter.optional(),
});

function read(input: { since: string; day?: Date; until?: string }, headers: Record<string, string> = {}) {
  return { input: readAheadAsNow({ headers }, schema, input, now), headers };
}

function refusal(input: Parameters<typeof read>[0]): string {
  try {
    read(input);
  } catch (error) {
    return (error as ApiError).message;
  }
  return '';
}

const inMs = (ms: number) => new Date(now.getTime() + ms).toISOString();

describe('a moment to read from', () => {
  test.each([inMs(0), inMs(-1), '2026-01-31T18:05:09.120-03:00', '0001-01-01T00:00:00Z'])(
    'that has come stays as it is: %s',
    (since) => {
      expect(read({ since })).toEqual({ input: { since }, headers: {} });
    },
  );

  test.each([inMs(1), inMs(300_000), '2026-01-31T18:09:00.000-03:00'])(
    'up to 5 minutes ahead is now: %s',
    (since) => {
      const until = '2999-01-01T00:00:00Z';
      expect(read({ since, until })).toEqual({
        input: { since: now.toISOString(), until },
        headers: { 'X-Read-As-Now': 'since=2026-01-31T21:05:09.120Z' },
      });
    },
  );

  test('stays a date where it was read as one', () => {
    const { input, headers } = read({ since: inMs(-1), day: new Date(inMs(1)) });
    expect(input.day).toEqual(now);
    expect(headers).toEqual({ 'X-Read-As-Now': 'day=2026-01-31T21:05:09.120Z' });
  });

  test('is reported for each call of a request', () => {
    const { headers } = read(
      { since: inMs(1) },
      { 'X-Read-As-Now': 'updated_since=2026-01-31T21:05:09.119Z' },
    );
    expect(headers['X-Read-As-Now']).toBe(
      'updated_since=2026-01-31T21:05:09.119Z, since=2026-01-31T21:05:09.120Z',
    );
  });

  test.each([
    [300_001, '5 minutes'],
    [361_000, '6 minutes 1 second'],
    [3_600_000, '1 hour'],
    [9_600_000, '2 hours 40 minutes'],
    [2 * 86_400_000 + 61_000, '2 days 1 minute'],
  ])('%i ms ahead is refused as %s', (ms, said) => {
    expect(refusal({ since: inMs(ms) })).toBe(
      `since: is ${said} ahead of our clock, which says 2026-01-31T21:05:09.120Z: it may be at most 5 minutes ahead`,
    );
  });

  test('is refused with every other that is too far ahead', () => {
    expect(refusal({ since: inMs(1), day: new Date(inMs(400_000)) })).toMatch(
      /^day: is 6 minutes 40 seconds/,
    );
    expect(refusal({ since: inMs(400_000), day: new Date(inMs(400_000)) })).toMatch(/^since: .*; day: /);
  });
});
