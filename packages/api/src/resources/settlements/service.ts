import { isId, type rows } from '@comanda/db';
import { notFound } from '../../errors.ts';
import type { Answer } from '../../request/answer.ts';
import type { CallContext } from '../../request/context.ts';
import { type Page, wireTime } from '../../wire.ts';
import { type Settlement, SettlementOrders, SettlementPayment, type SettlementSummary } from './schema.ts';

/** Lists settlements, the latest first. They are made by closing turns: docs/decisions/0007. */
export async function list(
  ctx: CallContext,
  paging: { limit: number; offset: number },
): Promise<Answer<Page<SettlementSummary>>> {
  const where = { locationId: ctx.caller.locationId };
  const [total, found] = await ctx.reads.prisma(
    ({ settlement }) => settlement.count({ where }),
    ({ settlement }) =>
      settlement.findMany({
        where,
        orderBy: [{ endedAt: 'desc' }, { id: 'desc' }],
        skip: paging.offset,
        take: paging.limit,
      }),
  );
  return { value: { data: found.map((row) => toSummary(ctx, row)), pagination: { ...paging, total } } };
}

/** Reads one in full. Throws `resource_not_found`. */
export async function get(ctx: CallContext, id: string): Promise<Answer<Settlement>> {
  const found = isId(id)
    ? await ctx.app.database.prisma.settlement.findUnique({
        where: { locationId_id: { locationId: ctx.caller.locationId, id } },
      })
    : null;
  if (found === null) throw notFound('Settlement');
  return {
    value: {
      ...toSummary(ctx, found),
      turn_id: found.turnId,
      payments: SettlementPayment.array().parse(found.payments),
      orders: SettlementOrders.parse(found.orders),
    },
  };
}

function toSummary(ctx: CallContext, row: rows.Settlement): SettlementSummary {
  const { timezone } = ctx.caller.location;
  return {
    id: row.id,
    batch_number: String(row.batchNumber),
    started_at: wireTime(row.startedAt, timezone),
    ended_at: wireTime(row.endedAt, timezone),
    total_orders: row.totalOrders,
    total_collected: row.totalCollected.toNumber(),
    average_ticket: row.averageTicket.toNumber(),
  };
}
