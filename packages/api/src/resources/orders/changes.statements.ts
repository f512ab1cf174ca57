import { givenFilters } from '../../call/filters.ts';
import { keptByName } from '../../kept.ts';
import {
  afterId,
  afterPosition,
  type Changes,
  changesStatements,
  firstFilter,
} from '../changes/statements.ts';
import { entries } from './entries.statements.ts';
import { filterSql, filtersOf, shortNames } from './list.statements.ts';
import type { OrderList } from './schema.ts';

const kept = keptByName<Omit<Changes, 'filters'>>();

/**
 * Orders that have changed, as lists show them, by the moment of the last change. With `books` those of a turn that is
 * settled come again at the moment of its settlement: a close writes no order.
 */
export function orderChanges(input: OrderList): Changes {
  const { names, values, where } = givenFilters(filterSql, filtersOf(input));
  const { include = [] } = input;
  const name = ['orders_changes', ...shortNames(names), ...shortNames(include)].join('_');
  // By number or external_id there is one at most: it is not to be looked for along the moments.
  const one = names.includes('number') || names.includes('external_id');
  const narrowed = where(firstFilter);
  const changed = `select o.id, o.updated_at${one ? " + interval '0'" : ''} as moment from orders o
    where o.location_id = $1::uuid and ${afterPosition('o.updated_at', 'o.id')}${narrowed}`;
  const readsFrom = include.includes('books');
  const from = `$${firstFilter + values.length}::timestamptz`;
  const rows = (most: string, limit: string) =>
    !readsFrom
      ? changed
      : `(${changed} ${most}) union all (${one ? settledOne(from, narrowed) : settled(from, narrowed, limit)} ${most})`;
  const shown = () => entries(include, 'page.moment, page.id');
  const statements = kept(name, () =>
    changesStatements({ name, filters: values.length, readsFrom, rows, entries: shown() }),
  );
  return { ...statements, filters: values };
}

// An order that has changed since the walk began is met at its own moment, so that no order is met twice. All orders of a
// turn that began after the walk have changed since: their settlement is skipped, and a long walk reads few of them.
const settledSince = (from: string) => `s.location_id = $1::uuid and s.updated_at >= $2::timestamptz
      and s.updated_at <= $4::timestamptz and s.started_at < ${from}`;

const settled = (
  from: string,
  narrowed: string,
  limit: string,
) => `select o.id, s.updated_at as moment from settlements s
    cross join lateral (
      select o.id from orders o
      where o.location_id = $1::uuid and o.turn_id = s.turn_id and o.id > ${afterId('s.updated_at')}
        and o.updated_at + interval '0' < ${from}${narrowed} order by o.id ${limit}) o
    where ${settledSince(from)}`;

const settledOne = (
  from: string,
  narrowed: string,
) => `select o.id, s.updated_at + interval '0' as moment from orders o
    cross join lateral (
      select * from settlements where location_id = $1::uuid and turn_id = o.turn_id limit 1) s
    where o.location_id = $1::uuid and o.updated_at + interval '0' < ${from}${narrowed}
      and ${settledSince(from)} and o.id > ${afterId('s.updated_at')}`;
