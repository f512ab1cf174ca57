import type { PrismaTransaction } from '@comanda/db/prisma';
import { expect } from 'vitest';
import { listOrders } from '../../packages/api/src/resources/orders/list.statements.ts';
import type { OrderList } from '../../packages/api/src/resources/orders/schema.ts';
import { wireTime } from '../../packages/api/src/wire.ts';
import type { TestApi } from '../support/api.ts';
import { underDeed } from '../support/by-hand.ts';
import { createManyOrders } from '../support/many-orders.ts';

/** The list that is asked for without any parameter. */
export const first: OrderList = { limit: 50, offset: 0, sort: 'created_at', order: 'desc' };

/** Orders of 60 days, some at one moment, of every status; a third of them not folded yet. */
export async function createHistory(api: TestApi, locationId: string, count = 300): Promise<void> {
  const batch = { locationId, count: count / 3, from: '2025-03-01T00:00:00Z' };
  for (const prefix of ['A', 'B', 'C']) {
    await createManyOrders(api.app.database, { ...batch, prefix });
    if (prefix === 'B') await api.pool.query('select fold_tallies($1)', [locationId]);
  }
  await underDeed(
    api.pool,
    'repair: orders of other days',
    `update orders set created_at = '2025-03-01T00:00:00Z'::timestamptz + (number % 871) * interval '99 minutes',
       status = 'ready' where location_id = $1 and number % 4 > 0`,
    [locationId],
  );
  await api.sql`update orders set status = case number % 4 when 2 then 'closed' else 'canceled' end::order_status
    where location_id = ${locationId} and number % 4 > 1`;
}

/** The list's page and the plain Prisma query's result, in one snapshot. */
export function both(api: TestApi, locationId: string, query: OrderList) {
  return api.prisma.$transaction(
    async (tx) => {
      const { statement, values } = listOrders(locationId, query);
      const [shown] = await tx.$queryRawUnsafe<{ data: string; total: number }[]>(statement.text, ...values);
      const plain = await plainOrders(tx, locationId, query);
      const waiting = await tx.tallyNote.count({ where: { locationId } });
      return {
        shown: { total: shown?.total, data: JSON.parse(shown?.data ?? '') as unknown },
        plain,
        waiting,
      };
    },
    { isolationLevel: 'RepeatableRead', timeout: 60_000, maxWait: 60_000 },
  );
}

/** The expected page of orders: the total and the entries, as plain Prisma finds them. */
export async function plainOrders(tx: PrismaTransaction, locationId: string, query: OrderList) {
  const { timezone } = await tx.location.findUniqueOrThrow({ where: { id: locationId } });
  const day = async (date: string, more: number) =>
    (await tx.$queryRaw<{ at: Date }[]>`select day_start(${date}::date + ${more}::int, ${timezone}) as at`)[0]
      ?.at as Date;
  const where = {
    locationId,
    ...(query.status !== undefined && { status: { in: [query.status].flat() } }),
    createdAt: {
      ...(query.from !== undefined && { gte: await day(query.from, 0) }),
      ...(query.to !== undefined && { lt: await day(query.to, 1) }),
    },
  };
  const column = { created_at: 'createdAt', number: 'number', total: 'total' }[query.sort];
  const rows = await tx.order.findMany({
    where,
    orderBy: [{ [column]: query.order }, { id: query.order }],
    skip: query.offset,
    take: query.limit,
    include: { payments: { where: { replaced: 0 } } },
  });
  const data = rows.map(({ id, number, status, total, createdAt, payments: [payment] }) => ({
    id,
    number,
    status,
    total: total.toNumber(),
    // Offsets with seconds are shown without them: there the moment says more than the text.
    created_at: timezone === 'Africa/Monrovia' ? expect.any(String) : wireTime(createdAt, timezone),
    payment: { id: payment?.id, status: payment?.status },
  }));
  return { total: await tx.order.count({ where }), data };
}
