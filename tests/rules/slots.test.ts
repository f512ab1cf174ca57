import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { bounds, type SlotBounds } from '../../packages/api/src/capacity/bounds.ts';
import { type CallKind, createSlots, type Leave, type Slots } from '../../packages/api/src/capacity/slots.ts';

let slots: Slots;
afterEach(() => slots.close());

const patient = { narrowMs: 60_000, stuckMs: 60_000, waitMs: 60_000 };
const open = (changes: Partial<SlotBounds> = {}) => {
  slots = createSlots({
    ...bounds.slots,
    all: 5,
    kind: { query: 4, mutation: 4 },
    resource: 4,
    resourceKind: 3,
    locationKind: 3,
    compartment: { query: 2, mutation: 2 },
    ...patient,
    ...changes,
  });
  return slots;
};

/** Whether a call gets in at once. */
function isIn(location: string, resource: string, kind: CallKind = 'mutation'): boolean {
  const slot = enter(location, resource, kind);
  if (slot instanceof Promise) slot.catch(() => {});
  return !(slot instanceof Promise);
}

/** Enters, and notes the name once it is in. */
function queue(location: string, resource: string, entered: string[]): Promise<Leave> {
  const slot = enter(location, resource, 'mutation');
  const note = (leave: Leave) => {
    entered.push(`${location}.${resource}`);
    return leave;
  };
  return slot instanceof Promise ? slot.then(note) : Promise.resolve(note(slot));
}

const enter = (locationId: string, resource: string, kind: CallKind) =>
  slots.enter({ locationId, resource, kind });

const times = (count: number) => Array.from({ length: count }, (_, index) => index);

test('one location on one resource leaves slots for others, and both leave some for the rest', () => {
  open();
  expect([isIn('a', 'orders'), isIn('a', 'orders'), isIn('a', 'orders')]).toEqual([true, true, false]);
  expect([isIn('a', 'stock'), isIn('a', 'menus')]).toEqual([true, false]);
  expect([isIn('b', 'orders'), isIn('c', 'stock')]).toEqual([true, false]);
});

test('however many write, some slots are left to those who read, and the other way round', () => {
  open();
  expect(
    times(6)
      .map((n) => isIn(`${n}`, `${n}`, 'mutation'))
      .filter(Boolean),
  ).toHaveLength(4);
  expect(isIn('a', 'orders', 'query')).toBe(true);
  slots.close();
  open();
  expect(
    times(6)
      .map((n) => isIn(`${n}`, `${n}`, 'query'))
      .filter(Boolean),
  ).toHaveLength(4);
  expect(isIn('a', 'orders', 'mutation')).toBe(true);
});

test('three locations that are stuck on orders leave a fourth its orders, all their lists, and other resources', () => {
  open({ ...bounds.slots, ...patient });
  const stuck = times(3).flatMap((location) => times(9).map(() => isIn(`${location}`, 'orders')));
  expect(stuck.filter(Boolean)).toHaveLength(9);
  expect(isIn('free', 'orders')).toBe(true);
  expect(isIn('0', 'products')).toBe(true);
  expect([isIn('0', 'orders', 'query'), isIn('free', 'orders', 'query')]).toEqual([true, true]);
});

test('where a call was held up the location has one slot on the resource for a while', async () => {
  open({ narrowMs: 200 });
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
  open({ all: 2, kind: { query: 2, mutation: 2 } });
  const first = [await enter('a', 'orders', 'mutation'), await enter('a', 'orders', 'mutation')];
  const entered: string[] = [];
  const waiting = [1, 2, 3].map(() => queue('a', 'orders', entered));
  waiting.push(queue('b', 'orders', entered));
  first[0]?.();
  first[1]?.();
  for (const slot of waiting.slice(0, 1)) (await slot)();
  (await (waiting[3] ?? Promise.reject(new Error('no such slot'))))();
  expect(entered.slice(0, 2)).toEqual(['a.orders', 'b.orders']);
  for (const slot of waiting.slice(1, 3)) (await slot)();
  expect(entered).toHaveLength(4);
});

test('where nothing moves, those who wait and those who come are refused with 503; who moves on is served', async () => {
  open({ stuckMs: 100 });
  const stuck = [await enter('a', 'orders', 'mutation'), await enter('a', 'orders', 'mutation')];
  const refused = { status: 503, headers: { 'Retry-After': '5' } };
  await expect(enter('a', 'orders', 'mutation')).rejects.toMatchObject(refused);
  expect(() => enter('a', 'orders', 'mutation')).toThrow(/not available at the moment/);
  expect(enter('b', 'orders', 'mutation')).toBeTypeOf('function');
  for (const leave of stuck) leave();
  expect(enter('a', 'orders', 'mutation')).toBeTypeOf('function');
});

test('that calls are held up one after the other is no move: who comes behind them is refused', async () => {
  open({ stuckMs: 100 });
  const first = await enter('a', 'orders', 'mutation');
  await sleep(80);
  first(true);
  expect(isIn('a', 'orders')).toBe(true);
  await sleep(40);
  expect(() => enter('a', 'orders', 'mutation')).toThrow(/not available at the moment/);
});

test('no call waits longer than the limit, however much others move', async () => {
  open({ waitMs: 50, compartment: { query: 1, mutation: 1 } });
  expect(enter('a', 'orders', 'mutation')).toBeTypeOf('function');
  await expect(enter('a', 'orders', 'mutation')).rejects.toMatchObject({ status: 503 });
});

test('a location that reads for long has one slot on the resource while another one calls, and its other resources go on', async () => {
  open({ ...bounds.slots, ...patient });
  const slow = [await enter('a', 'reports', 'query'), await enter('a', 'reports', 'query')];
  await sleep(200);
  for (const leave of slow) leave();
  expect([isIn('a', 'reports', 'query'), isIn('a', 'reports', 'query')]).toEqual([true, true]);
  expect(isIn('b', 'orders')).toBe(true);
  expect(isIn('a', 'reports', 'query')).toBe(false);
  expect(isIn('a', 'reports', 'mutation')).toBe(true);
});
