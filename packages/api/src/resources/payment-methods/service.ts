import type { CallContext } from '../../context.ts';
import type { Page } from '../../wire.ts';
import type { PaymentMethod } from './schema.ts';

/** Lists the payment methods of the location, disabled ones included, by name, id. */
export async function list(
  ctx: CallContext,
  paging: { limit: number; offset: number },
): Promise<Page<PaymentMethod>> {
  const { prisma } = ctx.app.database;
  const where = { locationId: ctx.caller.locationId };
  const [total, data] = await Promise.all([
    prisma.paymentMethod.count({ where }),
    prisma.paymentMethod.findMany({
      where,
      select: { id: true, name: true, type: true, enabled: true },
      orderBy: [{ name: 'asc' }, { id: 'asc' }],
      skip: paging.offset,
      take: paging.limit,
    }),
  ]);
  return { data, pagination: { ...paging, total } };
}
