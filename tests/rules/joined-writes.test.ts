import type { Queryable } from '@comanda/db';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createBulkhead } from '../../packages/api/src/places/bulkhead.ts';
import {
  createJoinedWrites,
  type JoinedWrite,
  mostInBatch,
} from '../../packages/api/src/places/joined-writes.ts';

// The queue alone: that PostgreSQL keeps what it promises is in tests/concurrency/orders-joined.test.ts.

const database = {} as Queryable;
const bulkhead = createBulkhead();

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

/** A write whose batches are ended by hand, in their order. */
function held(joins: JoinedWrite<string, string>['joins'] = () => true) {
  const batches: { location: string; members: string[]; end(error?: unknown): Promise<void> }[] = [];
  const what: JoinedWrite<string, string> = {
    resource: 'orders',
    joins,
    write: (_, location, members, alone) =>
      new Promise((resolve, reject) =>
        batches.push({
          ...{ location, members: [...members] },
          end: async (error) => {
            if (error === undefined)
              resolve(members.map((member) => `${member} ${alone ? 'alone' : `of ${members.length}`}`));
            else reject(error);
            await vi.advanceTimersByTimeAsync(1);
          },
        }),
      ),
  };
  const writes = createJoinedWrites(database, bulkhead);
  const write = (member: string, location = 'one') => {
    const written = writes.write(what, location, member);
    return written.catch((error: unknown) => error);
  };
  const writeAlone = (member: string) => writes.writeAlone(what, 'one', member);
  return { batches, write, writeAlone };
}

const refusedBy = (code: string) => Object.assign(new Error(code), { code, severity: 'ERROR' });

it('a lone call goes at once, and those that come meanwhile go together, in their order', async () => {
  const { batches, write } = held();
  const all = ['a', 'b', 'c'].map((member) => write(member));
  await vi.advanceTimersByTimeAsync(1);
  expect(batches.map(({ members }) => members)).toEqual([['a']]);
  await batches[0]?.end();
  expect(batches.map(({ members }) => members)).toEqual([['a'], ['b', 'c']]);
  await batches[1]?.end();
  expect(await Promise.all(all)).toEqual(['a of 1', 'b of 2', 'c of 2']);
});

it('a batch has so many members at most, and ends before what does not join it', async () => {
  const { batches, write } = held((before, member) => !before.includes(member));
  const all = [write('first')];
  for (let each = 0; each < mostInBatch + 2; each += 1) all.push(write(`${each}`));
  all.push(write('same'), write('same'), write('after'));
  for (let batch = 0; batch < 4; batch += 1) {
    await vi.advanceTimersByTimeAsync(1);
    await batches[batch]?.end();
  }
  expect(batches.map(({ members }) => members.length)).toEqual([1, mostInBatch, 3, 2]);
  expect(batches[3]?.members).toEqual(['same', 'after']);
  await Promise.all(all);
});

it('members of a batch that PostgreSQL refused go one by one, once', async () => {
  const { batches, write } = held();
  const all = ['a', 'b', 'c'].map((member) => write(member));
  await vi.advanceTimersByTimeAsync(1);
  await batches[0]?.end();
  const after = write('d');
  await batches[1]?.end(refusedBy('40P01'));
  expect(batches.slice(2).map(({ members }) => members)).toEqual([['b'], ['c'], ['d']]);
  await batches[2]?.end(refusedBy('40P01'));
  await batches[3]?.end();
  await batches[4]?.end();
  expect(await Promise.all(all)).toEqual(['a of 1', refusedBy('40P01'), 'c alone']);
  expect(await after).toBe('d of 1');
  expect(batches).toHaveLength(5);
});

it('a lone call that is refused is refused once, but waits alone for what is held', async () => {
  const { batches, write } = held();
  const refused = write('a');
  await vi.advanceTimersByTimeAsync(1);
  await batches[0]?.end(refusedBy('23505'));
  expect(await refused).toEqual(refusedBy('23505'));
  const waits = write('b');
  await vi.advanceTimersByTimeAsync(1);
  await batches[1]?.end(refusedBy('55P03'));
  await batches[2]?.end();
  expect(await waits).toBe('b alone');
});

it.each(['57P01', '08006', 'ECONNRESET'])(
  'nothing is sent again when the outcome is unknown: %s',
  async (code) => {
    const { batches, write } = held();
    const all = ['a', 'b', 'c'].map((member) => write(member));
    await vi.advanceTimersByTimeAsync(1);
    await batches[0]?.end();
    await batches[1]?.end(refusedBy(code));
    const [, ...outcomes] = await Promise.all(all);
    expect(outcomes).toEqual([refusedBy(code), refusedBy(code)]);
    expect(batches).toHaveLength(2);
  },
);

it('who is made alone waits for no batch, and none waits for it', async () => {
  const { batches, write, writeAlone } = held();
  const all = [write('a'), writeAlone('b')];
  await vi.advanceTimersByTimeAsync(1);
  expect(batches.map(({ members }) => members)).toEqual([['a'], ['b']]);
  await batches[0]?.end();
  all.push(write('c'));
  await vi.advanceTimersByTimeAsync(1);
  for (const batch of batches.slice(1)) await batch.end();
  expect(await Promise.all(all)).toEqual(['a of 1', 'b alone', 'c of 1']);
});

it('another location does not wait', async () => {
  const { batches, write } = held();
  const all = [write('a'), write('b', 'two')];
  await vi.advanceTimersByTimeAsync(1);
  expect(batches.map(({ location }) => location)).toEqual(['one', 'two']);
  for (const batch of batches) await batch.end();
  await Promise.all(all);
});

it('a call that arrives while a batch does not end is refused, and those before go on', async () => {
  const { batches, write } = held();
  const all = [write('a'), write('b')];
  await vi.advanceTimersByTimeAsync(60_000);
  expect(await write('c')).toMatchObject({ status: 503 });
  await batches[0]?.end();
  await batches[1]?.end();
  expect(await Promise.all(all)).toEqual(['a of 1', 'b of 1']);
});

it('a location that is not active refuses a batch as a whole, and its members are not sent again', async () => {
  const { batches, write } = held();
  const all = ['a', 'b', 'c'].map((member) => write(member));
  await vi.advanceTimersByTimeAsync(1);
  await batches[0]?.end();
  const refusal = refusedBy('CM009');
  await batches[1]?.end(refusal);
  expect(await Promise.all(all)).toEqual(['a of 1', refusal, refusal]);
  expect(batches).toHaveLength(2);
});
