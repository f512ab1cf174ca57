import { identified, statement } from '@comanda/db';
import { allEntries, pageStatement } from '../../call/page-text.ts';
import type { Revised } from '../../call/tags.ts';
import { afterPosition, type Changes, changesStatements } from '../changes/statements.ts';

// SQL, not Prisma: through Prisma a list of fifty takes four times the CPU of Node that a list of fifty products takes.

/** A category as JSON text. */
export interface CategoryText extends Revised {
  id: string;
  doc: string;
}

const entry = `'{"id":"' || r.id || '"' || coalesce(',"external_id":' || to_json(r.external_id)::text, '')
  || ',"name":' || to_json(r.name)::text || ',"priority":' || r.priority || ',"visible":' || r.visible::text
  || ',"image_url":' || to_json(r.image_url)::text || '}'`;

/** $1 location, $2 limit, $3 offset. */
export const listCategories = pageStatement({
  name: 'list_categories',
  table: 'categories',
  order: 'r.priority, r.name, r.id',
  entry,
});

const changesParts = {
  name: 'categories_changes',
  filters: 0,
  rows: () => `select r.id, r.updated_at as moment from categories r
    where r.location_id = $1::uuid and ${afterPosition('r.updated_at', 'r.id')}`,
  entries:
    allEntries(`(select coalesce('[' || string_agg(${entry}, ',' order by page.moment, page.id) || ']', '[]')
    from page cross join lateral (select * from categories where location_id = $1::uuid and id = page.id limit 1) r)`),
};
const changed: Changes = { ...changesStatements(changesParts), filters: [] };
const changedOrDeleted: Changes = {
  ...changesStatements({ ...changesParts, deleted: { table: 'categories', resource: 'category' } }),
  filters: [],
};

/** Categories that have changed, by the moment of the last change; and, if asked for, those that were deleted. */
export const categoryChanges = (listsDeleted: boolean): Changes =>
  listsDeleted ? changedOrDeleted : changed;

/** $1 location, $2 id. */
export const readCategory = statement<CategoryText>(
  'read_category',
  `select r.id, r.revision, ${entry} as doc from categories r where r.location_id = $1::uuid and r.id = $2::uuid`,
);

/** $1 location, $2 external_id. */
export const readCategoryByExternalId = statement<CategoryText>(
  'read_category_by_external_id',
  `select r.id, r.revision, ${entry} as doc from categories r
   where r.location_id = $1::uuid and r.id = ${identified('categories', 'external_id', '$1::uuid', '$2::text')}`,
);

/** $1 location, $2 external_id, $3 name, $4 priority, $5 visible, $6 image_url. */
export const insertCategory = statement<CategoryText>(
  'insert_category',
  `insert into categories as r (location_id, external_id, name, priority, visible, image_url)
   values ($1::uuid, $2, $3, $4, $5, $6) returning r.id, r.revision, ${entry} as doc`,
);

/** $1 location, $2 id, $3 the fields that are given as JSON. */
export const updateCategory = statement<CategoryText>(
  'update_category',
  `update categories r set (external_id, name, priority, visible, image_url) = (
     select f.external_id, f.name, f.priority, f.visible, f.image_url from jsonb_populate_record(r, $3::jsonb) f)
   where r.location_id = $1::uuid and r.id = $2::uuid returning r.id, r.revision, ${entry} as doc`,
);
