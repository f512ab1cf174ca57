import { z } from 'zod';
import { ExternalId, Id, ImageUrl, Label, Money, page, paging, text } from '../../wire.ts';
import { changes, changesPage, oneBeginning } from '../changes/schema.ts';
import { Stock, StockInput } from '../stock/schema.ts';

/** A product, as the specification's Product; the same in both families and in the events. */
export const Product = z
  .object({
    id: Id,
    external_id: z.string().optional().meta({ example: 'SKU-1001' }),
    sku: z.string().meta({ example: 'FW-12' }),
    name: z.string().meta({ example: 'Flat White' }),
    description: z.string(),
    price: z.number().meta({ description: "In the location's currency, 2 decimals.", example: 12.5 }),
    visible: z.boolean(),
    image_url: z.string(),
    stock: Stock,
    categories: z.array(z.object({ id: z.string(), name: z.string() })),
  })
  .meta({ id: 'Product', description: 'Something that can be ordered.' });
export type Product = z.infer<typeof Product>;

/** What is left of a product in `product.deleted`. */
export const DeletedProduct = z
  .object({ id: z.string(), external_id: z.string().optional() })
  .meta({ id: 'DeletedProduct' });

export const Description = text(0, 10_000);

const CategoryIds = z
  .array(Id)
  .meta({ description: 'The categories it stands under; a repeated id counts once.' });

/** What creates a product; v1 and v2 alike. */
export const ProductCreate = z
  .object({
    external_id: ExternalId.optional(),
    sku: Label.optional().meta({ description: 'Unique per location; made from the id when absent.' }),
    name: Label,
    description: Description,
    price: Money,
    visible: z.boolean().optional(),
    category_ids: CategoryIds.optional(),
    stock: StockInput.optional(),
    image_url: ImageUrl.optional(),
  })
  .meta({ id: 'ProductCreate' });
export type ProductCreate = z.infer<typeof ProductCreate>;

/** What changes a product: only the fields that are present. */
export const ProductUpdate = z
  .object({
    id: Id,
    external_id: ExternalId.nullable().optional(),
    sku: Label.optional(),
    name: Label.optional(),
    description: Description.nullable().optional(),
    price: Money.optional(),
    visible: z.boolean().optional(),
    category_ids: CategoryIds.optional(),
    stock: StockInput.optional(),
    image_url: ImageUrl.nullable().optional(),
  })
  .meta({ id: 'ProductUpdate' });
export type ProductUpdate = z.infer<typeof ProductUpdate>;

const filters = {
  visible: z.boolean().optional(),
  category_id: z.string().optional().meta({ description: 'Products of one category.' }),
  search: z
    .string()
    .optional()
    .meta({ description: 'Part of the name, sku or external_id, in any case.', example: 'flat' }),
  sku: z.string().optional(),
};

/** The filters of the v2 list. */
export const ProductList = z
  .object({ ...paging, ...filters, external_id: z.string().optional(), ...changes })
  .check(oneBeginning);
export type ProductList = z.infer<typeof ProductList>;

/** The filters of the v1 list. */
export const ProductListV1 = z.object({ ...paging, ...filters });

export const ProductPage = changesPage(Product);

export const ProductPageV1 = page(Product);
