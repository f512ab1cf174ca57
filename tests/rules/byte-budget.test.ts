import { createByteBudget } from '@comanda/db';
import { describe, expect, test } from 'vitest';

const shares = { all: 100, each: 40, always: 10 };

describe('bytes that several share', () => {
  test('are given to one holder up to its part, and to all together up to theirs', () => {
    const budget = createByteBudget(shares);
    expect(budget.room('a')).toBe(40);
    budget.take('a', 40);
    expect(budget.room('a')).toBe(0);
    budget.take('b', 40);
    expect(budget.room('c')).toBe(20);
  });

  test('leave something to each that has nothing, however much the others have', () => {
    const budget = createByteBudget(shares);
    budget.take('a', 500);
    expect(budget.room('b')).toBe(10);
    budget.take('b', 30);
    expect(budget.room('b')).toBe(0);
    expect(budget.room('c')).toBe(10);
  });

  test('are returned once, even if a caller returns them twice', () => {
    const budget = createByteBudget(shares);
    const giveBack = budget.take('a', 100);
    giveBack();
    giveBack();
    expect(budget.room('a')).toBe(40);
    expect(budget.room('b')).toBe(40);
  });

  test('report when half was taken and most of it was returned, not for less', () => {
    let drained = 0;
    const budget = createByteBudget(shares, () => {
      drained += 1;
    });
    budget.take('a', 49)();
    expect(drained).toBe(0);
    const [one, other] = [budget.take('a', 30), budget.take('b', 30)];
    one();
    expect(drained).toBe(0);
    other();
    expect(drained).toBe(1);
  });
});
