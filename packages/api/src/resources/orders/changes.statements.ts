import { keptByName } from '../../request/kept.ts';
import { afterPosition, type Changes, changesStatements, firstFilter } from '../changes/statements.ts';
import { entries, type Include } from './entries.statements.ts';
import { filterSql, filtersOf, givenFilters, type OrderFilters, shortNames } from './list.statements.ts';
import type { OrderList } from './schema.ts';

/** Orders that have changed, as lists show them, by the moment of the last change. */
export function orderChanges(input: OrderList): Changes {
  const filters = filtersOf(input);
  const given = givenFilters(filters);
  return { ...statementsFor(given, input.include ?? []), filters: given.map((name) => filters[name]) };
}

const changeStatements = keptByName<Omit<Changes, 'filters'>>();

function statementsFor(given: readonly (keyof OrderFilters)[], include: Include): Omit<Changes, 'filters'> {
  const name = ['orders_changes', ...shortNames(given), ...shortNames(include)].join('_');
  const narrowed = given.map((filter, index) => ` and ${filterSql[filter](`$${index + firstFilter}`)}`);
  // By number or external_id there is one at most: it is not to be looked for along the moments.
  const one = given.includes('number') || given.includes('external_id');
  const rows = () => `select o.id, o.updated_at${one ? " + interval '0'" : ''} as moment from orders o
    where o.location_id = $1::uuid and ${afterPosition('o.updated_at', 'o.id')}${narrowed.join('')}`;
  return changeStatements(name, () =>
    changesStatements({
      ...{ name, filters: given.length, rows },
      entries: entries(include, 'page.moment, page.id'),
    }),
  );
}
