import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { type Bulkhead, createBulkhead, type Leave } from '../../packages/api/src/places/bulkhead.ts';
import {
  type BulkheadLimits,
  bulkheadLimits,
  type CallKind,
} from '../../packages/api/src/places/bulkhead-limits.ts';

let bulkhead: Bulkhead;
afterEach(() => bulkhead.close());

const patient = { narrowMs: 60_000, stuckMs: 60_000, waitMs: 60_000 };
const open = (changes: Partial<BulkheadLimits> = {}) => {
  bulkhead = createBulkhead({
    ...{
      all: 5,
      kind: 4,
      resource: 4,
      resourceKind: 3,
      locationKind: 3,
      compartment: { query: 2, mutation: 2 },
    },
    ...patient,
    ...changes,
  });
  return bulkhead;
};

/** Whether a call gets in at once. */
function isIn(location: string, resource: string, kind: CallKind = 'mutation'): boolean {
  const place = bulkhead.enter(location, resource, kind);
  if (place instanceof Promise) place.catch(() => {});
  return !(place instanceof Promise);
}

/** Enters, and notes the name once it is in. */
function queue(location: string, resource: string, entered: string[]): Promise<Leave> {
  const place = bulkhead.enter(location, resource, 'mutation');
  const note = (leave: Leave) => {
    entered.push(`${location}.${resource}`);
    return leave;
  };
  return place instanceof Promise ? place.then(note) : Promise.resolve(note(place));
}

const times = (count: number) => Array.from({ length: count }, (_, index) => index);

test('one location on one resource leaves places for others, and both leave some for the rest', () => {
  open();
  expect([isIn('a', 'orders'), isIn('a', 'orders'), isIn('a', 'orders')]).toEqual([true, true, false]);
  expect([isIn('a', 'stock'), isIn('a', 'menus')]).toEqual([true, false]);
  expect([isIn('b', 'orders'), isIn('c', 'stock')]).toEqual([true, false]);
});

test('however many write, some places are left to those who read, and the other way round', () => {
  open();
  expect(
    times(6)
      .map((n) => isIn(`${n}`, `${n}`, 'mutation'))
      .filter(Boolean),
  ).toHaveLength(4);
  expect(isIn('a', 'orders', 'query')).toBe(true);
  bulkhead.close();
  open();
  expect(
    times(6)
      .map((n) => isIn(`${n}`, `${n}`, 'query'))
      .filter(Boolean),
  ).toHaveLength(4);
  expect(isIn('a', 'orders', 'mutation')).toBe(true);
});

test('three locations that are stuck on orders leave a fourth its orders, all their lists, and other resources', () => {
  open({ ...bulkheadLimits, ...patient });
  const stuck = times(3).flatMap((location) => times(9).map(() => isIn(`${location}`, 'orders')));
  expect(stuck.filter(Boolean)).toHaveLength(9);
  expect(isIn('free', 'orders')).toBe(true);
  expect(isIn('0', 'products')).toBe(true);
  expect([isIn('0', 'orders', 'query'), isIn('free', 'orders', 'query')]).toEqual([true, true]);
});

test('where a call was held up the location has one place on the resource for a while', async () => {
  const { enter } = open({ narrowMs: 200 });
  const [first, second] = [await enter('a', 'orders', 'mutation'), await enter('a', 'orders', 'mutation')];
  first(true);
  expect([isIn('a', 'orders'), isIn('a', 'stock'), isIn('b', 'orders')]).toEqual([false, true, true]);
  // The one that waits is let in when the other has gone, and the next when the compartment is wide again.
  second();
  const last = enter('a', 'orders', 'mutation');
  expect(last).toBeInstanceOf(Promise);
  expect(await last).toBeTypeOf('function');
});

test('who waits is let in in turn: a long queue of one location does not hold up another', async () => {
  const { enter } = open({ all: 2, kind: 2 });
  const first = [await enter('a', 'orders', 'mutation'), await enter('a', 'orders', 'mutation')];
  const entered: string[] = [];
  const waiting = [1, 2, 3].map(() => queue('a', 'orders', entered));
  waiting.push(queue('b', 'orders', entered));
  first[0]?.();
  first[1]?.();
  for (const place of waiting.slice(0, 1)) (await place)();
  (await (waiting[3] ?? Promise.reject(new Error('no such place'))))();
  expect(entered.slice(0, 2)).toEqual(['a.orders', 'b.orders']);
  for (const place of waiting.slice(1, 3)) (await place)();
  expect(entered).toHaveLength(4);
});

test('where nothing moves, those who wait and those who come are refused with 503; who moves on is served', async () => {
  const { enter } = open({ stuckMs: 100 });
  const stuck = [await enter('a', 'orders', 'mutation'), await enter('a', 'orders', 'mutation')];
  const refused = { status: 503, headers: { 'Retry-After': '5' } };
  await expect(enter('a', 'orders', 'mutation')).rejects.toMatchObject(refused);
  expect(() => enter('a', 'orders', 'mutation')).toThrow(/not available at the moment/);
  expect(enter('b', 'orders', 'mutation')).toBeTypeOf('function');
  for (const leave of stuck) leave();
  expect(enter('a', 'orders', 'mutation')).toBeTypeOf('function');
});

test('that calls are held up one after the other is no move: who comes behind them is refused', async () => {
  const { enter } = open({ stuckMs: 100 });
  const first = await enter('a', 'orders', 'mutation');
  await sleep(80);
  first(true);
  expect(isIn('a', 'orders')).toBe(true);
  await sleep(40);
  expect(() => enter('a', 'orders', 'mutation')).toThrow(/not available at the moment/);
});

test('no call waits longer than the limit, however much others move', async () => {
  const { enter } = open({ waitMs: 50, compartment: { query: 1, mutation: 1 } });
  expect(enter('a', 'orders', 'mutation')).toBeTypeOf('function');
  await expect(enter('a', 'orders', 'mutation')).rejects.toMatchObject({ status: 503 });
});

test('a location that reads for long has one place on the resource while another one calls, and its other resources go on', async () => {
  const { enter } = open({ ...bulkheadLimits, ...patient });
  const slow = [await enter('a', 'reports', 'query'), await enter('a', 'reports', 'query')];
  await sleep(200);
  for (const leave of slow) leave();
  expect([isIn('a', 'reports', 'query'), isIn('a', 'reports', 'query')]).toEqual([true, true]);
  expect(isIn('b', 'orders')).toBe(true);
  expect(isIn('a', 'reports', 'query')).toBe(false);
  expect(isIn('a', 'reports', 'mutation')).toBe(true);
});
