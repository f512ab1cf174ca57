import { z } from 'zod';
import { exampleMenu, exampleTime } from '../../examples.ts';
import { list } from '../../lists.ts';
import { givenUnlessDeleted, onlyIf } from '../../schema-words.ts';
import { CatalogId, Name } from '../../texts.ts';
import { Id, ImageUrl, Money, Quantity, Timestamp, Visible } from '../../wire.ts';
import { DryRun, plannedChange, SyncInclude } from '../bulk/changes.schema.ts';
import { CategoryCreate } from '../categories/schema.ts';
import { givenFields } from '../products/fields.schema.ts';
import { StockEnabled } from '../stock/schema.ts';

const Count = z
  .int()
  .min(0, 'must not be negative')
  .max(2_147_483_647, 'must be at most 2147483647')
  .meta({ example: 1 });

const ItemStock = z
  .object({ enabled: StockEnabled, quantity: Quantity })
  .meta({ id: 'CatalogSyncItemStock', description: 'The stock of an item as a sync brings it.' });

const ProductStock = ItemStock.extend({ min_stock_alarm: Quantity.optional() }).meta({
  id: 'CatalogSyncProductStock',
  description: 'The stock of a product as a sync brings it.',
});

/** `true` in an entry marked for deletion, with any other fields. */
const Delete = z.boolean().optional().meta({
  description:
    'Deletes it, with all that belongs to it; with it only `external_id` counts. An entry that is not there is `unchanged`.',
  example: false,
});

/** Refuses an entry that lacks one of these and is not to be deleted. */
const unlessDeleted = <Name extends string>(...names: Name[]) =>
  z.superRefine<{ [Each in Name | 'delete']?: unknown }>((entry, context) => {
    if (entry.delete === true) return;
    for (const name of names)
      if (entry[name] === undefined)
        context.addIssue({ code: 'custom', path: [name], message: 'is required, unless delete is true' });
  });

const needed = 'Needed unless `delete` is `true`.';
const neededOfItem = ['name', 'price'] as const;
const neededOfSubselection = ['name', 'min_selection', 'max_selection', 'items'] as const;
const neededOfProduct = ['name', 'price'] as const;
const neededOfCategory = ['name'] as const;

/** An option in the body of a sync. A field that is left out keeps its value; a new one takes the default. */
export const SyncedItem = z
  .object({
    external_id: CatalogId.meta({
      description: "The caller's own identifier, unique within its subselection.",
      example: 'OAT-MILK',
    }),
    name: Name.optional().meta({ description: needed, example: 'Oat milk' }),
    price: Money.optional().meta({ description: needed, example: 0.5 }),
    min: Count.optional().meta({ description: '0 for a new one.', example: 0 }),
    max: Count.optional().meta({ description: "The subselection's max_selection for a new one." }),
    visible: Visible.optional(),
    image_url: ImageUrl.optional(),
    stock: ItemStock.optional(),
    delete: Delete,
  })
  .check(unlessDeleted(...neededOfItem))
  .superRefine(({ min, max }, context) => {
    if (min !== undefined && max !== undefined && min > max)
      context.addIssue({ code: 'custom', path: ['min'], message: 'must not be more than max' });
  })
  .meta({
    id: 'CatalogSyncItem',
    description: 'An item of a subselection as a sync brings it.',
    ...onlyIf(givenUnlessDeleted(...neededOfItem)),
  });
export type SyncedItem = z.infer<typeof SyncedItem>;

/** A choice as a sync brings it. */
export const SyncedSubselection = z
  .object({
    external_id: CatalogId.meta({
      description: "The caller's own identifier, unique within its product.",
      example: 'MILK',
    }),
    name: Name.optional().meta({ description: needed, example: 'Milk' }),
    min_selection: Count.optional().meta({ description: needed, example: 0 }),
    max_selection: Count.optional().meta({ description: needed, example: 1 }),
    single: z.boolean().optional().meta({ description: 'For a new one: whether max_selection is 1.' }),
    items: list(SyncedItem, 100, 'must hold at most 100 items').optional().meta({ description: needed }),
    delete: Delete,
  })
  .check(unlessDeleted(...neededOfSubselection))
  .superRefine(({ min_selection = 0, max_selection = min_selection }, context) => {
    if (min_selection > max_selection) {
      const message = 'must not be more than max_selection';
      context.addIssue({ code: 'custom', path: ['min_selection'], message });
    }
  })
  .meta({
    id: 'CatalogSyncSubselection',
    description: 'A subselection as a sync brings it.',
    ...onlyIf(givenUnlessDeleted(...neededOfSubselection)),
  });
export type SyncedSubselection = z.infer<typeof SyncedSubselection>;

/** A product as a sync brings it. */
export const SyncedProduct = z
  .object({
    external_id: CatalogId,
    ...givenFields,
    name: Name.optional().meta({ description: needed, example: 'Flat white' }),
    price: Money.optional().meta({ description: needed, example: 3.5 }),
    stock: ProductStock.optional(),
    subselections: list(SyncedSubselection, 50, 'must hold at most 50 subselections')
      .optional()
      .meta({ description: 'The choices that go with it; those that are not named stay with `upsert`.' }),
    delete: Delete,
  })
  .check(unlessDeleted(...neededOfProduct))
  .meta({
    id: 'CatalogSyncProduct',
    description: 'A product as a sync brings it.',
    ...onlyIf(givenUnlessDeleted(...neededOfProduct)),
  });
export type SyncedProduct = z.infer<typeof SyncedProduct>;

/** A category in the body of a sync, with its products. */
export const SyncedCategory = z
  .object({
    external_id: CatalogId,
    name: Name.optional().meta({ description: needed, example: 'Coffee' }),
    priority: CategoryCreate.shape.priority.optional(),
    visible: Visible.optional(),
    image_url: ImageUrl.optional(),
    products: list(SyncedProduct, 'max_items_per_batch').optional(),
    delete: Delete.meta({
      description:
        'Deletes the category; with it only `external_id` counts, and `products`, which must all have `delete`. An entry that is ' +
        'not there is `unchanged`.',
      example: false,
    }),
  })
  .check(unlessDeleted(...neededOfCategory))
  .meta({
    id: 'CatalogSyncCategory',
    description: 'A category in the body of a sync, with its products.',
    ...onlyIf(givenUnlessDeleted(...neededOfCategory)),
  });
export type SyncedCategory = z.infer<typeof SyncedCategory>;

/** The treatment of items that are not named: `upsert` leaves them, `replace` removes those with an `external_id`. */
export const CatalogSyncMode = z.enum(['upsert', 'replace']);
export type CatalogSyncMode = z.infer<typeof CatalogSyncMode>;

/** A catalog to set. */
export const CatalogSync = z
  .object({
    mode: CatalogSyncMode.default('upsert').meta({
      description: 'replace also removes what has an external_id and is not named.',
    }),
    categories: list(SyncedCategory, 'max_items_per_batch').min(1, 'must hold at least one category'),
    dry_run: DryRun,
    include: SyncInclude,
  })
  .meta({
    id: 'CatalogSync',
    description: 'A catalog to set.',
    example: {
      mode: 'upsert',
      categories: [
        {
          external_id: 'CAT-10',
          name: 'Coffee',
          priority: 10,
          products: [
            {
              ...exampleMenu.cortado,
              stock: { enabled: true, quantity: 24 },
              subselections: [
                {
                  external_id: 'MILK',
                  name: 'Milk',
                  min_selection: 0,
                  max_selection: 1,
                  items: [{ external_id: 'MILK-SOY', name: 'Soy', price: 30 }],
                },
              ],
            },
          ],
        },
      ],
    },
  });
export type CatalogSync = z.infer<typeof CatalogSync>;

/** The change of one category, product, subselection or item in a dry run. */
export const CatalogChange = z
  .object({
    type: z
      .enum(['category', 'product', 'subselection', 'item'])
      .meta({ description: 'The type of the object.' }),
    external_ids: z.array(z.string()).meta({
      description: 'Its position: its own external_id, after those of its product and subselection.',
    }),
    id: z.string().optional().meta({ description: 'Of what exists.' }),
    ...plannedChange,
  })
  .meta({
    id: 'CatalogChange',
    description: 'The change that a sync would make to one category, product, subselection or item.',
  });
export type CatalogChange = z.infer<typeof CatalogChange>;

/** A node that a sync named, by its id. */
export const CatalogNode = CatalogChange.pick({ type: true, external_ids: true })
  .extend({ id: Id })
  .meta({ id: 'CatalogNode', description: 'A category, product, subselection or item that was named.' });
export type CatalogNode = z.infer<typeof CatalogNode>;

/** Something that was accepted and that a person should look at. */
export const CatalogWarning = z
  .object({
    path: z.string().meta({
      description: 'The entry in the body.',
      example: 'categories[0].products[0].subselections[0]',
    }),
    message: z.string().meta({
      description: 'The fault, as a sentence.',
      example: '"Toppings" needs at least 3, and its options allow at most 2',
    }),
  })
  .meta({
    id: 'CatalogWarning',
    description:
      'A subselection that was accepted and that no order can satisfy: its product cannot be ordered.',
  });
export type CatalogWarning = z.infer<typeof CatalogWarning>;

/** The outcome of a sync, counted over categories, products, subselections and items. */
export const CatalogSyncResult = z
  .object({
    version: Timestamp.meta({
      description: 'The version of the catalog with these changes, or a later one.',
    }),
    total_items: z.int().meta({ description: 'All that was named; a product counts once.' }),
    created: z.int().meta({ description: 'How many were created.' }),
    updated: z.int().meta({ description: 'How many were changed.' }),
    deleted: z.int().meta({ description: 'With all that belonged to what was removed.' }),
    unchanged: z.int().meta({ description: 'How many stay as they were.' }),
    ids: z
      .array(CatalogNode)
      .optional()
      .meta({ description: 'With `include` of `ids`, except in a dry run.' }),
    dry_run: z.literal(true).optional().meta({ description: 'Nothing was changed.' }),
    changes: z
      .array(CatalogChange)
      .optional()
      .meta({ description: 'Of a dry run: what would become of each.' }),
    warnings: z
      .array(CatalogWarning)
      .optional()
      .meta({
        description:
          'The named subselections that no order can satisfy with the options that they have after the sync; also in a ' +
          'dry run. Absent where there are none.',
      }),
  })
  .meta({
    id: 'CatalogSyncResult',
    description: 'The outcome of a catalog sync.',
    example: {
      version: exampleTime('21:12:30.250'),
      total_items: 4,
      created: 1,
      updated: 1,
      deleted: 0,
      unchanged: 2,
    },
  });
export type CatalogSyncResult = z.infer<typeof CatalogSyncResult>;
