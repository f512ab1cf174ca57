import { isId, type Queryable } from '@comanda/db';
import { notFound } from '../../errors.ts';
import { audit } from '../../request/audit.ts';
import type { CallContext } from '../../request/context.ts';
import { answerText } from '../../request/idempotency.ts';
import type { Page } from '../../wire.ts';
import { moveRefused, type PaymentTarget } from './rules.ts';
import type { Payment, PaymentList, PaymentStatus } from './schema.ts';
import { listPayments, movePayment, readPayment } from './statements.ts';

/** Lists payments, newest first. A malformed `order_id` is that of no order: the list is empty. */
export async function list(ctx: CallContext, input: PaymentList): Promise<Page<Payment>> {
  const { limit, offset, order_id } = input;
  if (order_id !== undefined && !isId(order_id)) return { data: [], pagination: { limit, offset, total: 0 } };
  const { statement, values } = listPayments(ctx.caller.locationId, input);
  const [{ data, total } = { data: '[]', total: 0 }] = await ctx.reads.run(statement, values);
  return answerText(ctx, `{"data":${data},"pagination":${JSON.stringify({ limit, offset, total })}}`);
}

/** Reads one. Throws `resource_not_found`. */
export async function get(ctx: CallContext, id: string): Promise<Payment> {
  return answerText(ctx, await read(ctx.app.database, ctx, id));
}

/** The status that each moving procedure leads to. */
const targets = {
  'payments.complete': 'completed',
  'payments.reject': 'rejected',
} as const satisfies Record<string, PaymentTarget>;

/**
 * Moves a pending payment to where the procedure leads. Of racing moves one wins. Throws `resource_not_found`,
 * `conflict` when it is not pending any more.
 */
export async function move(ctx: CallContext, id: string, operation: keyof typeof targets): Promise<Payment> {
  if (!isId(id)) throw notFound('Payment');
  const status = targets[operation];
  const json = await ctx.app.database.transaction(ctx.requestId, async (tx) => {
    const [moved] = await tx.run(movePayment, [ctx.caller.locationId, id, status]);
    const doc = await read(tx, ctx, id);
    if (moved === undefined) throw moveRefused((JSON.parse(doc) as { status: PaymentStatus }).status, status);
    await audit(tx, ctx, operation, id, { before: { status: 'pending' }, after: { status } });
    return doc;
  });
  return answerText(ctx, json);
}

async function read(queryable: Queryable, ctx: CallContext, id: string): Promise<string> {
  const [found] = isId(id) ? await queryable.run(readPayment, [ctx.caller.locationId, id]) : [];
  if (found === undefined) throw notFound('Payment');
  return found.doc;
}
