import { identified, type Statement, statement } from '@comanda/db';
import type { PaymentWithBooks } from '../payments/schema.ts';
import type { OrderWanted } from './overview.schema.ts';

/** The resources connected with an order. */
interface FoundOrder {
  id: string;
  /** Oldest first, with their books. */
  payments: PaymentWithBooks[];
  turn_id: string | null;
}

/** $1 location, $2 what it is wanted by. */
export const findOrderBy: Record<keyof OrderWanted, Statement<FoundOrder>> = {
  id: findBy('id', 'id = $2::uuid'),
  number: findBy('number', 'number = $2::bigint'),
  external_id: findBy('external_id', `id = ${identified('orders', 'external_id', '$1::uuid', '$2::text')}`),
};

function findBy(column: keyof OrderWanted, wanted: string): Statement<FoundOrder> {
  return statement(
    `find_order_by_${column}`,
    `select o.id, p.payments, o.turn_id
     from (select * from orders where location_id = $1::uuid and ${wanted} limit 1) o
     cross join lateral (
       select json_agg((left(j.doc, -1) || payment_books($1::uuid, p.id) || '}')::json order by nullif(p.replaced, 0)) as payments
       from payments p cross join lateral payments_json($1::uuid, array[p.id]) j
       where p.location_id = $1::uuid and p.order_id = o.id having bool_or(p.replaced = 0)) p`,
  );
}
