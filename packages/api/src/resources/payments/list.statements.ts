import { type Statement, statement } from '@comanda/db';
import { keptByName } from '../../request/kept.ts';
import { allEntries, type PageText } from '../../request/page-text.ts';
import { afterPosition, type Changes, changesStatements, firstFilter } from '../changes/statements.ts';
import type { PaymentList } from './schema.ts';

// Not Prisma: payments_json is the one definition of a payment, which events show, too.

/** What narrows the list. */
type PaymentFilters = Omit<PaymentList, 'limit' | 'offset' | 'updated_since' | 'cursor' | 'include'>;

const location = '$1::uuid';
const timezone = `(select l.timezone from locations l where l.id = ${location})`;

// The last time that it was completed: a deed may have moved it back before.
const collectedBy = (turn: string) => `p.status = 'completed' and p.id in (
    select e.payment_id from settlement_entries e
    where e.location_id = ${location} and e.turn_id = ${turn} and e.kind = 'payment' and not exists (
      select from settlement_entries later
      where later.location_id = ${location} and later.payment_id = e.payment_id and later.kind = 'payment' and later.id > e.id))`;

const treatedApart = {
  // Whatever its status: a correction may wait.
  unsettled: `p.id in (
    select e.payment_id from settlement_entries e where e.location_id = ${location} and e.turn_id is null and e.kind <> 'refund')`,
  before_books: `p.status = 'completed' and not exists (
    select from settlement_entries e where e.location_id = ${location} and e.payment_id = p.id)`,
  refunded: `p.id in (select e.payment_id from settlement_entries e where e.location_id = ${location} and e.kind = 'refund')`,
  canceled_and_paid: `p.status = 'completed' and p.order_id in (
    select o.id from orders o where o.location_id = ${location} and o.status = 'canceled')`,
} as const satisfies Record<NonNullable<PaymentFilters['books']>, string>;

// Each kind of list is a condition of its own, so that its statement is planned for it: `books` is no parameter.
const filterSql = {
  status: (value) => `p.status = ${value}::payment_status`,
  method: (value) => `exists (select from payment_methods m
    where m.location_id = p.location_id and m.id = p.payment_method_id and m.type = ${value}::payment_method_type)`,
  from: (value) => `p.created_at >= day_start(${value}::date, ${timezone})`,
  to: (value) => `p.created_at < day_start(${value}::date + 1, ${timezone})`,
  order_id: (value) => `p.order_id = ${value}::uuid`,
  turn_id: (value) => collectedBy(`${value}::uuid`),
  settlement_id: (value) =>
    collectedBy(
      `(select s.turn_id from settlements s where s.location_id = ${location} and s.id = ${value}::uuid)`,
    ),
} as const satisfies Record<Exclude<keyof PaymentFilters, 'books'>, (value: string) => string>;

const filterNames = Object.keys(filterSql) as (keyof typeof filterSql)[];

/** Of an input: the end of the names of its statements, the conditions with parameters from `first` on, and their values. */
function narrowed(input: PaymentList, first: number) {
  const given = filterNames.filter((name) => input[name] !== undefined);
  const { books, include = [] } = input;
  return {
    suffix: [...given, ...(books === undefined ? [] : [books]), ...new Set(include)]
      .map((part) => `_${part}`)
      .join(''),
    where: [
      `p.location_id = ${location}`,
      ...given.map((filter, index) => filterSql[filter](`$${index + first}`)),
      ...(books === undefined ? [] : [treatedApart[books]]),
    ].join(' and '),
    values: given.map((filter) => input[filter]),
    all: given.length === 0 && books === undefined,
    doc: include.includes('books')
      ? `left(j.doc, -1) || payment_books(${location}, page.id) || '}'`
      : 'j.doc',
  };
}

const listStatement = keptByName<Statement<PageText>>();
const changeStatements = keptByName<Omit<Changes, 'filters'>>();

// Every order has one payment, always (packages/db/src/tables/orders.ts): all of a location's are counted as its orders are.
const all = `(select coalesce(sum(t.orders), 0) from order_tally($1::uuid, order_tally_names(null), 768, '-infinity', 'infinity') t)`;

/** The statement that lists what passes the filters, and its values from $4 on; only filters that are given are in the SQL. */
export function listPayments(input: PaymentList): { statement: Statement<PageText>; values: unknown[] } {
  const { where, values, doc, ...rest } = narrowed(input, 4);
  return {
    // The page is found first, on the index; only its payments become JSON.
    statement: listStatement(`list_payments${rest.suffix}`, (name) =>
      statement<PageText>(
        name,
        `with page as materialized (
           select p.id, p.created_at from payments p where ${where}
           order by p.created_at desc, p.id desc limit $2 offset $3
         )
         select coalesce('[' || string_agg(${doc}, ',' order by page.created_at desc, page.id desc) || ']', '[]') as data,
           ${rest.all ? all : `(select count(*) from payments p where ${where})`}::int as total
         from page cross join lateral payments_json($1::uuid, array[page.id]) j`,
      ),
    ),
    values,
  };
}

/** Payments that have changed, by the moment of the last change. */
export function paymentChanges(input: PaymentList): Changes {
  const { where, values, doc, ...rest } = narrowed(input, firstFilter);
  const statements = changeStatements(`payments_changes${rest.suffix}`, (name) =>
    changesStatements({
      ...{ name, filters: values.length },
      rows: () => `select p.id, p.updated_at as moment from payments p
        where ${where} and ${afterPosition('p.updated_at', 'p.id')}`,
      entries:
        allEntries(`(select coalesce('[' || string_agg(${doc}, ',' order by page.moment, page.id) || ']', '[]')
        from page cross join lateral payments_json($1::uuid, array[page.id]) j)`),
    }),
  );
  return { ...statements, filters: values };
}
