import { openDatabase } from '@comanda/db';
import { describe, expect, test } from 'vitest';
import type { Caller } from '../../packages/api/src/credentials/credentials.ts';
import { ApiError, toApiError } from '../../packages/api/src/errors.ts';
import { createLimiter, type Limiter } from '../../packages/api/src/limits/limiter.ts';
import { admitMany, callerWith, standAt, unix, usedBy, useLimitedDatabase } from '../support/limits.ts';

const database = useLimitedDatabase();

describe('requests', () => {
  test('admits exactly the limit of 1000 simultaneous requests, in the order in which they came', () =>
    standAt(database, '2027-03-10T12:00:20.500Z', async ({ limiter }) => {
      const caller = callerWith({ perMinute: 600 });
      const answers = await admitMany(limiter, caller, 1_000);
      const remaining = answers.slice(0, 600).map((answer) => {
        if (answer instanceof ApiError) throw answer;
        return Number(answer['X-RateLimit-Remaining']);
      });
      expect(remaining).toEqual(Array.from({ length: 600 }, (_, index) => 599 - index));
      for (const answer of answers.slice(600)) {
        expect(answer).toMatchObject({
          errorCode: 'rate_limited',
          status: 429,
          message: 'The limit of 600 requests a minute is used up.',
          headers: { ...limitHeaders(600, 0, '2027-03-10T12:01:00Z'), 'Retry-After': '40' },
        });
      }
      expect(await usedBy(database, caller)).toEqual({ minute: 600, month: 600 });
    }));

  test('admits exactly the limit of requests one after the other', () =>
    standAt(database, '2027-03-10T12:00:00Z', async ({ limiter }) => {
      const caller = callerWith({ perMinute: 37 });
      const remaining: string[] = [];
      for (let index = 0; index < 37; index += 1)
        remaining.push((await limiter.admit(caller))['X-RateLimit-Remaining'] ?? '');
      expect(remaining).toEqual(Array.from({ length: 37 }, (_, index) => String(36 - index)));
      for (let index = 0; index < 3; index += 1)
        expect(await refusal(limiter, caller)).toBeInstanceOf(ApiError);
    }));

  test('admits nothing under a limit of none', () =>
    standAt(database, '2027-03-10T12:00:00Z', async ({ limiter }) => {
      const caller = callerWith({ perMinute: 0 });
      expect((await refusal(limiter, caller)).headers['X-RateLimit-Remaining']).toBe('0');
      expect(await usedBy(database, caller)).toEqual({ minute: 0, month: 0 });
    }));

  test('counts keys apart', () =>
    standAt(database, '2027-03-10T12:00:00Z', async ({ limiter }) => {
      const [one, other] = [callerWith({ perMinute: 1 }), callerWith({ perMinute: 1 })];
      await limiter.admit(one);
      await refusal(limiter, one);
      expect((await limiter.admit(other))['X-RateLimit-Remaining']).toBe('0');
    }));

  test('begins a new minute with the full limit, and not a moment sooner', () =>
    standAt(database, '2027-03-10T12:00:59Z', async ({ limiter, move }) => {
      const caller = callerWith({ perMinute: 10 });
      await admitMany(limiter, caller, 10);
      move('2027-03-10T12:00:59.999Z');
      expect((await refusal(limiter, caller)).headers['Retry-After']).toBe('1');
      move('2027-03-10T12:01:00Z');
      const answers = await admitMany(limiter, caller, 11);
      expect(answers.filter((answer) => answer instanceof ApiError).length).toBe(1);
      expect(answers[0]).toEqual(limitHeaders(10, 9, '2027-03-10T12:02:00Z'));
    }));

  test('does not carry what a minute left over into the next', () =>
    standAt(database, '2027-03-10T12:00:00Z', async ({ limiter, move }) => {
      const caller = callerWith({ perMinute: 10 });
      await limiter.admit(caller);
      move('2027-03-10T12:01:00Z');
      const answers = await admitMany(limiter, caller, 20);
      expect(answers.filter((answer) => !(answer instanceof ApiError)).length).toBe(10);
    }));

  test('loses nothing of the month at the end of a minute', () =>
    standAt(database, '2027-03-10T12:00:00Z', async ({ limiter, move }) => {
      const caller = callerWith({ perMinute: 600, monthly: 10 });
      for (let minute = 0; minute < 10; minute += 1) {
        move(`2027-03-10T12:0${minute}:00Z`);
        expect((await limiter.admit(caller))['X-RateLimit-Remaining']).toBe(String(9 - minute));
      }
      move('2027-03-10T12:10:00Z');
      expect((await refusal(limiter, caller)).message).toBe('The limit of 10 requests a month is used up.');
    }));

  test('shows the month when fewer are left in it', () =>
    standAt(database, '2027-02-27T23:58:00Z', async ({ limiter, move }) => {
      const caller = callerWith({ perMinute: 4, monthly: 6 });
      const month = '2027-03-01T00:00:00Z';
      const first = { 'X-RateLimit-Limit': '4', 'X-RateLimit-Remaining': '3' };
      expect(await limiter.admit(caller)).toMatchObject(first);
      await admitMany(limiter, caller, 3);
      move('2027-02-27T23:59:00Z');
      expect(await limiter.admit(caller)).toEqual(limitHeaders(6, 1, month));
      await limiter.admit(caller);
      const { headers } = await refusal(limiter, caller);
      expect(headers).toEqual({ ...limitHeaders(6, 0, month), 'Retry-After': String(24 * 3_600 + 60) });
    }));

  test('begins a new month in UTC', () =>
    standAt(database, '2027-01-31T23:59:59Z', async ({ limiter, move }) => {
      const caller = callerWith({ perMinute: 600, monthly: 3 });
      const answers = await admitMany(limiter, caller, 5);
      expect(answers.filter((answer) => answer instanceof ApiError).length).toBe(2);
      move('2027-01-31T23:59:59.999Z');
      expect((await refusal(limiter, caller)).headers['Retry-After']).toBe('1');
      move('2027-02-01T00:00:00Z');
      expect(await limiter.admit(caller)).toEqual(limitHeaders(3, 2, '2027-03-01T00:00:00Z'));
    }));

  test('counts what is refused in no window', () =>
    standAt(database, '2027-03-10T12:00:00Z', async ({ limiter }) => {
      const byMinute = callerWith({ perMinute: 5, monthly: 1_000 });
      await admitMany(limiter, byMinute, 50);
      await refusal(limiter, byMinute);
      const byMonth = callerWith({ perMinute: 1_000, monthly: 5 });
      await admitMany(limiter, byMonth, 50);
      await refusal(limiter, byMonth);
      await limiter.close();
      expect(await usedBy(database, byMinute)).toEqual({ minute: 5, month: 5 });
      expect(await usedBy(database, byMonth)).toEqual({ minute: 5, month: 5 });
    }));

  test('applies a changed limit at once, with what was used before', () =>
    standAt(database, '2027-03-10T12:00:00Z', async ({ limiter }) => {
      const caller = callerWith({ perMinute: 10 });
      await admitMany(limiter, caller, 10);
      await refusal(limiter, caller);
      const raised = { ...caller, limits: { ...caller.limits, perMinute: 15 } };
      expect((await limiter.admit(raised))['X-RateLimit-Remaining']).toBe('4');
      const lowered = { ...caller, limits: { ...caller.limits, perMinute: 12 } };
      expect((await limiter.admit(lowered))['X-RateLimit-Remaining']).toBe('0');
      await refusal(limiter, lowered);
      await limiter.close();
      expect(await usedBy(database, caller)).toEqual({ minute: 12, month: 12 });
    }));

  test('takes nothing that is at hand beyond a limit that was lowered', () =>
    standAt(database, '2027-03-10T12:00:00Z', async ({ limiter }) => {
      const caller = callerWith({ perMinute: 600 });
      for (let index = 0; index < 7; index += 1) await limiter.admit(caller);
      expect(await usedBy(database, caller)).toMatchObject({ minute: 12 });
      const lowered = { ...caller, limits: { ...caller.limits, perMinute: 10 } };
      const answers = await admitMany(limiter, lowered, 5);
      expect(answers.map((answer) => answer instanceof ApiError)).toEqual([false, false, false, true, true]);
    }));

  test('takes at most 1 % of a limit ahead, and never more than 100: no more is lost in a crash', () =>
    standAt(database, '2027-03-10T12:00:00Z', async ({ limiter }) => {
      for (const [perMinute, monthly, minute, month] of [
        [600, 1_000_000, 6, 100],
        [20_000, 400, 100, 4],
        [60, 101, 1, 2],
      ] as const) {
        const caller = callerWith({ perMinute, monthly });
        await limiter.admit(caller);
        expect(await usedBy(database, caller)).toEqual({ minute, month });
      }
    }));

  test('gives back what a process did not use when it ends', () =>
    standAt(database, '2027-03-10T12:00:00Z', async ({ limiter }) => {
      const caller = callerWith({ perMinute: 600 });
      await admitMany(limiter, caller, 3);
      expect((await usedBy(database, caller)).month).toBeGreaterThan(3);
      await limiter.close();
      expect(await usedBy(database, caller)).toEqual({ minute: 3, month: 3 });
    }));

  test('removes the counts of minutes long gone, and keeps those of months', () =>
    standAt(database, '2027-03-10T12:00:00Z', async ({ limiter, move }) => {
      const caller = callerWith({ perMinute: 5 });
      await limiter.admit(caller);
      await limiter.startBatch(caller);
      move('2027-04-02T08:00:00Z');
      await limiter.admit(caller);
      const { rows } = await database.pool.query(
        `select "window" from internal.limit_counters where api_key_id = $1 order by window_start, "window"`,
        [caller.apiKeyId],
      );
      expect(rows.map(({ window }) => window)).toEqual(['month', 'month', 'minute']);
    }));

  test('follows the clock of the database when no other is given', async () => {
    const limiter = createLimiter(database);
    const before = await databaseSeconds();
    const reset = Number((await limiter.admit(callerWith({ perMinute: 5 })))['X-RateLimit-Reset']);
    expect(reset % 60).toBe(0);
    expect(reset).toBeGreaterThan(before);
    expect(reset).toBeLessThanOrEqual((await databaseSeconds()) + 60);
    await limiter.close();
  });

  test('fails while the database is away, for every request that waits', async () => {
    const away = openDatabase({ url: 'postgres://nobody@127.0.0.1:1/nowhere' });
    const limiter = createLimiter(away);
    const caller = callerWith({ perMinute: 5 });
    for (let round = 0; round < 2; round += 1) {
      const outcomes = await Promise.allSettled([limiter.admit(caller), limiter.admit(caller)]);
      const statuses = outcomes.map(
        (outcome) => outcome.status === 'rejected' && toApiError(outcome.reason).status,
      );
      expect(statuses).toEqual([503, 503]);
    }
    await limiter.close();
    await away.close();
  });
});

async function refusal(limiter: Limiter, caller: Caller): Promise<ApiError> {
  const [answer] = await admitMany(limiter, caller, 1);
  if (answer instanceof ApiError) return answer;
  throw new Error('the request was admitted');
}

async function databaseSeconds(): Promise<number> {
  const { rows } = await database.pool.query('select extract(epoch from now())::float8 as now');
  return Number(rows[0]?.now);
}

const limitHeaders = (limit: number, remaining: number, reset: string) => ({
  'X-RateLimit-Limit': `${limit}`,
  'X-RateLimit-Remaining': `${remaining}`,
  'X-RateLimit-Reset': unix(reset),
});
