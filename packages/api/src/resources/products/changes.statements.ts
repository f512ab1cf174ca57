import { type Statement, statement } from '@comanda/db';
import type { Changes } from '../../changes/read.ts';
import { afterPlace, type ChangesText, changesText, firstFilter } from '../../changes/statements.ts';
import { filterSql, givenFilters, type ProductFilters } from './statements.ts';

/** Products that have changed, or whose stock has, by the later moment of the two. */
export function productChanges(filters: ProductFilters): Changes {
  const given = givenFilters(filters);
  return { statement: changesStatement(given), values: given.map((name) => filters[name]) };
}

const statements = new Map<string, Statement<ChangesText>>();

function changesStatement(given: readonly (keyof ProductFilters)[]): Statement<ChangesText> {
  const name = ['list_products_changes', ...given].join('_');
  const known = statements.get(name);
  if (known !== undefined) return known;
  const narrowed = given.map((filter, index) => ` and ${filterSql[filter](`$${index + firstFilter}`)}`);
  const made = statement<ChangesText>(name, changesText(rows(narrowed.join('')), entries));
  statements.set(name, made);
  return made;
}

// Each product once, where it changed last: found along the one index or the other.
const rows = (narrowed: string) => `
  select p.id, p.updated_at as moment from products p
  where p.location_id = $1::uuid and ${afterPlace('p.updated_at', 'p.id')}${narrowed}
    and not exists (select from product_stock s
      where s.location_id = $1::uuid and s.product_id = p.id and s.updated_at > p.updated_at)
  union all
  select s.product_id, s.updated_at from product_stock s
  cross join lateral (select * from products where location_id = $1::uuid and id = s.product_id limit 1) p
  where s.location_id = $1::uuid and ${afterPlace('s.updated_at', 's.product_id')}
    and p.updated_at < s.updated_at${narrowed}`;

const entries = `coalesce('[' || string_agg(j.doc, ',' order by page.moment, page.id) || ']', '[]')
  from page cross join lateral products_json($1::uuid, array[page.id]) j`;
