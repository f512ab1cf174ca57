import { isId, newId } from '@comanda/db';
import { notFound } from '../../errors.ts';
import type { Answer } from '../../request/answer.ts';
import { audit } from '../../request/audit.ts';
import type { CallContext } from '../../request/context.ts';
import { pageStatement, readPage } from '../../request/page-text.ts';
import { inPrismaTransaction } from '../../request/writing.ts';
import type { Page } from '../../wire.ts';
import type { PaymentMethod, PaymentMethodCreate, PaymentMethodUpdate } from './schema.ts';

/** Lists the payment methods of the location, disabled ones included, by name, id. */
export const list = (
  ctx: CallContext,
  paging: { limit: number; offset: number },
): Promise<Answer<Page<PaymentMethod>>> => readPage(ctx, listPaymentMethods, paging);

const listPaymentMethods = pageStatement({
  name: 'list_payment_methods',
  table: 'payment_methods',
  order: 'r.name, r.id',
  entry: `'{"id":"' || r.id || '","name":' || to_json(r.name)::text || ',"type":"' || r.type || '","enabled":' || r.enabled::text || '}'`,
});

/** Creates one. */
export function create(ctx: CallContext, fields: PaymentMethodCreate): Promise<Answer<PaymentMethod>> {
  return inPrismaTransaction(ctx, async (tx) => {
    const { id } = await tx.paymentMethod.create({
      data: { locationId: ctx.caller.locationId, id: newId(), ...fields },
    });
    await audit(tx, ctx, 'paymentMethods.create', id, { before: null, after: fields });
    return { value: { id, ...fields } };
  });
}

/** Changes the fields that are present. Throws `resource_not_found`. */
export function update(
  ctx: CallContext,
  { id, ...changes }: PaymentMethodUpdate,
): Promise<Answer<PaymentMethod>> {
  const { locationId } = ctx.caller;
  return inPrismaTransaction(ctx, async (tx) => {
    // Held, so that two changes never take each other's values for the old ones.
    const [before] = isId(id)
      ? await tx.$queryRaw<Omit<PaymentMethod, 'id'>[]>`
          select name, type::text as type, enabled from payment_methods
          where location_id = ${locationId}::uuid and id = ${id}::uuid for no key update`
      : [];
    if (before === undefined) throw notFound('Payment method');
    const after = {
      name: changes.name ?? before.name,
      type: changes.type ?? before.type,
      enabled: changes.enabled ?? before.enabled,
    };
    await tx.paymentMethod.update({ where: { locationId_id: { locationId, id } }, data: after });
    await audit(tx, ctx, 'paymentMethods.update', id, { before, after });
    return { value: { id, ...after } };
  });
}
