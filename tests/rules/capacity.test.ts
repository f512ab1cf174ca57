import type { Queryable } from '@comanda/db';
import { afterEach, beforeEach, expect, expectTypeOf, it, test, vi } from 'vitest';
import type { JoinedCall } from '../../packages/api/src/call/context.ts';
import { bounds } from '../../packages/api/src/capacity/bounds.ts';
import { Count } from '../../packages/api/src/capacity/counts.ts';
import { type JoinedRead, JoinedReads } from '../../packages/api/src/capacity/joined-reads.ts';
import { createSlots } from '../../packages/api/src/capacity/slots.ts';

beforeEach(() =>
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance'] }),
);
afterEach(() => vi.useRealTimers());

const database: Queryable = { run: () => Promise.reject(new Error('nothing is asked of it')) };
const never = () => new Promise<never>(() => {});
const longest = { waitMs: bounds.slots.waitMs };

/** Fills what there is, and then asks once more. */
const overfull: Record<string, () => unknown> = {
  'calls in flight': () => {
    const calls = new Count({ location: 1, all: 1 });
    calls.enter('a');
    return calls.enter('a');
  },
  slots: async () => {
    const slots = createSlots({ ...bounds.slots, compartment: { query: 1, mutation: 1 } });
    const request = { locationId: 'a', resource: 'orders', kind: 'query' } as const;
    await slots.enter(request);
    return Promise.resolve(slots.enter(request)).finally(() => slots.close());
  },
  exports: async () => {
    const exports = new Count(bounds.exports);
    for (const location of ['a', 'b', 'c', 'd']) await exports.wait(location);
    return exports.wait('e');
  },
  'bulk writes': () => {
    const writes = new Count(bounds.bulkWrites);
    void writes.run('a', never);
    return writes.run('a', never);
  },
  'joined reads': async () => {
    const joined = new JoinedReads(database);
    void joined.read(stuckRead, 1);
    await vi.advanceTimersByTimeAsync(longest.waitMs);
    return joined.read(stuckRead, 2);
  },
};

const stuckRead: JoinedRead<number, string> = { textOf: String, read: never };

/** Where the location itself has too much under way. */
const ofLocation = ['calls in flight', 'exports', 'bulk writes'];

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
  const [mine, theirs]: JoinedReads[] = [new JoinedReads(database), new JoinedReads(other)];
  void mine?.read(what, 1);
  expect(await theirs?.read(what, 1)).toBe('1');
  expect(asked).toEqual([database, other]);
});

// Held by the compiler, and so by `npm run check`.
it('gives a call without a slot no database', () => {
  expectTypeOf<keyof JoinedCall['app']>().toEqualTypeOf<'capacity' | 'policy'>();
});
