import { isId } from '@comanda/db';
import { type Answer, answerPage } from '../../call/answer.ts';
import type { CallContext, JoinedCall, Lookup } from '../../call/context.ts';
import { writeInSlot } from '../../call/joined-calls.ts';
import { readPage } from '../../call/page-text.ts';
import { originOf } from '../../call/request-id.ts';
import { inStatement } from '../../call/writing.ts';
import { conflict, notFound } from '../../errors.ts';
import type { ChangesPage } from '../changes/schema.ts';
import { readChanges, readsChanges } from '../changes/service.ts';
import { listPayments, paymentChanges } from './list.statements.ts';
import { moving, type PaymentMove } from './moving.store.ts';
import { moveRefused, type PaymentTarget } from './rules.ts';
import type { Payment, PaymentList, PaymentRefund, PaymentWithBooks } from './schema.ts';
import { type MovedRow, readPayment, readPaymentWithBooks, refundPayment } from './statements.ts';

/** Lists payments, newest first. A malformed id in a filter is that of nothing: the list is empty. */
export async function list(
  ctx: CallContext,
  input: PaymentList,
): Promise<Answer<ChangesPage<PaymentWithBooks>>> {
  const { order_id, turn_id, settlement_id } = input;
  const ids = [order_id, turn_id, settlement_id];
  if (ids.some((id) => id !== undefined && !isId(id))) return answerPage(undefined, input);
  if (readsChanges(input)) return readChanges(ctx, input, paymentChanges(input));
  const { statement, values } = listPayments(input);
  return readPage(ctx, statement, input, values);
}

/** Reads one. Throws `resource_not_found`. */
export async function get(
  ctx: Lookup,
  id: string,
  include: PaymentList['include'] = [],
): Promise<Answer<PaymentWithBooks>> {
  const values = [ctx.caller.locationId, id];
  const statement = include.includes('books') ? readPaymentWithBooks : readPayment;
  const [found] = isId(id) ? await ctx.app.database.run(statement, values) : [];
  if (found === undefined) throw notFound('Payment');
  return { text: found.doc };
}

/** The status that each moving procedure leads to. */
const targets = {
  'payments.complete': 'completed',
  'payments.reject': 'rejected',
} as const satisfies Record<string, PaymentTarget>;

/**
 * Moves a pending payment to where the procedure leads, in one transaction with other moves that come at once. Of racing moves one
 * wins. Throws `resource_not_found`, `conflict` when it is not pending any more.
 */
export async function move(
  ctx: JoinedCall,
  id: string,
  operation: keyof typeof targets,
): Promise<Answer<Payment>> {
  if (!isId(id)) throw notFound('Payment');
  const { locationId, apiKeyId } = ctx.caller;
  const to = targets[operation];
  const member: PaymentMove = {
    id,
    to,
    operation,
    apiKeyId,
    origin: originOf(ctx),
    clientAddress: ctx.clientAddress ?? null,
  };
  if (ctx.idempotency === undefined && ctx.precondition === undefined)
    return answerOf(await ctx.app.capacity.joinedWrites.write(moving, locationId, member), to);
  // In the transaction that also stores its answer.
  return writeInSlot(ctx, (call) =>
    inStatement(call, async (on) => {
      const [moved] = await moving.write(on, locationId, [member], true);
      return answerOf(moved, to);
    }),
  );
}

function answerOf(moved: MovedRow | undefined, to: PaymentTarget): Answer<Payment> {
  if (moved === undefined || moved.previous === null || moved.response === null) throw notFound('Payment');
  if (moved.previous !== 'pending') throw moveRefused(moved.previous, to);
  return { text: moved.response };
}

/**
 * Records that money of a completed payment was given back. Throws `resource_not_found`, `conflict` when it is not completed
 * or less is left of it.
 */
export async function refund(
  ctx: CallContext,
  { id, amount, reason, person }: PaymentRefund,
): Promise<Answer<PaymentWithBooks>> {
  if (!isId(id)) throw notFound('Payment');
  const { locationId, apiKeyId } = ctx.caller;
  const values = [
    locationId,
    id,
    amount,
    reason,
    person ?? null,
    'payments.refund',
    originOf(ctx),
    apiKeyId,
    ctx.clientAddress ?? null,
  ];
  return inStatement(ctx, async (on) => {
    const [refunded] = await on.run(refundPayment, values);
    if (refunded === undefined || refunded.previous === null) throw notFound('Payment');
    const { previous, left_over, response } = refunded;
    if (previous !== 'completed')
      throw conflict('not_collected', `The payment is ${previous}: only a completed payment is refunded.`);
    if (amount > Number(left_over))
      throw conflict('refund_too_large', `At most ${left_over} of the payment is left to be refunded.`);
    return { text: response };
  });
}
