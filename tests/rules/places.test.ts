import type { Queryable } from '@comanda/db';
import { afterEach, beforeEach, expect, expectTypeOf, it, test, vi } from 'vitest';
import { createBatchPlaces } from '../../packages/api/src/places/batches.ts';
import { createBulkhead } from '../../packages/api/src/places/bulkhead.ts';
import { bulkheadLimits } from '../../packages/api/src/places/bulkhead-limits.ts';
import { createInFlight } from '../../packages/api/src/places/in-flight.ts';
import {
  createJoinedReads,
  type JoinedRead,
  type JoinedReads,
} from '../../packages/api/src/places/joined-reads.ts';
import { createLocationPlaces, exportLimits } from '../../packages/api/src/places/location-places.ts';
import type { JoinedCall } from '../../packages/api/src/request/context.ts';

beforeEach(() =>
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance'] }),
);
afterEach(() => vi.useRealTimers());

const database: Queryable = { run: () => Promise.reject(new Error('nothing is asked of it')) };
const never = () => new Promise<never>(() => {});
const longest = { waitMs: bulkheadLimits.waitMs };

/** Fills what there is, and then asks once more. */
const overfull: Record<string, () => unknown> = {
  'calls in flight': () => {
    const { enter } = createInFlight({ location: 1, all: 1 });
    enter('a');
    return enter('a');
  },
  bulkhead: async () => {
    const bulkhead = createBulkhead({ ...bulkheadLimits, compartment: { query: 1, mutation: 1 } });
    await bulkhead.enter('a', 'orders', 'query');
    return Promise.resolve(bulkhead.enter('a', 'orders', 'query')).finally(() => bulkhead.close());
  },
  exports: async () => {
    const { enter } = createLocationPlaces(exportLimits);
    for (const location of ['a', 'b', 'c', 'd']) await enter(location);
    return enter('e');
  },
  batches: () => {
    const { inTurn } = createBatchPlaces();
    void inTurn('a', never);
    return inTurn('a', never);
  },
  'joined reads': async () => {
    const joined = createJoinedReads(database);
    void joined.read(stuckRead, 1);
    await vi.advanceTimersByTimeAsync(longest.waitMs);
    return joined.read(stuckRead, 2);
  },
};

const stuckRead: JoinedRead<number, string> = { textOf: String, read: never };

/** Where the location itself has too much under way. */
const ofLocation = ['calls in flight', 'exports', 'batches'];

test.each(Object.entries(overfull))('%s refuse as all that sheds load does', async (what, fill) => {
  const refused = (async () => fill())().catch((error: unknown) => error);
  await vi.advanceTimersByTimeAsync(2 * longest.waitMs);
  expect(await refused).toMatchObject({
    errorCode: 'internal_error',
    reason: ofLocation.includes(what) ? 'location_busy' : 'temporarily_unavailable',
    status: 503,
    headers: { 'Retry-After': '5' },
    message: 'This part of the service is not available at the moment; try again shortly.',
  });
});

it('keeps who waits for a joined read with the app that they asked', async () => {
  const asked: Queryable[] = [];
  const what: JoinedRead<number, string> = {
    textOf: String,
    async read(on, keys) {
      asked.push(on);
      if (on === database) await never();
      return new Map(keys.map((key) => [String(key), `${key}`]));
    },
  };
  const other: Queryable = { ...database };
  const [mine, theirs]: JoinedReads[] = [createJoinedReads(database), createJoinedReads(other)];
  void mine?.read(what, 1);
  expect(await theirs?.read(what, 1)).toBe('1');
  expect(asked).toEqual([database, other]);
});

// Held by the compiler, and so by `npm run check`.
it('gives a call without a place no database', () => {
  expectTypeOf<keyof JoinedCall['app']>().toEqualTypeOf<'places' | 'policy'>();
});
