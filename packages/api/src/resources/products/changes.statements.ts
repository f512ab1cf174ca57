import { givenFilters } from '../../call/filters.ts';
import { keptByName } from '../../kept.ts';
import { afterPosition, type Changes, changesStatements, firstFilter } from '../changes/statements.ts';
import { filterSql, type ProductFilters, productEntries, type Shown } from './statements.ts';

const kept = keptByName<Omit<Changes, 'filters'>>();

/** Products that have changed, or whose stock has, by the later moment of the two; and, if asked for, those that were deleted. */
export function productChanges(filters: ProductFilters, listsDeleted: boolean, shown: Shown): Changes {
  const { names, values, where } = givenFilters(filterSql, filters);
  const name = ['products_changes', ...names, ...(shown === 'plain' ? [] : ['with', shown])].join('_');
  const rows = (most: string) => rowsOf(where(firstFilter), most);
  const deleted = listsDeleted ? ({ table: 'products', resource: 'product' } as const) : undefined;
  const statements = kept(`${name}${listsDeleted ? ' deleted' : ''}`, () => {
    const entries = productEntries('page.moment, page.id', shown);
    return changesStatements({ name, filters: values.length, rows, entries, ...(deleted && { deleted }) });
  });
  return { ...statements, filters: values };
}

// Each product once, where it changed last: found along the one index or the other, and skipped along the other one.
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
