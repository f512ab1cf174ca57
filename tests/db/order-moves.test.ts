import { expect, it } from 'vitest';
import { orderMoves } from '../../packages/api/src/resources/orders/rules.ts';
import { OrderStatus } from '../../packages/api/src/resources/orders/schema.ts';
import { useDatabase, useTestDatabase } from '../support/database.ts';
import { sqlOf } from '../support/sql.ts';

const sql = sqlOf(useDatabase(useTestDatabase()));

it('the moves of an order are those that PostgreSQL allows, for every pair of states', async () => {
  const rows = await sql<{ previous: string; next: string; may: boolean }>`
    select a::text as previous, b::text as next, order_may_move(a, b) as may
    from unnest(enum_range(null::order_status)) a, unnest(enum_range(null::order_status)) b`;
  expect(rows).toHaveLength(OrderStatus.options.length ** 2);
  for (const { previous, next, may } of rows) {
    const allowed: readonly string[] = orderMoves[OrderStatus.parse(previous)];
    expect([previous, next, allowed.includes(next)]).toEqual([previous, next, may]);
  }
});
