import { isId, newId, statement } from '@comanda/db';
import type { Answer } from '../../call/answer.ts';
import { audit } from '../../call/audit.ts';
import type { CallContext } from '../../call/context.ts';
import { pageStatement, readPage } from '../../call/page-text.ts';
import { inTransaction } from '../../call/writing.ts';
import { notFound } from '../../errors.ts';
import type { Deleted, Page } from '../../wire.ts';
import type { PaymentMethod, PaymentMethodCreate, PaymentMethodUpdate } from './schema.ts';

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

const listPaymentMethods = pageStatement({
  name: 'list_payment_methods',
  table: 'payment_methods',
  order: 'r.name, r.id',
  entry: `'{"id":"' || r.id || '","name":' || to_json(r.name)::text || ',"type":"' || r.type || '","enabled":' || r.enabled::text || '}'`,
});

/** $1 location, $2 id. */
const readPaymentMethod = statement<PaymentMethod>(
  'read_payment_method',
  'select id, name, type, enabled from payment_methods where location_id = $1::uuid and id = $2::uuid',
);

const insertPaymentMethod = statement<never>(
  'insert_payment_method',
  `insert into payment_methods (location_id, id, name, type, enabled)
   values ($1::uuid, $2::uuid, $3, $4::payment_method_type, $5)`,
);

const shown = (row: string) =>
  `json_build_object('name', ${row}.name, 'type', ${row}.type, 'enabled', ${row}.enabled)`;

// Held, so that two changes never take each other's values for the old ones.
const updatePaymentMethod = statement<Record<'before' | 'after', Omit<PaymentMethod, 'id'>>>(
  'update_payment_method',
  `update payment_methods r set (name, type, enabled) = (
     select f.name, f.type, f.enabled from jsonb_populate_record(r, $3::jsonb) f)
   from (select * from payment_methods where location_id = $1::uuid and id = $2::uuid for no key update) held
   where r.location_id = $1::uuid and r.id = $2::uuid
   returning ${shown('held')} as before, ${shown('r')} as after`,
);

/** $1 location, $2 id. A guard keeps what has payments. */
const deletePaymentMethod = statement<Omit<PaymentMethod, 'id'>>(
  'delete_payment_method',
  `delete from payment_methods where location_id = $1::uuid and id = $2::uuid returning name, type, enabled`,
);
