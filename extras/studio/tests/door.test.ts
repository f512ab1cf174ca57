import type { IncomingMessage } from 'node:http';
import { expect, it } from 'vitest';
import { idleHours, makeDoor } from '../src/door.ts';
import { tokenHeader } from '../src/page/session.ts';
import { codeOf } from './run.ts';

const hour = 3_600_000;
const asking = (token: string | null) =>
  ({ headers: { [tokenHeader]: token ?? '' } }) as unknown as IncomingMessage;

it('a tab that was left alone stayed in for good', () => {
  let now = 0;
  const door = makeDoor(5555, () => now);
  const token = door.enter(codeOf(door.address()));
  for (let asked = 0; asked < 3; asked++) {
    now += idleHours * hour - 1;
    expect(door.isIn(asking(token))).toBe(true);
  }
  now += idleHours * hour;
  expect(door.isIn(asking(token))).toBe(false);
  // A repeated request does not wake it either.
  now -= hour;
  expect(door.isIn(asking(token))).toBe(false);
});

it('an address let in twice, or after the next one was printed', () => {
  const door = makeDoor(5555);
  const [first, second] = [codeOf(door.address()), codeOf(door.address())];
  expect(door.enter(first)).toBeNull();
  expect(door.enter('')).toBeNull();
  expect(door.enter(second)).toMatch(/^[\w-]{43}$/);
  expect(door.enter(second)).toBeNull();
});

it('tabs are apart: one that ends leaves the other in', () => {
  let now = 0;
  const door = makeDoor(5555, () => now);
  const [one, other] = [door.enter(codeOf(door.address())), door.enter(codeOf(door.address()))];
  now += (idleHours - 1) * hour;
  expect(door.isIn(asking(one))).toBe(true);
  now += 2 * hour;
  expect([door.isIn(asking(one)), door.isIn(asking(other))]).toEqual([true, false]);
});
