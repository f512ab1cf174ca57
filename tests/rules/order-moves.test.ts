import { openDatabase } from '@comanda/db';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { moveRefused, orderMoves } from '../../packages/api/src/resources/orders/rules.ts';
import { OrderStatus } from '../../packages/api/src/resources/orders/schema.ts';
import { createTestDatabase } from '../support/database.ts';

describe('order moves', () => {
  const statuses = OrderStatus.options;
  const pairs = statuses.flatMap((from) => statuses.map((to) => [from, to] as const));

  describe('agree with Postgres', () => {
    let open: { url: string; drop(): Promise<void> };
    beforeAll(async () => {
      open = await createTestDatabase();
    });
    afterAll(() => open.drop());

    it('for every pair of states', async () => {
      const database = openDatabase({ url: open.url });
      try {
        const { rows } = await database.pool.query<{ previous: string; next: string; may: boolean }>(
          `select a::text as previous, b::text as next, order_may_move(a, b) as may
           from unnest(enum_range(null::order_status)) a, unnest(enum_range(null::order_status)) b`,
        );
        expect(rows).toHaveLength(pairs.length);
        for (const { previous, next, may } of rows) {
          const allowed: readonly string[] = orderMoves[OrderStatus.parse(previous)];
          expect([previous, next, allowed.includes(next)]).toEqual([previous, next, may]);
        }
      } finally {
        await database.close();
      }
    });
  });

  it('are those of the specification and no other', () => {
    const allowed = pairs.filter(([from, to]) => (orderMoves[from] as readonly string[]).includes(to));
    expect(new Set(allowed.map((pair) => pair.join(' → ')))).toEqual(
      new Set(['pending → ready', 'pending → canceled', 'ready → closed', 'ready → canceled']),
    );
  });

  it('are refused with where it stands, where it was to go, and what is allowed', () => {
    expect(moveRefused('pending', 'closed').message).toBe(
      'The order cannot move from pending to closed: from pending it may move to ready or canceled.',
    );
    expect(moveRefused('closed', 'canceled').message).toBe(
      'The order cannot move from closed to canceled: closed is final.',
    );
    expect(moveRefused('closed', 'canceled').reason).toBe('conflict');
  });
});
