import { isId, type Queryable } from '@comanda/db';
import { notFound } from '../../errors.ts';
import { type Answer, answerPage } from '../../request/answer.ts';
import { audit } from '../../request/audit.ts';
import type { CallContext } from '../../request/context.ts';
import { inTransaction } from '../../request/writing.ts';
import type { Page } from '../../wire.ts';
import { moveRefused, type PaymentTarget } from './rules.ts';
import type { Payment, PaymentList, PaymentStatus } from './schema.ts';
import { listPayments, movePayment, readPayment } from './statements.ts';

/** Lists payments, newest first. A malformed `order_id` is that of no order: the list is empty. */
export async function list(ctx: CallContext, input: PaymentList): Promise<Answer<Page<Payment>>> {
  const { order_id } = input;
  if (order_id !== undefined && !isId(order_id)) return answerPage(undefined, input);
  const { statement, values } = listPayments(ctx.caller.locationId, input);
  const [page] = await ctx.reads.run(statement, values);
  return answerPage(page, input);
}

/** Reads one. Throws `resource_not_found`. */
export async function get(ctx: CallContext, id: string): Promise<Answer<Payment>> {
  return { text: await read(ctx.app.database, ctx, id) };
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
export async function move(
  ctx: CallContext,
  id: string,
  operation: keyof typeof targets,
): Promise<Answer<Payment>> {
  if (!isId(id)) throw notFound('Payment');
  const status = targets[operation];
  return inTransaction(ctx, async (tx) => {
    const [moved] = await tx.run(movePayment, [ctx.caller.locationId, id, status]);
    const doc = await read(tx, ctx, id);
    if (moved === undefined) throw moveRefused((JSON.parse(doc) as { status: PaymentStatus }).status, status);
    await audit(tx, ctx, operation, id, { before: { status: 'pending' }, after: { status } });
    return { text: doc };
  });
}

async function read(queryable: Queryable, ctx: CallContext, id: string): Promise<string> {
  const [found] = isId(id) ? await queryable.run(readPayment, [ctx.caller.locationId, id]) : [];
  if (found === undefined) throw notFound('Payment');
  return found.doc;
}
