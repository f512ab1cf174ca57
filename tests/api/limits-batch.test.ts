import { describe, expect, test } from 'vitest';
import { callerWith, standAt, unix, usedBy, useLimitedDatabase } from '../support/limits.ts';

const database = useLimitedDatabase();

describe('batch jobs', () => {
  test('admits exactly the limit of simultaneous ones, apart from the request limits', () =>
    standAt(database, '2027-03-10T12:59:30Z', async ({ limiter, move }) => {
      const caller = callerWith({ batchJobsPerHour: 30 });
      expect(await limiter.batchHeaders(caller)).toEqual({
        'X-RateLimit-Batch-Limit': '30',
        'X-RateLimit-Batch-Remaining': '30',
        'X-RateLimit-Batch-Reset': unix('2027-03-10T13:00:00Z'),
      });
      const starts = Array.from({ length: 50 }, () => limiter.startBatch(caller));
      const outcomes = await Promise.allSettled(starts);
      const remaining = outcomes.flatMap((outcome) =>
        outcome.status === 'fulfilled' ? [Number(outcome.value['X-RateLimit-Batch-Remaining'])] : [],
      );
      expect(remaining.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 30 }, (_, index) => index));
      for (const outcome of outcomes) {
        if (outcome.status === 'fulfilled') continue;
        expect(outcome.reason).toMatchObject({
          reason: 'batch_limit',
          status: 429,
          headers: {
            'X-RateLimit-Batch-Limit': '30',
            'X-RateLimit-Batch-Remaining': '0',
            'X-RateLimit-Batch-Reset': unix('2027-03-10T13:00:00Z'),
            'Retry-After': '30',
          },
        });
      }
      expect(await usedBy(database, caller)).toEqual({ batch_hour: 30 });
      move('2027-03-10T13:00:00Z');
      expect((await limiter.startBatch(caller))['X-RateLimit-Batch-Remaining']).toBe('29');
      expect((await limiter.batchHeaders(caller))['X-RateLimit-Batch-Remaining']).toBe('29');
    }));

  test('shows a lowered limit as used up, never below zero', () =>
    standAt(database, '2027-03-10T12:00:00Z', async ({ limiter }) => {
      const caller = callerWith({ batchJobsPerHour: 3 });
      await limiter.startBatch(caller);
      await limiter.startBatch(caller);
      const lowered = { ...caller, limits: { ...caller.limits, batchJobsPerHour: 1 } };
      expect((await limiter.batchHeaders(lowered))['X-RateLimit-Batch-Remaining']).toBe('0');
      await expect(limiter.startBatch(lowered)).rejects.toMatchObject({ reason: 'batch_limit' });
    }));
});
