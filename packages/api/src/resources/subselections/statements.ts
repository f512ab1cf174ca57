import { statement } from '@comanda/db';
import { pageStatement } from '../../request/page-text.ts';

const item = `json_strip_nulls(json_build_object('id', i.id, 'subselection_id', r.id, 'external_id', i.external_id, 'name', i.name,
  'price', i.price, 'min', i.min, 'max', i.max, 'visible', i.visible, 'image_url', i.image_url, 'position', i.position,
  'stock', json_build_object('enabled', i.stock_enabled, 'quantity', i.stock_quantity)))`;

/** $1 location, $2 limit, $3 offset, $4 product or null, $5 whether orders can satisfy it, or null. */
export const listSubselections = pageStatement({
  name: 'list_subselections',
  table: 'subselections',
  order: 'r.product_id, r.position, r.id',
  where: `and ($4::uuid is null or r.product_id = $4::uuid)
    and ($5::boolean is null or $5::boolean = (r.min_selection <= most_selectable(r)))`,
  // An option may have a long address.
  large: true,
  joins: 'join products p on p.location_id = r.location_id and p.id = r.product_id',
  entry: `json_strip_nulls(json_build_object('id', r.id, 'product_id', r.product_id, 'product_name', p.name, 'external_id', r.external_id,
     'name', r.name, 'min_selection', r.min_selection, 'max_selection', r.max_selection, 'single', r.single,
     'position', r.position, 'selectable', most_selectable(r), 'items', (
       select coalesce(json_agg(${item} order by i.position, i.id), '[]') from subselection_items i
       where i.location_id = r.location_id and i.subselection_id = r.id)))::text`,
});

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
