import { afterEach, expect, test } from 'vitest';
import { type Bulkhead, createBulkhead, type Leave } from '../../packages/api/src/bulkhead.ts';

let bulkhead: Bulkhead;
afterEach(() => bulkhead.close());

const open = (changes = {}) => {
  bulkhead = createBulkhead({
    all: 4,
    location: 3,
    resource: 3,
    both: 2,
    stuckMs: 60_000,
    waitMs: 60_000,
    ...changes,
  });
  return bulkhead;
};

/** Enters, and notes the name once it is in. */
function queue(location: string, resource: string, entered: string[]): Promise<Leave> {
  const place = bulkhead.enter(location, resource);
  const note = (leave: Leave) => {
    entered.push(`${location}.${resource}`);
    return leave;
  };
  return place instanceof Promise ? place.then(note) : Promise.resolve(note(place));
}

test('one location on one resource leaves places for others, and both leave some for the rest', () => {
  const { enter } = open();
  const isIn = (location: string, resource: string) => {
    const place = enter(location, resource);
    if (place instanceof Promise) place.catch(() => {});
    return !(place instanceof Promise);
  };
  expect([isIn('a', 'orders'), isIn('a', 'orders'), isIn('a', 'orders')]).toEqual([true, true, false]);
  expect([isIn('a', 'stock'), isIn('a', 'menus')]).toEqual([true, false]);
  expect([isIn('b', 'orders'), isIn('c', 'stock')]).toEqual([true, false]);
});

test('who waits is let in in turn: a long queue of one location does not hold up another', async () => {
  const { enter } = open({ all: 2, location: 2, resource: 2 });
  const first = [await enter('a', 'orders'), await enter('a', 'orders')];
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
  const stuck = [await enter('a', 'orders'), await enter('a', 'orders')];
  await expect(enter('a', 'orders')).rejects.toMatchObject({ status: 503, headers: { 'Retry-After': '5' } });
  expect(() => enter('a', 'orders')).toThrow(/not available at the moment/);
  expect(enter('b', 'orders')).toBeTypeOf('function');
  for (const leave of stuck) leave();
  expect(enter('a', 'orders')).toBeTypeOf('function');
});

test('nobody waits longer than the limit, however much others move', async () => {
  const { enter } = open({ waitMs: 50, both: 1 });
  expect(enter('a', 'orders')).toBeTypeOf('function');
  await expect(enter('a', 'orders')).rejects.toMatchObject({ status: 503 });
});
