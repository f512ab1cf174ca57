import { type Statement, statement } from '@comanda/db';
import { type FilterSql, givenFilters } from '../../call/filters.ts';
import { type PageText, pageStatement } from '../../call/page-text.ts';
import { keptByName } from '../../kept.ts';
import type { SubselectionList } from './schema.ts';

const groupTag = `'"' || r.id || '-' || subselection_revision(r) || '"'`;
const itemTag = `'"' || i.id || '-' || subselection_item_revision(i) || '"'`;

// Stored positions may have gaps and ties: a catalog sync and hand edits leave them. Callers see places.
const item = (place: string) =>
  `json_strip_nulls(json_build_object('id', i.id, 'subselection_id', i.subselection_id, 'external_id', i.external_id, 'name', i.name,
    'price', i.price, 'min', i.min, 'max', i.max, 'visible', i.visible, 'image_url', i.image_url, 'position', ${place},
    'stock', json_build_object('enabled', i.stock_enabled, 'quantity', i.stock_quantity), 'etag', ${itemTag}))`;

const product = 'join products p on p.location_id = r.location_id and p.id = r.product_id';
const group = `json_strip_nulls(json_build_object('id', r.id, 'product_id', r.product_id, 'product_name', p.name, 'external_id', r.external_id,
  'name', r.name, 'min_selection', r.min_selection, 'max_selection', r.max_selection, 'single', r.single,
  'position', (select count(*) from subselections o where o.location_id = r.location_id and o.product_id = r.product_id
    and (o.position, o.id) < (r.position, r.id)),
  'selectable', most_selectable(r), 'etag', ${groupTag}, 'items', (
    select coalesce(json_agg(o.entry order by o.place), '[]')
    from (select row_number() over (order by i.position, i.id) as place, ${item('row_number() over (order by i.position, i.id) - 1')} as entry
      from subselection_items i where i.location_id = r.location_id and i.subselection_id = r.id) o)))::text`;

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
      name,
      table: 'subselections',
      order: 'r.product_id, r.position, r.id',
      where: given.where(4),
      // An option may have a long address.
      large: true,
      joins: product,
      entry: group,
    }),
  );
  return { statement: list, values: given.values };
}

/** A row as callers see it, and its entity tag. */
export interface Shown {
  doc: string;
  etag: string;
}

/** $1 location, $2 subselection. */
export const readSubselection = statement<Shown>(
  'read_subselection',
  `select ${group} as doc, ${groupTag} as etag from subselections r ${product} where r.location_id = $1::uuid and r.id = $2::uuid`,
);

/** $1 location, $2 option. */
export const readItem = statement<Shown>(
  'read_subselection_item',
  `select ${item(`(select count(*) from subselection_items o where o.location_id = i.location_id and o.subselection_id = i.subselection_id
     and (o.position, o.id) < (i.position, i.id))`)}::text as doc, ${itemTag} as etag
   from subselection_items i where i.location_id = $1::uuid and i.id = $2::uuid`,
);

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
