import { expect, test } from 'vitest';
import { createGathering } from '../../packages/worker/src/relay/gathering.ts';

/** How long each change waits for its round, where they come at these times and a round takes no time. */
function waits(times: readonly number[]): number[] {
  const gathering = createGathering();
  const found: number[] = [];
  let free = 0;
  let left = [...times];
  while (left.length > 0) {
    const at = Math.max(free, left[0] ?? 0);
    const taken = left.filter((time) => time <= at);
    found.push(...taken.map((time) => at - time));
    left = left.slice(taken.length);
    free = gathering.next(at, taken.length);
  }
  return found;
}

const every = (apartMs: number, count: number) =>
  Array.from({ length: count }, (_, index) => index * apartMs);
const roundsOf = (found: readonly number[], count: number) => found.filter((ms) => ms === 0).length / count;

test('a change that comes alone, and each that is more than 100 ms behind another, is published at once', () => {
  expect(waits([0, 101, 5_000, 5_150])).toEqual([0, 0, 0, 0]);
});

test('of two that come close together the second waits for 20 ms at most', () => {
  for (const apartMs of [1, 5, 19, 20, 60]) {
    const [, second = Number.NaN] = waits([1_000, 1_000 + apartMs]);
    expect(second).toBe(Math.max(0, 20 - apartMs));
  }
});

test.each([11, 20, 25, 50, 90])(
  'changes that come every %i ms share rounds, and none waits longer than 100 ms',
  (apartMs) => {
    const found = waits(every(apartMs, 200));
    expect(Math.max(...found)).toBeLessThanOrEqual(100);
    // The first of each round waits longest, so a round is seen by its last, which does not wait.
    expect(found.filter((ms) => ms > 0).length).toBeGreaterThan(90);
  },
);

test('where more than ten arrive in 20 ms none waits longer than that', () => {
  expect(Math.max(...waits(every(1, 1_000)))).toBeLessThanOrEqual(20);
});

test('once it is quiet the next change is published at once again', () => {
  const busy = every(20, 50);
  const found = waits([...busy, 2_000]);
  expect(found.at(-1)).toBe(0);
  expect(roundsOf(found.slice(0, -1), 50)).toBeLessThan(0.5);
});
