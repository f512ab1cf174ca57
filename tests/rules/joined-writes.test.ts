import { holdUps, type Transaction } from '@comanda/db';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { bounds } from '../../packages/api/src/capacity/bounds.ts';
import { type JoinedWrite, JoinedWrites } from '../../packages/api/src/capacity/joined-writes.ts';
import { createSlots } from '../../packages/api/src/capacity/slots.ts';

// The queue alone: that PostgreSQL keeps what it promises is in tests/concurrency/orders-joined.test.ts.

const database = {
  run: async () => [],
  transaction: (_first: unknown, work: (tx: Transaction, found: never[]) => Promise<never>) =>
    work({} as Transaction, []),
};
const slots = createSlots();

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

/** A write whose batches are ended by hand, in their order. */
function held(joins: JoinedWrite<string, string>['joins'] = () => true) {
  const batches: { location: string; members: string[]; end(error?: unknown): Promise<void> }[] = [];
  const what: JoinedWrite<string, string> = {
    resource: 'orders',
    joins,
    rows: (member) => [member],
    write: (_, location, members, alone) =>
      new Promise((resolve, reject) =>
        batches.push({
          location,
          members: [...members],
          end: async (error) => {
            if (error === undefined)
              resolve(members.map((member) => `${member} ${alone ? 'alone' : `of ${members.length}`}`));
            else reject(error);
            await vi.advanceTimersByTimeAsync(1);
          },
        }),
      ),
  };
  const writes = new JoinedWrites(database, slots);
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
  for (let each = 0; each < bounds.joined.writes + 2; each += 1) all.push(write(`${each}`));
  all.push(write('same'), write('same'), write('after'));
  for (let batch = 0; batch < 4; batch += 1) {
    await vi.advanceTimersByTimeAsync(1);
    await batches[batch]?.end();
  }
  expect(batches.map(({ members }) => members.length)).toEqual([1, bounds.joined.writes, 3, 2]);
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

it('a lone call that is refused is refused once, but waits for a row that is held', async () => {
  const { batches, write } = held();
  const refused = write('a');
  await vi.advanceTimersByTimeAsync(1);
  await batches[0]?.end(refusedBy('23505'));
  expect(await refused).toEqual(refusedBy('23505'));
  const waits = write('b');
  await vi.advanceTimersByTimeAsync(1);
  await batches[1]?.end(refusedBy('55P03'));
  await batches[2]?.end();
  expect(await waits).toBe('b of 1');
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

describe('a row that another transaction holds', () => {
  const isHeld = refusedBy('55P03');

  /** The first call waits for its row in the database, after a batch and a first attempt. */
  async function waiting() {
    const queue = held();
    const first = queue.write('a');
    await vi.advanceTimersByTimeAsync(1);
    for (const attempt of [0, 1]) await queue.batches[attempt]?.end(isHeld);
    expect(queue.batches.map(({ members }) => members)).toEqual([['a'], ['a'], ['a']]);
    return { ...queue, first };
  }

  it('is waited for outside of the batches, also by calls that come later', async () => {
    const { batches, write, first } = await waiting();
    const all = [write('a'), write('b'), write('a'), write('c')];
    await vi.advanceTimersByTimeAsync(1);
    await batches[3]?.end();
    expect(batches.slice(3).map(({ members }) => members)).toEqual([['b', 'c']]);
    expect(await Promise.all([all[1], all[3]])).toEqual(['b of 2', 'c of 2']);
    await batches[2]?.end();
    expect(await first).toBe('a of 1');
    expect(batches[4]?.members).toEqual(['a', 'a']);
    await batches[4]?.end();
    expect(await Promise.all([all[0], all[2]])).toEqual(['a of 2', 'a of 2']);
  });

  it('is waited for by one call in the database, however many need it, and each is refused in the end', async () => {
    const { batches, write, first } = await waiting();
    const all = Array.from({ length: bounds.held.calls - 1 }, () => write('a'));
    const beyond = write('a');
    await vi.advanceTimersByTimeAsync(1);
    expect(batches).toHaveLength(3);
    expect(await beyond).toMatchObject({ status: 503, reason: 'location_busy' });
    await vi.advanceTimersByTimeAsync(holdUps.rowMs);
    expect(await Promise.all(all)).toEqual(all.map(() => isHeld));
    await batches[2]?.end(isHeld);
    expect(await first).toBe(isHeld);
    const after = write('a');
    await vi.advanceTimersByTimeAsync(1);
    await batches[3]?.end();
    expect(await after).toBe('a of 1');
  });

  it('is taken by those that wait for it in turn, while the other calls of their batch go on', async () => {
    const { batches, write } = held();
    const all = ['a', 'b', 'c', 'b'].map((member) => write(member));
    await vi.advanceTimersByTimeAsync(1);
    await batches[0]?.end();
    await batches[1]?.end(isHeld);
    expect(batches.slice(2).map(({ members }) => members)).toEqual([['b', 'b'], ['c']]);
    await batches[3]?.end();
    expect(await all[2]).toBe('c of 1');
    await batches[2]?.end(isHeld);
    expect(batches[4]?.members).toEqual(['b', 'b']);
    // One of them cannot be written.
    await batches[4]?.end(refusedBy('23505'));
    await batches[5]?.end(refusedBy('23505'));
    await batches[6]?.end();
    expect(await Promise.all(all)).toEqual(['a of 1', refusedBy('23505'), 'c of 1', 'b alone']);
  });

  it('at many locations is attempted for each within a short time', async () => {
    const { batches, write } = held();
    const locations = Array.from({ length: 8 }, (_, n) => `location ${n}`);
    const all = locations.map((location) => write('a', location));
    await vi.advanceTimersByTimeAsync(1);
    for (let attempt = 0; attempt < 16; attempt += 1) await batches[attempt]?.end(isHeld);
    // Three wait in the database until they are served. A fourth gives way to the next.
    expect(batches).toHaveLength(20);
    for (let attempt = 19; attempt < 24; attempt += 1) await batches[attempt]?.end(isHeld);
    expect(new Set(batches.slice(16, 24).map(({ location }) => location)).size).toBe(8);
    for (let attempt = 16; attempt < 40; attempt += 1) await batches[attempt]?.end();
    expect(await Promise.all(all)).toEqual(locations.map(() => 'a of 1'));
  });
});
