import { isId, newId } from '@comanda/db';
import { notFound } from '../../errors.ts';
import type { Answer } from '../../request/answer.ts';
import { audit } from '../../request/audit.ts';
import type { CallContext } from '../../request/context.ts';
import { readPage } from '../../request/page-text.ts';
import { inTransaction } from '../../request/writing.ts';
import type { Page } from '../../wire.ts';
import type { PaymentMethod, PaymentMethodCreate, PaymentMethodUpdate } from './schema.ts';
import { insertPaymentMethod, listPaymentMethods, updatePaymentMethod } from './statements.ts';

/** Lists the payment methods of the location, disabled ones included, by name, id. */
export const list = (
  ctx: CallContext,
  paging: { limit: number; offset: number },
): Promise<Answer<Page<PaymentMethod>>> => readPage(ctx, listPaymentMethods, paging);

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
