import type { Statement } from '@comanda/db';
import { type FilterSql, givenFilters } from '../../call/filters.ts';
import { type PageText, pageStatement } from '../../call/page-text.ts';
import { keptByName } from '../../kept.ts';
import type { PaymentList } from './schema.ts';

// Not Prisma: payments_json is the one definition of a payment, which events show, too.

/** The filters of the list. */
type PaymentFilters = Omit<PaymentList, 'limit' | 'offset' | 'updated_since' | 'cursor' | 'include'>;

const location = '$1::uuid';
const timezone = `(select l.timezone from locations l where l.id = ${location})`;

// The last time that it was completed: a deed may have moved it back before.
const collectedBy = (turn: string) => `r.status = 'completed' and r.id in (
    select e.payment_id from settlement_entries e
    where e.location_id = ${location} and e.turn_id = ${turn} and e.kind = 'payment' and not exists (
      select from settlement_entries later
      where later.location_id = ${location} and later.payment_id = e.payment_id and later.kind = 'payment' and later.id > e.id))`;

// By the entry that `completed_at` is read of. Both ends are of one range, which is one part of an index.
const completedWithin = (first: string, last: string) => ` and r.status = 'completed' and r.id in (
    select e.payment_id from settlement_entries e
    where e.location_id = ${location} and e.kind = 'payment'
      and e.created_at >= coalesce((select day_start(${first}::date, ${timezone})), '-infinity')
      and e.created_at < coalesce((select day_start(${last}::date + 1, ${timezone})), 'infinity') and not exists (
      select from settlement_entries later
      where later.location_id = ${location} and later.payment_id = e.payment_id and later.kind = 'payment' and later.id > e.id))`;

const treatedApart = {
  // In any status: a correction may wait.
  unsettled: `r.id in (
    select e.payment_id from settlement_entries e where e.location_id = ${location} and e.turn_id is null and e.kind <> 'refund')`,
  before_books: `r.status = 'completed' and not exists (
    select from settlement_entries e where e.location_id = ${location} and e.payment_id = r.id)`,
  refunded: `r.id in (select e.payment_id from settlement_entries e where e.location_id = ${location} and e.kind = 'refund')`,
  canceled_and_paid: `r.status = 'completed' and r.order_id in (
    select o.id from orders o where o.location_id = ${location} and o.status = 'canceled')`,
} as const satisfies Record<NonNullable<PaymentFilters['books']>, string>;

// Each kind of list is a condition of its own, so that its statement is planned for it: `books` is no parameter.
const filterSql: FilterSql<Omit<PaymentFilters, 'books' | 'completed_from' | 'completed_to'>> = {
  status: (value) => `r.status = ${value}::payment_status`,
  method: (value) => `exists (select from payment_methods m
    where m.location_id = r.location_id and m.id = r.payment_method_id and m.type = ${value}::payment_method_type)`,
  from: (value) => `r.created_at >= day_start(${value}::date, ${timezone})`,
  to: (value) => `r.created_at < day_start(${value}::date + 1, ${timezone})`,
  order_id: (value) => `r.order_id = ${value}::uuid`,
  turn_id: (value) => collectedBy(`${value}::uuid`),
  settlement_id: (value) =>
    collectedBy(
      `(select s.turn_id from settlements s where s.location_id = ${location} and s.id = ${value}::uuid)`,
    ),
};

/** Of an input: the end of the names of its statements, its conditions with parameters from `first` on, and their values. */
export function narrowed(input: PaymentList, first: number) {
  const given = givenFilters(filterSql, input);
  const { books, include = [], completed_from, completed_to } = input;
  const completed =
    (completed_from ?? completed_to) === undefined ? [] : [completed_from ?? null, completed_to ?? null];
  const behind = first + given.values.length;
  return {
    suffix: [
      ...[...given.names, ...(books === undefined ? [] : [books])],
      ...[...(completed.length === 0 ? [] : ['completed']), ...new Set(include)],
    ]
      .map((part) => `_${part}`)
      .join(''),
    where:
      given.where(first) +
      (books === undefined ? '' : ` and ${treatedApart[books]}`) +
      (completed.length === 0 ? '' : completedWithin(`$${behind}`, `$${behind + 1}`)),
    values: [...given.values, ...completed],
    doc: include.includes('books') ? `left(j.doc, -1) || payment_books(${location}, j.id) || '}'` : 'j.doc',
  };
}

const keptLists = keptByName<Statement<PageText>>();

// Every order has one payment, always (packages/db/src/tables/orders.ts): all of a location's are counted as its orders are.
const all = `(select coalesce(sum(t.orders), 0) from order_tally($1::uuid, order_tally_names(null), 768, '-infinity', 'infinity') t)`;

/** The statement that lists what passes the filters, and its values from $4 on. */
export function listPayments(input: PaymentList): {
  statement: Statement<PageText>;
  values: readonly unknown[];
} {
  const { suffix, where, values, doc } = narrowed(input, 4);
  const statement = keptLists(`list_payments${suffix}`, (name) =>
    pageStatement({
      ...{ name, table: 'payments', order: 'r.created_at desc, r.id desc', where, entry: doc },
      joins: `cross join lateral payments_json(${location}, array[r.id]) j`,
      ...(where === '' && { total: all }),
    }),
  );
  return { statement, values };
}
