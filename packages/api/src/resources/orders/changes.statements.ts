import { keptByName } from '../../kept.ts';
import { givenFilters } from '../../request/filters.ts';
import { afterPosition, type Changes, changesStatements, firstFilter } from '../changes/statements.ts';
import { entries } from './entries.statements.ts';
import { filterSql, filtersOf, shortNames } from './list.statements.ts';
import type { OrderList } from './schema.ts';

const kept = keptByName<Omit<Changes, 'filters'>>();

/** Orders that have changed, as lists show them, by the moment of the last change. */
export function orderChanges(input: OrderList): Changes {
  const { names, values, where } = givenFilters(filterSql, filtersOf(input));
  const { include = [] } = input;
  const name = ['orders_changes', ...shortNames(names), ...shortNames(include)].join('_');
  // By number or external_id there is one at most: it is not to be looked for along the moments.
  const one = names.includes('number') || names.includes('external_id');
  const rows = () => `select o.id, o.updated_at${one ? " + interval '0'" : ''} as moment from orders o
    where o.location_id = $1::uuid and ${afterPosition('o.updated_at', 'o.id')}${where(firstFilter)}`;
  const shown = () => entries(include, 'page.moment, page.id');
  const statements = kept(name, () =>
    changesStatements({ name, filters: values.length, rows, entries: shown() }),
  );
  return { ...statements, filters: values };
}
