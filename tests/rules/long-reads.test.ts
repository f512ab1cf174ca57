import { beforeEach, expect, test } from 'vitest';
import { LongReads, Presence } from '../../packages/api/src/capacity/slots.ts';

let presence: Presence;
beforeEach(() => {
  presence = new Presence();
});

test('a location that has spent its burst of long reads has fewer slots while another location calls, and all without one', () => {
  const reads = new LongReads(presence, 'a', 1);
  presence.came('b', 0);
  presence.came('a', 0);
  reads.add(200, 200);
  expect(reads.slotsOf(5, 200)).toBe(5);
  reads.add(150, 350);
  expect(reads.slotsOf(5, 350)).toBe(1);
  presence.came('a', 900);
  expect(reads.slotsOf(5, 999)).toBe(1);
  expect(reads.slotsOf(5, 1_001)).toBe(5);
});

test('it has all slots again once what it spent is given back, and not before', () => {
  const reads = new LongReads(presence, 'a', 1);
  reads.add(305, 0);
  const at = (now: number) => {
    presence.came('b', now);
    return reads.slotsOf(5, now);
  };
  expect(at(1)).toBe(1);
  expect(at(2_800)).toBe(1);
  expect(at(2_901)).toBe(5);
});

test('short reads spend nothing, however many', () => {
  const reads = new LongReads(presence, 'a', 1);
  presence.came('b', 0);
  for (let count = 0; count < 1_000; count += 1) reads.add(9, count);
  expect(reads.slotsOf(5, 1_000)).toBe(5);
});

test('a location that called before the one that calls all the time is another one', () => {
  const reads = new LongReads(presence, 'a', 2);
  presence.came('b', 0);
  for (let now = 1; now < 900; now += 1) presence.came('a', now);
  reads.add(300, 900);
  expect(reads.slotsOf(8, 900)).toBe(2);
  expect(reads.slotsOf(1, 900)).toBe(1);
});
