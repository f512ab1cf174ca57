import { z } from 'zod';
import { exampleIds, exampleMenu } from '../../examples.ts';
import { CatalogId, Name, NewCatalogId } from '../../texts.ts';
import {
  byId,
  ExternalId,
  Id,
  ImageUrl,
  paging,
  ShownExternalId,
  ShownImageUrl,
  ShownName,
  Visible,
} from '../../wire.ts';
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
  .meta({
    id: 'Category',
    description: 'A group of products on the menu.',
    example: {
      id: exampleIds.category,
      ...exampleMenu.drinks,
      visible: true,
      image_url: 'https://images.example.com/drinks.jpg',
    },
  });
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
  .meta({
    id: 'CategoryCreate',
    description: 'The body that creates a category.',
    example: { ...exampleMenu.bakery, visible: true },
  });
export type CategoryCreate = z.infer<typeof CategoryCreate>;

/** The input of an operation on one category. */
export const CategoryById = byId(exampleIds.category);

/** The same by the caller's own identifier. */
export const CategoryByExternalId = z.object({ external_id: ShownExternalId.meta({ example: 'drinks' }) });

/** The body that changes a category: only the fields that are present. */
export const CategoryUpdate = z
  .object({
    ...CategoryById.shape,
    external_id: CatalogId.nullable().optional(),
    name: Name.optional(),
    priority: Priority.optional(),
    visible: Visible.optional(),
    image_url: ImageUrl.nullable().optional(),
  })
  .meta({
    id: 'CategoryUpdate',
    description: 'The body that changes a category: only the fields that are present.',
    example: { name: 'Hot drinks', priority: 5 },
  });
export type CategoryUpdate = z.infer<typeof CategoryUpdate>;

export const CategoryList = z
  .object({ ...paging, ...changes, include: includeDeleted })
  .check(oneBeginning)
  .check(deletedSince);
export type CategoryList = z.infer<typeof CategoryList>;

export const CategoryPage = deletionsPage(Category);
