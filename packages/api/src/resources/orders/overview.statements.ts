import { type Statement, statement } from '@comanda/db';
import type { OrderWanted } from './overview.schema.ts';

/** The resources connected with an order. */
interface FoundOrder {
  id: string;
  payment_id: string;
  turn_id: string | null;
}

/** $1 location, $2 what it is wanted by. */
export const findOrderBy: Record<keyof OrderWanted, Statement<FoundOrder>> = {
  id: findBy('id', 'uuid'),
  number: findBy('number', 'bigint'),
  external_id: findBy('external_id', 'text'),
};

function findBy(column: keyof OrderWanted, type: string): Statement<FoundOrder> {
  return statement(
    `find_order_by_${column}`,
    `select o.id, p.id as payment_id, o.turn_id
     from (select * from orders where location_id = $1::uuid and ${column} = $2::${type} limit 1) o
     cross join lateral (select * from payments where location_id = $1::uuid and order_id = o.id limit 1) p`,
  );
}
