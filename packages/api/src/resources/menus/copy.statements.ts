import { type Statement, statement } from '@comanda/db';
import type { MenuRow } from './copy-plan.rules.ts';

/** $1 location. */
export const readMenus = statement<MenuRow>(
  'read_menus_to_copy',
  `select m.id, m.name, m.is_published, array(
     select l.category_id::text from menu_categories l
     where l.location_id = m.location_id and l.menu_id = m.id order by l.position, l.category_id) as category_ids
   from menus m where m.location_id = $1::uuid order by m.name, m.id`,
);

/** $1 location, $2 at most so many. */
const ids = (table: 'categories' | 'products'): Statement<{ id: string }> =>
  statement(
    `read_ids_of_${table}`,
    `select id from ${table} where location_id = $1::uuid order by id limit $2::int`,
  );

export const readCategoryIds = ids('categories');
export const readProductIds = ids('products');
