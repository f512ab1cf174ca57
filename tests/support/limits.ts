import { type Database, newId, openDatabase } from '@comanda/db';
import type { Caller } from '../../packages/api/src/credentials/credentials.ts';
import { ApiError } from '../../packages/api/src/errors.ts';
import { createLimiter, type Limiter } from '../../packages/api/src/limits/limiter.ts';
import { useTestDatabase } from './database.ts';
import { useClosed } from './use.ts';

/** For the tests of a file: sessions in another time zone, for windows are those of UTC anyway. */
export function useLimitedDatabase(): Database {
  const own = useTestDatabase();
  return useClosed(async () => {
    const url = new URL(own.url);
    url.searchParams.set('options', '-c TimeZone=Pacific/Auckland');
    return openDatabase({ url: url.href });
  });
}

/** A caller of its own, with the default limits unless said. */
export function callerWith(limits: Partial<Caller['limits']>): Caller {
  const locationId = newId();
  return {
    apiKeyId: newId(),
    keyName: 'test',
    locationId,
    location: {
      id: locationId,
      code: '00000000',
      name: 'Test',
      timezone: 'UTC',
      currency: 'USD',
      createdAt: new Date(0),
      sandbox: false,
      status: 'active',
    },
    granted: new Set(['*']),
    allEventTypes: false,
    limits: { perMinute: 600, monthly: 1_000_000, batchJobsPerHour: 30, maxItemsPerBatch: 500, ...limits },
  };
}

/** Runs with a limiter of its own, whose time is fixed until it is moved. */
export async function standAt(
  database: Database,
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

/** Sends so many requests at once; refusals are among the answers as errors. */
export function admitMany(
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

/** The database's counts for the caller, by kind of window. */
export async function usedBy(database: Database, { apiKeyId }: Caller): Promise<Record<string, number>> {
  const { rows } = await database.pool.query<{ window: string; used: number }>(
    `select "window", sum(used)::int as used from internal.limit_counters where api_key_id = $1 group by 1`,
    [apiKeyId],
  );
  return Object.fromEntries(rows.map(({ window, used: count }) => [window, count]));
}

/** A time as the headers have it. */
export const unix = (time: string): string => String(Date.parse(time) / 1_000);
