import { identified, type Statement, statement } from '@comanda/db';
import type { OrderWanted } from './overview.schema.ts';

/** The resources connected with an order. */
interface FoundOrder {
  id: string;
  payment_id: string;
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
    `select o.id, p.id as payment_id, o.turn_id
     from (select * from orders where location_id = $1::uuid and ${wanted} limit 1) o
     cross join lateral (select * from payments where location_id = $1::uuid and order_id = o.id and replaced = 0 limit 1) p`,
  );
}
