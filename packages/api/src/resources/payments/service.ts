import { isId } from '@comanda/db';
import { notFound } from '../../errors.ts';
import { type Answer, answerPage } from '../../request/answer.ts';
import type { CallContext, Lookup } from '../../request/context.ts';
import { readPage } from '../../request/page-text.ts';
import { originOf } from '../../request/request-id.ts';
import { inStatement } from '../../request/writing.ts';
import type { Page } from '../../wire.ts';
import { moveRefused, type PaymentTarget } from './rules.ts';
import type { Payment, PaymentList } from './schema.ts';
import { listPayments, movePayment, readPayment } from './statements.ts';

/** Lists payments, newest first. A malformed `order_id` is that of no order: the list is empty. */
export async function list(ctx: CallContext, input: PaymentList): Promise<Answer<Page<Payment>>> {
  const { order_id } = input;
  if (order_id !== undefined && !isId(order_id)) return answerPage(undefined, input);
  const { statement, values } = listPayments(input);
  return readPage(ctx, statement, input, values);
}

/** Reads one. Throws `resource_not_found`. */
export async function get(ctx: Lookup, id: string): Promise<Answer<Payment>> {
  const values = [ctx.caller.locationId, id];
  const [found] = isId(id) ? await ctx.app.database.run(readPayment, values) : [];
  if (found === undefined) throw notFound('Payment');
  return { text: found.doc };
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
  const { locationId, apiKeyId } = ctx.caller;
  const values = [
    locationId,
    id,
    targets[operation],
    operation,
    originOf(ctx),
    apiKeyId,
    ctx.clientAddress ?? null,
  ];
  return inStatement(ctx, async (on) => {
    const [moved] = await on.run(movePayment, values);
    if (moved === undefined || moved.previous === null) throw notFound('Payment');
    if (moved.previous !== 'pending') throw moveRefused(moved.previous, targets[operation]);
    return { text: moved.response };
  });
}
