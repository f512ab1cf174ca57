import { afterPlace, type Changes, changesStatements, firstFilter } from '../changes/statements.ts';
import { filterSql, givenFilters, type OrderFilters } from './list.statements.ts';

/** Orders that have changed, as lists show them, by the moment of the last change. */
export function orderChanges(filters: OrderFilters): Changes {
  const given = givenFilters(filters);
  return { ...statementsFor(given), filters: given.map((name) => filters[name]) };
}

const known = new Map<string, Omit<Changes, 'filters'>>();

function statementsFor(given: readonly (keyof OrderFilters)[]): Omit<Changes, 'filters'> {
  const name = ['orders_changes', ...given.map((filter) => filter.slice(0, 3))].join('_');
  const narrowed = given.map((filter, index) => ` and ${filterSql[filter](`$${index + firstFilter}`)}`);
  // By number or external_id there is one at most: it is not to be looked for along the moments.
  const one = given.includes('number') || given.includes('external_id');
  const rows = () => `select o.id, o.updated_at${one ? " + interval '0'" : ''} as moment from orders o
    where o.location_id = $1::uuid and ${afterPlace('o.updated_at', 'o.id')}${narrowed.join('')}`;
  const made = known.get(name) ?? changesStatements({ name, filters: given.length, rows, entries });
  known.set(name, made);
  return made;
}

const entries = `coalesce('[' || string_agg(order_entry(o.id, o.number, o.status, o.total, o.created_at, l.timezone,
    m.id, m.status), ',' order by page.moment, page.id) || ']', '[]')
  from page
  cross join lateral (select * from orders where location_id = $1::uuid and id = page.id limit 1) o
  cross join lateral (select * from payments where location_id = $1::uuid and order_id = page.id limit 1) m
  join locations l on l.id = $1::uuid`;
