import { type Database, newId, openDatabase } from '@comanda/db';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Caller } from '../../packages/api/src/credentials/credentials.ts';
import { ApiError, toApiError } from '../../packages/api/src/errors.ts';
import { createLimiter, type Limiter } from '../../packages/api/src/limits/limiter.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';

let testDatabase: TestDatabase;
let database: Database;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  // A session in another time zone: windows are those of UTC all the same.
  const url = new URL(testDatabase.url);
  url.searchParams.set('options', '-c TimeZone=Pacific/Auckland');
  database = openDatabase({ url: url.href });
});

afterAll(async () => {
  await database.close();
  await testDatabase.drop();
});

describe('requests', () => {
  test('admits exactly the limit of 1000 simultaneous requests, in the order in which they came', () =>
    at('2027-03-10T12:00:20.500Z', async ({ limiter }) => {
      const caller = callerWith({ perMinute: 600 });
      const answers = await admitMany(limiter, caller, 1_000);
      const remaining = answers.slice(0, 600).map((answer) => {
        if (answer instanceof ApiError) throw answer;
        return Number(answer['X-RateLimit-Remaining']);
      });
      expect(remaining).toEqual(Array.from({ length: 600 }, (_, index) => 599 - index));
      for (const answer of answers.slice(600)) {
        expect(answer).toMatchObject({
          reason: 'rate_limited',
          status: 429,
          message: 'The limit of 600 requests a minute is used up.',
          headers: {
            'X-RateLimit-Limit': '600',
            'X-RateLimit-Remaining': '0',
            'X-RateLimit-Reset': unix('2027-03-10T12:01:00Z'),
            'Retry-After': '40',
          },
        });
      }
      expect(await used(caller)).toEqual({ minute: 600, month: 600 });
    }));

  test('admits exactly the limit of requests one after the other', () =>
    at('2027-03-10T12:00:00Z', async ({ limiter }) => {
      const caller = callerWith({ perMinute: 37 });
      const remaining: string[] = [];
      for (let index = 0; index < 37; index += 1)
        remaining.push((await limiter.admit(caller))['X-RateLimit-Remaining'] ?? '');
      expect(remaining).toEqual(Array.from({ length: 37 }, (_, index) => String(36 - index)));
      for (let index = 0; index < 3; index += 1)
        expect(await refusal(limiter, caller)).toBeInstanceOf(ApiError);
    }));

  test('admits nothing under a limit of none', () =>
    at('2027-03-10T12:00:00Z', async ({ limiter }) => {
      const caller = callerWith({ perMinute: 0 });
      expect((await refusal(limiter, caller)).headers['X-RateLimit-Remaining']).toBe('0');
      expect(await used(caller)).toEqual({ minute: 0, month: 0 });
    }));

  test('counts keys apart', () =>
    at('2027-03-10T12:00:00Z', async ({ limiter }) => {
      const [one, other] = [callerWith({ perMinute: 1 }), callerWith({ perMinute: 1 })];
      await limiter.admit(one);
      await refusal(limiter, one);
      expect((await limiter.admit(other))['X-RateLimit-Remaining']).toBe('0');
    }));

  test('begins a new minute with the full limit, and not a moment sooner', () =>
    at('2027-03-10T12:00:59Z', async ({ limiter, move }) => {
      const caller = callerWith({ perMinute: 10 });
      await admitMany(limiter, caller, 10);
      move('2027-03-10T12:00:59.999Z');
      expect((await refusal(limiter, caller)).headers['Retry-After']).toBe('1');
      move('2027-03-10T12:01:00Z');
      const answers = await admitMany(limiter, caller, 11);
      expect(answers.filter((answer) => answer instanceof ApiError).length).toBe(1);
      expect(answers[0]).toEqual({
        'X-RateLimit-Limit': '10',
        'X-RateLimit-Remaining': '9',
        'X-RateLimit-Reset': unix('2027-03-10T12:02:00Z'),
      });
    }));

  test('does not carry what a minute left over into the next', () =>
    at('2027-03-10T12:00:00Z', async ({ limiter, move }) => {
      const caller = callerWith({ perMinute: 10 });
      await limiter.admit(caller);
      move('2027-03-10T12:01:00Z');
      const answers = await admitMany(limiter, caller, 20);
      expect(answers.filter((answer) => !(answer instanceof ApiError)).length).toBe(10);
    }));

  test('loses nothing of the month at the end of a minute', () =>
    at('2027-03-10T12:00:00Z', async ({ limiter, move }) => {
      const caller = callerWith({ perMinute: 600, monthly: 10 });
      for (let minute = 0; minute < 10; minute += 1) {
        move(`2027-03-10T12:0${minute}:00Z`);
        expect((await limiter.admit(caller))['X-RateLimit-Remaining']).toBe(String(9 - minute));
      }
      move('2027-03-10T12:10:00Z');
      expect((await refusal(limiter, caller)).message).toBe('The limit of 10 requests a month is used up.');
    }));

  test('shows the month when fewer are left in it', () =>
    at('2027-02-27T23:58:00Z', async ({ limiter, move }) => {
      const caller = callerWith({ perMinute: 4, monthly: 6 });
      const month = unix('2027-03-01T00:00:00Z');
      expect(await limiter.admit(caller)).toMatchObject({
        'X-RateLimit-Limit': '4',
        'X-RateLimit-Remaining': '3',
      });
      await admitMany(limiter, caller, 3);
      move('2027-02-27T23:59:00Z');
      expect(await limiter.admit(caller)).toEqual({
        'X-RateLimit-Limit': '6',
        'X-RateLimit-Remaining': '1',
        'X-RateLimit-Reset': month,
      });
      await limiter.admit(caller);
      const error = await refusal(limiter, caller);
      expect(error.headers).toEqual({
        'X-RateLimit-Limit': '6',
        'X-RateLimit-Remaining': '0',
        'X-RateLimit-Reset': month,
        'Retry-After': String(24 * 3_600 + 60),
      });
    }));

  test('begins a new month in UTC', () =>
    at('2027-01-31T23:59:59Z', async ({ limiter, move }) => {
      const caller = callerWith({ perMinute: 600, monthly: 3 });
      const answers = await admitMany(limiter, caller, 5);
      expect(answers.filter((answer) => answer instanceof ApiError).length).toBe(2);
      move('2027-01-31T23:59:59.999Z');
      expect((await refusal(limiter, caller)).headers['Retry-After']).toBe('1');
      move('2027-02-01T00:00:00Z');
      expect(await limiter.admit(caller)).toEqual({
        'X-RateLimit-Limit': '3',
        'X-RateLimit-Remaining': '2',
        'X-RateLimit-Reset': unix('2027-03-01T00:00:00Z'),
      });
    }));

  test('counts what is refused in no window', () =>
    at('2027-03-10T12:00:00Z', async ({ limiter }) => {
      const byMinute = callerWith({ perMinute: 5, monthly: 1_000 });
      await admitMany(limiter, byMinute, 50);
      await refusal(limiter, byMinute);
      const byMonth = callerWith({ perMinute: 1_000, monthly: 5 });
      await admitMany(limiter, byMonth, 50);
      await refusal(limiter, byMonth);
      await limiter.close();
      expect(await used(byMinute)).toEqual({ minute: 5, month: 5 });
      expect(await used(byMonth)).toEqual({ minute: 5, month: 5 });
    }));

  test('applies a changed limit at once, with what was used before', () =>
    at('2027-03-10T12:00:00Z', async ({ limiter }) => {
      const caller = callerWith({ perMinute: 10 });
      await admitMany(limiter, caller, 10);
      await refusal(limiter, caller);
      const raised = { ...caller, limits: { ...caller.limits, perMinute: 15 } };
      expect((await limiter.admit(raised))['X-RateLimit-Remaining']).toBe('4');
      const lowered = { ...caller, limits: { ...caller.limits, perMinute: 12 } };
      expect((await limiter.admit(lowered))['X-RateLimit-Remaining']).toBe('0');
      await refusal(limiter, lowered);
      await limiter.close();
      expect(await used(caller)).toEqual({ minute: 12, month: 12 });
    }));

  test('gives back what a process did not use when it ends', () =>
    at('2027-03-10T12:00:00Z', async ({ limiter }) => {
      const caller = callerWith({ perMinute: 600 });
      await admitMany(limiter, caller, 3);
      expect((await used(caller)).month).toBeGreaterThan(3);
      await limiter.close();
      expect(await used(caller)).toEqual({ minute: 3, month: 3 });
    }));

  test('removes the counts of minutes long gone, and keeps those of months', () =>
    at('2027-03-10T12:00:00Z', async ({ limiter, move }) => {
      const caller = callerWith({ perMinute: 5 });
      await limiter.admit(caller);
      await limiter.startBatch(caller);
      move('2027-04-02T08:00:00Z');
      await limiter.admit(caller);
      const { rows } = await database.pool.query(
        `select "window" from limit_counters where api_key_id = $1 order by window_start, "window"`,
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
      for (const outcome of outcomes) {
        expect(outcome.status).toBe('rejected');
        if (outcome.status === 'rejected') expect(toApiError(outcome.reason).status).toBe(503);
      }
    }
    await limiter.close();
    await away.close();
  });
});

describe('batch jobs', () => {
  test('admits exactly the limit of simultaneous ones, apart from the request limits', () =>
    at('2027-03-10T12:59:30Z', async ({ limiter, move }) => {
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
          reason: 'rate_limited',
          status: 429,
          headers: {
            'X-RateLimit-Batch-Limit': '30',
            'X-RateLimit-Batch-Remaining': '0',
            'X-RateLimit-Batch-Reset': unix('2027-03-10T13:00:00Z'),
            'Retry-After': '30',
          },
        });
      }
      expect(await used(caller)).toEqual({ batch_hour: 30 });
      move('2027-03-10T13:00:00Z');
      expect((await limiter.startBatch(caller))['X-RateLimit-Batch-Remaining']).toBe('29');
      expect((await limiter.batchHeaders(caller))['X-RateLimit-Batch-Remaining']).toBe('29');
    }));

  test('shows a lowered limit as used up, never below zero', () =>
    at('2027-03-10T12:00:00Z', async ({ limiter }) => {
      const caller = callerWith({ batchJobsPerHour: 3 });
      await limiter.startBatch(caller);
      await limiter.startBatch(caller);
      const lowered = { ...caller, limits: { ...caller.limits, batchJobsPerHour: 1 } };
      expect((await limiter.batchHeaders(lowered))['X-RateLimit-Batch-Remaining']).toBe('0');
      await expect(limiter.startBatch(lowered)).rejects.toMatchObject({ reason: 'rate_limited' });
    }));
});

/** Runs with a limiter of its own, whose time stands still until it is moved. */
async function at(
  time: string,
  run: (under: { limiter: Limiter; move(time: string): void }) => Promise<void>,
): Promise<void> {
  let now = Date.parse(time);
  const limiter = createLimiter(database, { clock: { now: () => now } });
  try {
    await run({
      limiter,
      move(to) {
        now = Date.parse(to);
      },
    });
  } finally {
    await limiter.close();
  }
}

function callerWith(limits: Partial<Caller['limits']>): Caller {
  const locationId = newId();
  return {
    apiKeyId: newId(),
    keyName: 'test',
    locationId,
    location: { id: locationId, name: 'Test', timezone: 'UTC', currency: 'USD', createdAt: new Date(0) },
    granted: new Set(['*']),
    limits: { perMinute: 600, monthly: 1_000_000, batchJobsPerHour: 30, maxItemsPerBatch: 500, ...limits },
  };
}

/** Sends them at once; refusals stand in the answer as errors. */
function admitMany(
  limiter: Limiter,
  caller: Caller,
  count: number,
): Promise<(Record<string, string> | ApiError)[]> {
  return Promise.all(
    Array.from({ length: count }, async () => {
      try {
        return await limiter.admit(caller);
      } catch (error) {
        if (error instanceof ApiError) return error;
        throw error;
      }
    }),
  );
}

async function refusal(limiter: Limiter, caller: Caller): Promise<ApiError> {
  const [answer] = await admitMany(limiter, caller, 1);
  if (answer instanceof ApiError) return answer;
  throw new Error('the request was admitted');
}

async function used({ apiKeyId }: Caller): Promise<Record<string, number>> {
  const { rows } = await database.pool.query<{ window: string; used: number }>(
    `select "window", sum(used)::int as used from limit_counters where api_key_id = $1 group by 1`,
    [apiKeyId],
  );
  return Object.fromEntries(rows.map(({ window, used: count }) => [window, count]));
}

async function databaseSeconds(): Promise<number> {
  const { rows } = await database.pool.query<{ now: number }>(
    'select extract(epoch from now())::float8 as now',
  );
  return rows[0]?.now ?? Number.NaN;
}

const unix = (time: string): string => String(Date.parse(time) / 1_000);
