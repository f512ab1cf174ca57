import { isId, newId } from '@comanda/db';
import type { Answer } from '../../call/answer.ts';
import { audit } from '../../call/audit.ts';
import type { CallContext } from '../../call/context.ts';
import { readPage } from '../../call/page-text.ts';
import { inTransaction } from '../../call/writing.ts';
import { notFound } from '../../errors.ts';
import type { Deleted, Page } from '../../wire.ts';
import type { PaymentMethod, PaymentMethodCreate, PaymentMethodUpdate } from './schema.ts';
import {
  deletePaymentMethod,
  insertPaymentMethod,
  listPaymentMethods,
  readPaymentMethod,
  updatePaymentMethod,
} from './statements.ts';

/** Lists the payment methods of the location, disabled ones included, by name, id. */
export const list = (
  ctx: CallContext,
  paging: { limit: number; offset: number },
): Promise<Answer<Page<PaymentMethod>>> => readPage(ctx, listPaymentMethods, paging);

/** Reads one. Throws `resource_not_found`. */
export async function get(ctx: CallContext, id: string): Promise<Answer<PaymentMethod>> {
  const [found] = isId(id) ? await ctx.app.database.run(readPaymentMethod, [ctx.caller.locationId, id]) : [];
  if (found === undefined) throw notFound('Payment method');
  return { value: found };
}

/** Creates one. */
export function create(ctx: CallContext, fields: PaymentMethodCreate): Promise<Answer<PaymentMethod>> {
  const id = newId();
  return inTransaction(ctx, async (tx) => {
    await tx.run(insertPaymentMethod, [ctx.caller.locationId, id, fields.name, fields.type, fields.enabled]);
    audit(tx, ctx, 'paymentMethods.create', id, { before: null, after: fields });
    return { value: { id, ...fields } };
  });
}

/** Changes the fields that are present. Throws `resource_not_found`. */
export function update(
  ctx: CallContext,
  { id, ...changes }: PaymentMethodUpdate,
): Promise<Answer<PaymentMethod>> {
  if (!isId(id)) throw notFound('Payment method');
  return inTransaction(ctx, async (tx) => {
    const values = [ctx.caller.locationId, id, JSON.stringify(changes)];
    const [changed] = await tx.run(updatePaymentMethod, values);
    if (changed === undefined) throw notFound('Payment method');
    audit(tx, ctx, 'paymentMethods.update', id, changed);
    return { value: { id, ...changed.after } };
  });
}

/** Deletes one that has no payments. Throws `resource_not_found`, `conflict` for one that has. */
export function remove(ctx: CallContext, id: string): Promise<Answer<Deleted>> {
  if (!isId(id)) throw notFound('Payment method');
  return inTransaction(ctx, async (tx) => {
    const [before] = await tx.run(deletePaymentMethod, [ctx.caller.locationId, id]);
    if (before === undefined) throw notFound('Payment method');
    audit(tx, ctx, 'paymentMethods.delete', id, { before, after: null });
    return { value: { id, deleted: true } };
  });
}
