import { z } from 'zod';
import { CatalogId, Name, NewCatalogId } from '../../texts.ts';
import { ExternalId, Id, ImageUrl, paging, ShownImageUrl, ShownName, Visible } from '../../wire.ts';
import { changes, deletedSince, deletionsPage, includeDeleted, oneBeginning } from '../changes/schema.ts';

/** A category, as the specification's Category. */
export const Category = z
  .object({
    id: Id,
    external_id: ExternalId.optional(),
    name: ShownName.meta({ example: 'Coffee' }),
    priority: z.int().meta({ description: 'Lower comes first.', example: 10 }),
    visible: Visible,
    image_url: ShownImageUrl,
  })
  .meta({ id: 'Category', description: 'A group of products on the menu.' });
export type Category = z.infer<typeof Category>;

/** A category as what belongs to it names it. */
export const CategoryName = z
  .object({ id: Id, name: ShownName })
  .meta({ id: 'CategoryName', description: 'A category, by its id and name.' });

const Priority = z
  .int()
  .min(-32_768, 'must be -32768 to 32767')
  .max(32_767, 'must be -32768 to 32767')
  .meta({ description: 'Lower comes first.', example: 10 });

/** The body that creates a category; v1 and v2 alike. */
export const CategoryCreate = z
  .object({
    external_id: NewCatalogId.optional(),
    name: Name,
    priority: Priority,
    visible: Visible,
    image_url: ImageUrl.optional(),
  })
  .meta({ id: 'CategoryCreate', description: 'The body that creates a category.' });
export type CategoryCreate = z.infer<typeof CategoryCreate>;

/** The body that changes a category: only the fields that are present. */
export const CategoryUpdate = z
  .object({
    id: Id,
    external_id: CatalogId.nullable().optional(),
    name: Name.optional(),
    priority: Priority.optional(),
    visible: Visible.optional(),
    image_url: ImageUrl.nullable().optional(),
  })
  .meta({
    id: 'CategoryUpdate',
    description: 'The body that changes a category: only the fields that are present.',
  });
export type CategoryUpdate = z.infer<typeof CategoryUpdate>;

export const CategoryList = z
  .object({ ...paging, ...changes, include: includeDeleted })
  .check(oneBeginning)
  .check(deletedSince);
export type CategoryList = z.infer<typeof CategoryList>;

export const CategoryPage = deletionsPage(Category);
