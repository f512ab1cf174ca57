import { type Statement, statement } from '@comanda/db';
import type { Revised } from '../../call/tags.ts';
import type { MenuRow } from './copy-plan.rules.ts';

// Not Prisma: to change a menu takes seven statements, which cost it 6 ms of Node.

/** A menu as JSON text. */
export interface MenuText extends Revised {
  id: string;
  doc: string;
}

/** A row `m` as JSON; `condition` says which of its categories `k` are shown. */
const entry = (condition = '') => `'{"id":"' || m.id || '","name":' || to_json(m.name)::text
  || ',"version":' || m.version || ',"is_published":' || m.is_published::text || ',"categories":['
  || coalesce((select string_agg('{"id":"' || c.id || '","name":' || to_json(c.name)::text || '}', ',' order by l.position, c.id)
    from menu_categories l cross join lateral (
      select k.id, k.name from categories k where k.location_id = l.location_id and k.id = l.category_id ${condition} limit 1) c
    where l.location_id = m.location_id and l.menu_id = m.id), '') || ']}' as doc`;

/** $1 location. */
export const readActiveMenu = statement<MenuText>(
  'read_active_menu',
  `select m.id, m.revision, ${entry('and k.visible')} from menus m where m.location_id = $1::uuid and m.is_published`,
);

/** $1 location, $2 id. */
export const readMenu = statement<MenuText>(
  'read_menu',
  `select m.id, m.revision, ${entry()} from menus m where m.location_id = $1::uuid and m.id = $2::uuid`,
);

/** $1 location. All of it: of two publications, or changes of one menu, the second sees what the first did. */
export const lockMenus = statement<never>(
  'lock_menus',
  'select from menus where location_id = $1::uuid order by id for update',
);

/** $1 location, $2 ids. Held against deletion, so that the links below always find them. */
export const holdCategories = statement<{ id: string }>(
  'hold_categories',
  `select c.id from (select * from unnest($2::uuid[]) as v (id) order by 1) v cross join lateral (
     select id from categories where location_id = $1::uuid and id = v.id for key share) c`,
);

/** $1 location, $2 id, $3 name. */
export const insertMenu = statement<never>(
  'insert_menu',
  'insert into menus (location_id, id, name) values ($1::uuid, $2::uuid, $3)',
);

/** $1 location, $2 id, $3 name. */
export const renameMenu = statement<never>(
  'rename_menu',
  'update menus set name = $3 where location_id = $1::uuid and id = $2::uuid and name <> $3',
);

/** $1 location, $2 menu. */
export const removeLinks = statement<never>(
  'remove_menu_categories',
  'delete from menu_categories where location_id = $1::uuid and menu_id = $2::uuid',
);

/** $1 location, $2 menu, $3 categories in their order. */
export const insertLinks = statement<never>(
  'insert_menu_categories',
  `insert into menu_categories (location_id, menu_id, category_id, position)
   select $1::uuid, $2::uuid, id, n - 1 from unnest($3::uuid[]) with ordinality as v (id, n)`,
);

/** $1 location, $2 the menu that is published instead. */
export const takeBackMenus = statement<never>(
  'take_back_menus',
  'update menus set is_published = false where location_id = $1::uuid and is_published and id <> $2::uuid',
);

/** $1 location, $2 id. */
export const publishMenu = statement<never>(
  'publish_menu',
  `update menus set is_published = true, published_at = now(), version = version + 1
   where location_id = $1::uuid and id = $2::uuid`,
);

/** $1 location. */
export const readMenusToCopy = statement<MenuRow>(
  'read_menus_to_copy',
  `select m.id, m.name, m.is_published, array(
     select l.category_id::text from menu_categories l
     where l.location_id = m.location_id and l.menu_id = m.id order by l.position, l.category_id) as category_ids
   from menus m where m.location_id = $1::uuid order by m.name, m.id`,
);

/** $1 location, $2 at most so many. */
const idsOf = (table: 'categories' | 'products'): Statement<{ id: string }> =>
  statement(
    `read_ids_of_${table}`,
    `select id from ${table} where location_id = $1::uuid order by id limit $2::int`,
  );

export const readCategoryIds = idsOf('categories');
export const readProductIds = idsOf('products');
