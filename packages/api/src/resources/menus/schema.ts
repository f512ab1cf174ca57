import { z } from 'zod';
import { exampleIds, exampleMenu } from '../../examples.ts';
import { list } from '../../lists.ts';
import { Name } from '../../texts.ts';
import { Id, ShownName } from '../../wire.ts';
import { CategoryName } from '../categories/schema.ts';

/** A menu, as the specification's Active menu. */
export const Menu = z
  .object({
    id: Id,
    name: ShownName.meta({ example: 'Winter' }),
    version: z.int().meta({
      description: 'Counts its publications, and the changes of what it shows while it is published.',
      example: 3,
    }),
    is_published: z.boolean().meta({ description: 'Whether it is published.' }),
    categories: z.array(CategoryName).meta({ description: 'The categories, in their order.' }),
  })
  .meta({
    id: 'Menu',
    description: 'A menu for guests; at most one is published.',
    example: {
      id: '01935a41-3b2c-7d4e-8f50-61728394a5b6',
      name: 'Winter',
      version: 3,
      is_published: true,
      categories: [{ id: exampleIds.category, name: exampleMenu.drinks.name }],
    },
  });
export type Menu = z.infer<typeof Menu>;

const CategoryIds = list(Id, 1_000, 'must hold at most 1000 categories').meta({
  description: 'The categories it shows, in this order; a repeated id counts once.',
});

/** The body that creates a menu; it is not published yet. */
export const MenuCreate = z
  .object({ name: Name, category_ids: CategoryIds.optional() })
  .meta({ id: 'MenuCreate', example: { name: 'Winter', category_ids: [exampleIds.category] } });
export type MenuCreate = z.infer<typeof MenuCreate>;

/** The body that changes a menu: only the fields that are present. */
export const MenuUpdate = z
  .object({ id: Id, name: Name.optional(), category_ids: CategoryIds.optional() })
  .meta({ id: 'MenuUpdate', example: { name: 'Winter evenings' } });
export type MenuUpdate = z.infer<typeof MenuUpdate>;
