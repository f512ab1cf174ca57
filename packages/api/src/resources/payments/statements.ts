import { type Statement, statement } from '@comanda/db';
import type { PageText } from '../../request/page-text.ts';
import type { PaymentList, PaymentStatus } from './schema.ts';

// Not Prisma: payments_json is the one definition of a payment, which events show, too.

/** A payment as JSON text. */
export interface PaymentText {
  doc: string;
}

/** $1 location, $2 id. */
export const readPayment = statement<PaymentText>(
  'read_payment',
  'select doc from payments_json($1::uuid, array[$2::uuid])',
);

/** The outcome of a move; prisma/sql/money.sql defines move_payment and what its values are. */
export const movePayment = statement<{ previous: PaymentStatus; response: string } | { previous: null }>(
  'move_payment',
  'select previous, response from move_payment($1::uuid, $2::uuid, $3::payment_status, $4, $5, $6::uuid, $7)',
);

/** What narrows the list. */
export type PaymentFilters = Omit<PaymentList, 'limit' | 'offset'>;

/** The statement that lists what passes the filters, and its values from $4 on; only filters that are given are in the SQL. */
export function listPayments(filters: PaymentFilters): { statement: Statement<PageText>; values: unknown[] } {
  const given = filterNames.filter((name) => filters[name] !== undefined);
  return { statement: listStatement(given), values: given.map((name) => filters[name]) };
}

const timezone = '(select l.timezone from locations l where l.id = $1::uuid)';
const filterSql = {
  status: (value) => `p.status = ${value}::payment_status`,
  method: (value) => `exists (select from payment_methods m
    where m.location_id = p.location_id and m.id = p.payment_method_id and m.type = ${value}::payment_method_type)`,
  from: (value) => `p.created_at >= day_start(${value}::date, ${timezone})`,
  to: (value) => `p.created_at < day_start(${value}::date + 1, ${timezone})`,
  order_id: (value) => `p.order_id = ${value}::uuid`,
} as const satisfies Record<keyof PaymentFilters, (value: string) => string>;

const filterNames = Object.keys(filterSql) as (keyof PaymentFilters)[];
const listStatements = new Map<string, Statement<PageText>>();

// Every order has one payment, always (packages/db/src/tables/orders.ts): all of a location's are counted as its orders are.
const all = `(select coalesce(sum(t.orders), 0) from order_tally($1::uuid, order_tally_names(null), 768, '-infinity', 'infinity') t)`;

// The page is found first, on the index; only its payments become JSON.
function listStatement(given: readonly (keyof PaymentFilters)[]): Statement<PageText> {
  const name = ['list_payments', ...given].join('_');
  const known = listStatements.get(name);
  if (known !== undefined) return known;
  const where = [
    'p.location_id = $1::uuid',
    ...given.map((filter, index) => filterSql[filter](`$${index + 4}`)),
  ].join(' and ');
  const made = statement<PageText>(
    name,
    `with page as materialized (
       select p.id, p.created_at from payments p where ${where}
       order by p.created_at desc, p.id desc limit $2 offset $3
     )
     select coalesce('[' || string_agg(j.doc, ',' order by page.created_at desc, page.id desc) || ']', '[]') as data,
       ${given.length === 0 ? all : `(select count(*) from payments p where ${where})`}::int as total
     from page cross join lateral payments_json($1::uuid, array[page.id]) j`,
  );
  listStatements.set(name, made);
  return made;
}
