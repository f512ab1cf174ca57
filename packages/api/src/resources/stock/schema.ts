import { z } from 'zod';
import { exampleIds, exampleMenu, exampleTime } from '../../examples.ts';
import { list } from '../../lists.ts';
import { exactlyOne, onlyIf } from '../../schema-words.ts';
import { typedAs } from '../../typed-as.ts';
import {
  Id,
  ProductId,
  paging,
  Quantity,
  QuantityChange,
  ShownExternalId,
  ShownName,
  Timestamp,
} from '../../wire.ts';
import { DryRun, itemChange, itemCounts, itemRefusal } from '../bulk/changes.schema.ts';
import {
  ProductNameForms,
  productName,
  productNames,
  refuseSameName,
  refuseUnnamed,
} from '../bulk/named-products.schema.ts';
import { changes, changesPage, oneBeginning } from '../changes/schema.ts';

/** The stock of the flat white. */
export const exampleStock = { enabled: true, quantity: 24, min_stock_alarm: 5 };

/** The stock of a product, as the specification's Stock. */
export const Stock = z
  .object({
    enabled: z.boolean().meta({ description: 'Whether orders take from it.' }),
    quantity: z.number().meta({ description: 'The remaining quantity, 3 decimals.', example: 24 }),
    min_stock_alarm: z.number().meta({ description: 'Where the alarm begins, 3 decimals.', example: 5 }),
  })
  .meta({ id: 'Stock', description: 'The stock of a product.', example: exampleStock });
export type Stock = z.infer<typeof Stock>;

/** Whether a quantity is kept. */
export const StockEnabled = z
  .boolean()
  .meta({ description: 'Whether the quantity is kept, and orders take from it.' });

/** The body that sets the stock of a product: always all three fields. */
export const StockInput = z
  .object({ enabled: StockEnabled, quantity: Quantity, min_stock_alarm: Quantity })
  .meta({
    id: 'StockInput',
    description: 'The body that sets the stock of a product: always all three fields.',
  });
export type StockInput = z.infer<typeof StockInput>;

/** An entry of the stock listing, and the payload of `stock.updated`. */
export const StockEntry = z
  .object({
    product_id: ProductId,
    external_id: ShownExternalId.optional(),
    sku: z.string().meta({ description: 'The stock-keeping unit, unique per location.' }),
    name: ShownName,
    stock: Stock,
    updated_at: Timestamp,
  })
  .meta({
    id: 'StockEntry',
    description: 'The stock of one product, with what names the product.',
    example: {
      product_id: exampleIds.product,
      external_id: exampleMenu.flatWhite.external_id,
      sku: exampleMenu.flatWhite.sku,
      name: exampleMenu.flatWhite.name,
      stock: exampleStock,
      updated_at: exampleTime('21:05:09.120'),
    },
  });
export type StockEntry = z.infer<typeof StockEntry>;

/** The filters of the listing. */
export const StockList = z.object({ ...paging, ...changes }).check(oneBeginning);
export type StockList = z.infer<typeof StockList>;

export const StockPage = changesPage(StockEntry);

const expected = Quantity.optional().meta({
  description: 'The quantity that you expect. When the actual one differs, nothing is changed.',
  example: 24,
});

/** The stock of one product as a batch brings it. Exactly one of the three names the product, one of the two says what changes. */
export const StockSyncItem = z
  .object({
    ...productName,
    quantity: Quantity.optional().meta({ description: 'The new quantity.', example: 24 }),
    adjust: QuantityChange.optional().meta({
      description: 'In place of `quantity`: the amount to add, or to take if negative.',
    }),
    expected,
    enabled: z
      .boolean()
      .optional()
      .meta({ description: 'Left out, it keeps its value; true for a new record.', example: true }),
    min_stock_alarm: Quantity.optional().meta({
      description: 'Left out, it keeps its value; 0 for a new record.',
      example: 5,
    }),
  })
  .superRefine((item, context) => {
    refuseUnnamed(item, context);
    if (item.quantity === undefined && item.adjust === undefined)
      context.addIssue({
        code: 'custom',
        path: ['quantity'],
        message: 'is required, or adjust in its place',
      });
    if (item.quantity !== undefined && item.adjust !== undefined)
      context.addIssue({
        code: 'custom',
        path: ['adjust'],
        message: 'must not be given together with quantity',
      });
  })
  .meta({
    id: 'StockSyncItem',
    description:
      'The stock of one product: exactly one of `product_id`, `external_id` and `sku`, and exactly one of `quantity` and `adjust`. No two items of a batch name the same product, even by different fields.',
    ...onlyIf(exactlyOne(...productNames), exactlyOne('quantity', 'adjust')),
  });
export type StockSyncItem = z.infer<typeof StockSyncItem>;

const { quantity, adjust, enabled, min_stock_alarm } = StockSyncItem.shape;
const absent = z.never().optional();

/** The same, as the typed client knows it: exactly one of the three, and one of the two. */
const StockSyncItemForms = z
  .object({ expected, enabled, min_stock_alarm })
  .and(
    ProductNameForms.and(
      z.union([
        z.object({ quantity: quantity.unwrap(), adjust: absent }),
        z.object({ quantity: absent, adjust: adjust.unwrap() }),
      ]),
    ),
  );

/** A batch that sets stock. */
export const StockSync = z
  .object({
    items: list(typedAs(StockSyncItem, StockSyncItemForms), 'max_items_per_batch').min(
      1,
      'must hold at least one item',
    ),
    dry_run: DryRun,
  })
  .superRefine(({ items }, context) => refuseSameName('items', items, context))
  .meta({
    id: 'StockSync',
    description: 'A batch that sets stock.',
    example: {
      items: [
        { external_id: exampleMenu.flatWhite.external_id, quantity: 24, min_stock_alarm: 5 },
        { sku: 'FL-1', quantity: 8 },
      ],
    },
  });
export type StockSync = z.infer<typeof StockSync>;

/** The stock of a product as its change brings it: the fields that are left out stay as they are. */
export const StockEdit = z
  .object({
    quantity: Quantity.optional().meta({
      description: 'The new quantity; only with `expected`.',
      example: 24,
    }),
    expected,
    enabled: StockEnabled.optional(),
    min_stock_alarm: Quantity.optional(),
  })
  .superRefine(({ quantity, expected: there, enabled, min_stock_alarm }, context) => {
    if (quantity === undefined && there !== undefined)
      context.addIssue({ code: 'custom', path: ['quantity'], message: 'is required' });
    if (quantity !== undefined && there === undefined)
      context.addIssue({ code: 'custom', path: ['expected'], message: 'is required with quantity' });
    if ([quantity, there, enabled, min_stock_alarm].every((value) => value === undefined))
      context.addIssue({ code: 'custom', message: 'must have quantity, enabled or min_stock_alarm' });
  })
  .meta({
    id: 'StockEdit',
    description:
      'A change of the stock of a product. Fields that are left out stay as they are: without a stock record not counted, and 0.',
    ...onlyIf(
      { minProperties: 1 },
      { dependentRequired: { quantity: ['expected'], expected: ['quantity'] } },
    ),
  });
export type StockEdit = z.infer<typeof StockEdit>;

/** The body that changes the stock of one product by an amount. */
export const StockAdjust = z
  .object({ id: Id.meta({ example: exampleIds.product }), adjust: QuantityChange, expected })
  .meta({ description: 'The amount to add to the stock of a product, or to take from it.' });
export type StockAdjust = z.infer<typeof StockAdjust>;

/** The result of one item in a dry run. */
export const StockChange = z
  .object({
    index: z.int().meta({ description: 'The index of the item in the batch, from 0.' }),
    product_id: ProductId,
    ...itemChange,
  })
  .meta({ id: 'StockChange', description: 'The change that a batch would make to one item.' });
export type StockChange = z.infer<typeof StockChange>;

/** Why an item was not applied. */
export const StockSyncError = z
  .object({
    index: z.int().meta({ description: 'The index of the item in the batch, from 0.' }),
    ...itemRefusal(['resource_not_found', 'conflict']),
    quantity: z.number().optional().meta({ description: 'Of a `conflict`: what is there.', example: 3 }),
  })
  .meta({ id: 'StockSyncError', description: 'Why an item was not applied.' });

/** The outcome of a batch. */
export const StockSyncResult = z
  .object({
    ...itemCounts,
    errors: z.array(StockSyncError).meta({ description: 'Every item that was not applied.' }),
    dry_run: z.literal(true).optional().meta({ description: 'Nothing was changed.' }),
    changes: z
      .array(StockChange)
      .optional()
      .meta({ description: 'Of a dry run: what would become of each item that can be applied.' }),
  })
  .meta({
    id: 'StockSyncResult',
    description: 'The outcome of a batch that sets stock.',
    example: {
      total_items: 2,
      success_items: 1,
      failed_items: 1,
      errors: [{ index: 1, code: 'resource_not_found', message: 'There is no product with sku FL-1.' }],
    },
  });
export type StockSyncResult = z.infer<typeof StockSyncResult>;
