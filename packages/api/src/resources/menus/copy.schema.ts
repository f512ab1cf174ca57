import { z } from 'zod';
import { Id } from '../../wire.ts';
import { FieldChange } from '../bulk/changes.schema.ts';

/** From where the menu of the caller's location is copied, and whether that is only looked at. */
export const MenuCopy = z
  .object({
    from_key: z.string().max(200, 'must have at most 200 characters').meta({
      description: 'A key of the other location, which may read its catalog and its menus.',
    }),
    dry_run: z
      .boolean()
      .optional()
      .meta({ description: 'Answers what would be written and writes nothing.' }),
    seen: z.string().max(200, 'must have at most 200 characters').optional().meta({
      description:
        'The `seen` of the dry run: refused with `changed_since` where the difference is another now.',
    }),
  })
  .meta({ id: 'MenuCopy', example: { from_key: 'cmd_live_…' } });
export type MenuCopy = z.infer<typeof MenuCopy>;

/** How many changes an answer lists. */
export const mostListed = 2_000;

/** The kinds of rows that are copied. */
export const CopiedKind = z.enum(['category', 'product', 'subselection', 'item', 'menu']);
export type CopiedKind = z.infer<typeof CopiedKind>;

/** A row that a copy makes or changes. */
export const MenuCopyChange = z
  .object({
    type: CopiedKind,
    names: z
      .array(z.string())
      .max(3)
      .meta({ description: 'Its own name, after those of its product and subselection.' }),
    action: z.enum(['created', 'updated']),
    matched_by: z
      .enum(['external_id', 'sku', 'name'])
      .optional()
      .meta({ description: 'Of what exists: by what it was found.' }),
    changes: z.array(FieldChange).max(50),
  })
  .meta({ id: 'MenuCopyChange', description: 'A row that a copy of a menu makes or changes.' });
export type MenuCopyChange = z.infer<typeof MenuCopyChange>;

const Place = z.object({ id: Id, name: z.string() });

/** The difference, which is written unless it was only looked at. */
export const MenuCopied = z
  .object({
    from: Place.meta({ description: 'The location that was read.' }),
    to: Place.meta({ description: 'The location that is written.' }),
    created: z.int(),
    updated: z.int(),
    unchanged: z.int().meta({ description: 'The number of rows that are already equal.' }),
    kept: z.int().meta({
      description: 'Categories, products and menus that the other location has not: they stay as they are.',
    }),
    changes: z
      .array(MenuCopyChange)
      .max(mostListed)
      .meta({ description: `The rows that are created and updated, the first ${mostListed}.` }),
    seen: z.string().meta({ description: 'Names the difference.' }),
  })
  .meta({ id: 'MenuCopied', description: 'The effect of a copy of a menu.' });
export type MenuCopied = z.infer<typeof MenuCopied>;
