import { beforeEach, expect, test } from 'vitest';
import {
  type LongReadLimits,
  type Presence,
  watchLongReads,
} from '../../packages/api/src/places/long-reads.ts';

const limits: LongReadLimits = {
  ...{ fromMs: 10, burstMs: 100, refund: 0.1, presentMs: 1_000 },
  places: { compartment: 1, location: 2 },
};
let presence: Presence;
beforeEach(() => {
  presence = watchLongReads(limits);
});

test('a location that has spent its burst of long reads has fewer places while another location calls, and all without one', () => {
  const reads = presence.countFor('a', 1);
  presence.came('b', 0);
  presence.came('a', 0);
  reads.add(60, 60);
  expect(reads.placesOf(5, 60)).toBe(5);
  reads.add(80, 80);
  expect(reads.placesOf(5, 80)).toBe(1);
  presence.came('a', 900);
  expect(reads.placesOf(5, 999)).toBe(1);
  expect(reads.placesOf(5, 1_001)).toBe(5);
});

test('it has all places again once what it spent is given back, and not before', () => {
  const reads = presence.countFor('a', 1);
  reads.add(150, 0);
  const at = (now: number) => {
    presence.came('b', now);
    return reads.placesOf(5, now);
  };
  expect(at(1)).toBe(1);
  expect(at(1_300)).toBe(1);
  expect(at(1_401)).toBe(5);
});

test('short reads spend nothing, however many', () => {
  const reads = presence.countFor('a', 1);
  presence.came('b', 0);
  for (let count = 0; count < 1_000; count += 1) reads.add(9, count);
  expect(reads.placesOf(5, 1_000)).toBe(5);
});

test('a location that called before the one that calls all the time is another one', () => {
  const reads = presence.countFor('a', 2);
  presence.came('b', 0);
  for (let now = 1; now < 900; now += 1) presence.came('a', now);
  reads.add(300, 900);
  expect(reads.placesOf(8, 900)).toBe(2);
  expect(reads.placesOf(1, 900)).toBe(1);
});
