import { keptByName } from '../../request/kept.ts';
import { entriesUntilFull } from '../../request/page-text.ts';
import { afterPosition, type Changes, changesStatements, firstFilter } from '../changes/statements.ts';
import { entry, filterSql, givenFilters, type ProductFilters } from './statements.ts';

/** Products that have changed, or whose stock has, by the later moment of the two. */
export function productChanges(filters: ProductFilters): Changes {
  const given = givenFilters(filters);
  return { ...statementsFor(given), filters: given.map((name) => filters[name]) };
}

const changeStatements = keptByName<Omit<Changes, 'filters'>>();

function statementsFor(given: readonly (keyof ProductFilters)[]): Omit<Changes, 'filters'> {
  const name = ['products_changes', ...given].join('_');
  const narrowed = given
    .map((filter, index) => ` and ${filterSql[filter](`$${index + firstFilter}`)}`)
    .join('');
  const rows = (most: string) => rowsOf(narrowed, most);
  return changeStatements(name, () => changesStatements({ name, filters: given.length, rows, entries }));
}

// Each product once, where it changed last: found along the one index or the other, and passed by along the other one.
const rowsOf = (narrowed: string, most: string) => `
  (select p.id, p.updated_at as moment from products p
   left join lateral (
     select updated_at from product_stock where location_id = $1::uuid and product_id = p.id limit 1) s on true
   where p.location_id = $1::uuid and ${afterPosition('p.updated_at', 'p.id')}${narrowed}
     and (s.updated_at is null or s.updated_at <= p.updated_at) ${most})
  union all
  (select s.product_id as id, s.updated_at as moment from product_stock s
   cross join lateral (select * from products where location_id = $1::uuid and id = s.product_id limit 1) p
   where s.location_id = $1::uuid and ${afterPosition('s.updated_at', 's.product_id')}
     and p.updated_at < s.updated_at${narrowed} ${most})`;

const entries = entriesUntilFull({ order: 'page.moment, page.id', entry });
