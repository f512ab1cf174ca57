import type { Statement } from '@comanda/db';
import { type FilterSql, givenFilters } from '../../call/filters.ts';
import { allEntries, type PageText, pageStatement } from '../../call/page-text.ts';
import { keptByName } from '../../kept.ts';
import {
  afterId,
  afterPosition,
  type Changes,
  changesStatements,
  firstFilter,
} from '../changes/statements.ts';
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
function narrowed(input: PaymentList, first: number) {
  const given = givenFilters(filterSql, input);
  const { books, include = [], completed_from, completed_to } = input;
  const completed =
    (completed_from ?? completed_to) === undefined ? [] : [completed_from ?? null, completed_to ?? null];
  const behind = first + given.values.length;
  return {
    suffix: [
      ...given.names,
      ...(books === undefined ? [] : [books]),
      ...(completed.length === 0 ? [] : ['completed']),
      ...new Set(include),
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

// Every order has one payment, always (packages/db/src/tables/orders.ts), and few have replaced ones: a location's are counted as its
// orders are, and replaced ones one by one.
const all = `((select coalesce(sum(t.orders), 0) from order_tally($1::uuid, order_tally_names(null), 768, '-infinity', 'infinity') t)
  + (select count(*) from payments where location_id = $1::uuid and replaced > 0))`;

/** The statement that lists what passes the filters, and its values from $4 on. */
export function listPayments(input: PaymentList): {
  statement: Statement<PageText>;
  values: readonly unknown[];
} {
  const { suffix, where, values, doc } = narrowed(input, 4);
  const statement = keptLists(`list_payments${suffix}`, (name) =>
    pageStatement({
      name,
      table: 'payments',
      order: 'r.created_at desc, r.id desc',
      where,
      entry: doc,
      joins: `cross join lateral payments_json(${location}, array[r.id]) j`,
      ...(where === '' && { total: all }),
    }),
  );
  return { statement, values };
}

const keptChanges = keptByName<Omit<Changes, 'filters'>>();

/**
 * Payments that have changed, by the moment of the last change. With `books` they come again when the turn that collects
 * them opens or is settled: neither writes a payment.
 */
export function paymentChanges(input: PaymentList): Changes {
  const { suffix, where, values, doc } = narrowed(input, firstFilter);
  const readsFrom = input.include?.includes('books') ?? false;
  const from = `$${firstFilter + values.length}::timestamptz`;
  const changed = `select r.id, r.updated_at as moment, r.id as payment from payments r
        where r.location_id = $1::uuid and ${afterPosition('r.updated_at', 'r.id')}${where}`;
  const rows = (most: string, limit: string) =>
    !readsFrom
      ? changed
      : `(${changed} ${most}) union all (${settled(from, where, limit)} ${most})
        union all (${placed(from, where)} ${most})`;
  const statements = keptChanges(`payments_changes${suffix}`, (name) =>
    changesStatements({
      name,
      filters: values.length,
      readsFrom,
      rows,
      entries:
        allEntries(`(select coalesce('[' || string_agg(${doc}, ',' order by page.moment, page.id) || ']', '[]')
        from page cross join lateral payments_json($1::uuid, array[page.payment]) j)`),
    }),
  );
  return { ...statements, filters: values };
}

// These are placed by the id of their entry, since an index has the entries of a turn in that order. A payment that has
// changed since the walk began is met at its own moment, as an order is (orders/changes.statements.ts).
const paymentOf = (from: string, where: string) => `cross join lateral (
          select * from payments where location_id = $1::uuid and id = e.payment_id limit 1) r
        where r.updated_at + interval '0' < ${from}${where}`;

const settled = (
  from: string,
  where: string,
  limit: string,
) => `select e.id, s.updated_at as moment, e.payment from settlements s
        cross join lateral (
        select e.id, r.id as payment from settlement_entries e ${paymentOf(from, where)}
          and e.location_id = $1::uuid and e.turn_id = s.turn_id and e.id > ${afterId('s.updated_at')}
          and e.kind = 'payment' order by e.id ${limit}) e
        where s.location_id = $1::uuid and s.updated_at >= $2::timestamptz and s.updated_at <= $4::timestamptz
          and s.started_at < ${from}`;

// A turn that opens takes all entries that wait: those that waited when the walk began were taken by the first one since.
const placed = (from: string, where: string) => `select e.id, e.placed_at as moment, r.id as payment
        from settlement_entries e ${paymentOf(from, where)}
          and e.location_id = $1::uuid and e.kind <> 'refund' and ${afterPosition('e.placed_at', 'e.id')}
          and e.placed_at = (select min(f.placed_at) from settlement_entries f
            where f.location_id = $1::uuid and f.placed_at >= ${from})`;
