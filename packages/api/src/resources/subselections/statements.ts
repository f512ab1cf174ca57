import { type Statement, statement } from '@comanda/db';
import { type FilterSql, givenFilters } from '../../call/filters.ts';
import { type PageText, pageStatement } from '../../call/page-text.ts';
import { keptByName } from '../../kept.ts';
import type { SubselectionList } from './schema.ts';

const item = `json_strip_nulls(json_build_object('id', i.id, 'subselection_id', r.id, 'external_id', i.external_id, 'name', i.name,
  'price', i.price, 'min', i.min, 'max', i.max, 'visible', i.visible, 'image_url', i.image_url, 'position', i.position,
  'stock', json_build_object('enabled', i.stock_enabled, 'quantity', i.stock_quantity)))`;

const filterSql: FilterSql<Pick<SubselectionList, 'product_id' | 'satisfiable'>> = {
  product_id: (value) => `r.product_id = ${value}::uuid`,
  satisfiable: (value) => `${value}::boolean = (r.min_selection <= most_selectable(r))`,
};
const kept = keptByName<Statement<PageText>>();

/** The statement that lists what passes the filters, and its values from $4 on. */
export function listSubselections(input: SubselectionList): {
  statement: Statement<PageText>;
  values: readonly unknown[];
} {
  const given = givenFilters(filterSql, input);
  const list = kept(['list_subselections', ...given.names].join('_'), (name) =>
    pageStatement({
      ...{ name, table: 'subselections', order: 'r.product_id, r.position, r.id', where: given.where(4) },
      // An option may have a long address.
      large: true,
      joins: 'join products p on p.location_id = r.location_id and p.id = r.product_id',
      entry: `json_strip_nulls(json_build_object('id', r.id, 'product_id', r.product_id, 'product_name', p.name, 'external_id', r.external_id,
         'name', r.name, 'min_selection', r.min_selection, 'max_selection', r.max_selection, 'single', r.single,
         'position', r.position, 'selectable', most_selectable(r), 'items', (
           select coalesce(json_agg(${item} order by i.position, i.id), '[]') from subselection_items i
           where i.location_id = r.location_id and i.subselection_id = r.id)))::text`,
    }),
  );
  return { statement: list, values: given.values };
}

/** $1 location, $2 subselection. */
export const productOfSubselection = statement<{ product_id: string }>(
  'product_of_subselection',
  'select product_id from subselections where location_id = $1::uuid and id = $2::uuid',
);

/** $1 location, $2 option. */
export const productOfItem = statement<{ product_id: string }>(
  'product_of_subselection_item',
  `select s.product_id from subselection_items i join subselections s on s.location_id = i.location_id and s.id = i.subselection_id
   where i.location_id = $1::uuid and i.id = $2::uuid`,
);
