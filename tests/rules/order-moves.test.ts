import { describe, expect, it } from 'vitest';
import { moveRefused, orderMoves } from '../../packages/api/src/resources/orders/rules.ts';
import { OrderStatus } from '../../packages/api/src/resources/orders/schema.ts';

describe('order moves', () => {
  const statuses = OrderStatus.options;
  const pairs = statuses.flatMap((from) => statuses.map((to) => [from, to] as const));

  it('are those of the specification and no other', () => {
    const allowed = pairs.filter(([from, to]) => (orderMoves[from] as readonly string[]).includes(to));
    expect(new Set(allowed.map((pair) => pair.join(' → ')))).toEqual(
      new Set(['pending → ready', 'pending → canceled', 'ready → closed', 'ready → canceled']),
    );
  });

  it('are refused with the present status, the requested one, and the allowed ones', () => {
    expect(moveRefused('pending', 'closed').message).toBe(
      'The order cannot move from pending to closed: from pending it may move to ready or canceled.',
    );
    expect(moveRefused('closed', 'canceled').message).toBe(
      'The order cannot move from closed to canceled: closed is final.',
    );
    expect(moveRefused('closed', 'canceled').reason).toBe('illegal_move');
  });
});
