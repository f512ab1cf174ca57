import { allEntries } from '../../call/page-text.ts';
import { keptByName } from '../../kept.ts';
import {
  afterId,
  afterPosition,
  type Changes,
  changesStatements,
  firstFilter,
} from '../changes/statements.ts';
import { narrowed } from './list.statements.ts';
import type { PaymentList } from './schema.ts';

const kept = keptByName<Omit<Changes, 'filters'>>();

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
  const statements = kept(`payments_changes${suffix}`, (name) =>
    changesStatements({
      ...{ name, filters: values.length, readsFrom, rows },
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
