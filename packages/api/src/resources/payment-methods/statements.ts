import { statement } from '@comanda/db';
import { pageStatement } from '../../call/page-text.ts';
import type { PaymentMethod } from './schema.ts';

export const listPaymentMethods = pageStatement({
  name: 'list_payment_methods',
  table: 'payment_methods',
  order: 'r.name, r.id',
  entry: `'{"id":"' || r.id || '","name":' || to_json(r.name)::text || ',"type":"' || r.type || '","enabled":' || r.enabled::text || '}'`,
});

/** $1 location, $2 id. */
export const readPaymentMethod = statement<PaymentMethod>(
  'read_payment_method',
  'select id, name, type, enabled from payment_methods where location_id = $1::uuid and id = $2::uuid',
);

export const insertPaymentMethod = statement<never>(
  'insert_payment_method',
  `insert into payment_methods (location_id, id, name, type, enabled)
   values ($1::uuid, $2::uuid, $3, $4::payment_method_type, $5)`,
);

const shown = (row: string) =>
  `json_build_object('name', ${row}.name, 'type', ${row}.type, 'enabled', ${row}.enabled)`;

// Held, so that two changes never take each other's values for the old ones.
export const updatePaymentMethod = statement<Record<'before' | 'after', Omit<PaymentMethod, 'id'>>>(
  'update_payment_method',
  `update payment_methods r set (name, type, enabled) = (
     select f.name, f.type, f.enabled from jsonb_populate_record(r, $3::jsonb) f)
   from (select * from payment_methods where location_id = $1::uuid and id = $2::uuid for no key update) held
   where r.location_id = $1::uuid and r.id = $2::uuid
   returning ${shown('held')} as before, ${shown('r')} as after`,
);

/** $1 location, $2 id. A guard keeps what has payments. */
export const deletePaymentMethod = statement<Omit<PaymentMethod, 'id'>>(
  'delete_payment_method',
  `delete from payment_methods where location_id = $1::uuid and id = $2::uuid returning name, type, enabled`,
);
