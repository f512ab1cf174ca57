import { z } from 'zod';
import { exampleIds, exampleMenu } from '../../examples.ts';
import { onlyIn } from '../../families.ts';
import { list } from '../../lists.ts';
import { onlyIf } from '../../schema-words.ts';
import { CatalogId, Description, Name, NewCatalogId, NewSku } from '../../texts.ts';
import { ByExternalId, byId, Id, ImageUrl, Money, page, paging, ShownExternalId } from '../../wire.ts';
import { CategoryName } from '../categories/schema.ts';
import { changes, deletedMeans, deletedSince, deletionsPage, oneBeginning } from '../changes/schema.ts';
import { exampleStock, Stock, StockEdit, StockInput } from '../stock/schema.ts';
import {
  changedFields,
  givenFields,
  referenceFilters,
  shownFields,
  shownOnRequest,
} from './fields.schema.ts';

const example = {
  id: exampleIds.product,
  ...exampleMenu.flatWhite,
  visible: true,
  stock: exampleStock,
  categories: [{ id: exampleIds.category, name: exampleMenu.drinks.name }],
};

/** A product, as the specification's Product; the same in both families and in the events. */
export const Product = z
  .object({
    id: Id,
    external_id: ShownExternalId.optional().meta({ example: 'DR-01' }),
    ...shownFields,
    stock: Stock,
    categories: z.array(CategoryName).meta({ description: 'The categories that contain it.' }),
  })
  .meta({ id: 'Product', description: 'Something that can be ordered.', example });
export type Product = z.infer<typeof Product>;

/** A product as reads of v2 show it: with what `include` asks for. Contract: tax is carried. */
export const ProductRead = Product.extend(shownOnRequest).meta({
  id: 'ProductRead',
  description: 'Something that can be ordered, with what `include` asks for.',
  example: { ...example, tax_rate: 22 },
});
export type ProductRead = z.infer<typeof ProductRead>;

/** The record of a product in `product.deleted`. */
export const DeletedProduct = z
  .object({ id: Id, external_id: ShownExternalId.optional() })
  .meta({ id: 'DeletedProduct', description: 'The record of a deleted product.' });

const CategoryIds = list(Id, 1_000, 'must hold at most 1000 categories').meta({
  description: 'The categories that contain it; a repeated id counts once.',
});

/** The input of an operation on one product. */
export const ProductById = byId(exampleIds.product);

/** The body that creates a product; v1 and v2 alike. */
export const ProductCreate = z
  .object({
    external_id: NewCatalogId.optional(),
    ...givenFields,
    sku: NewSku.meta(givenFields.sku.unwrap().meta() ?? {}).optional(),
    name: Name,
    description: Description,
    price: Money,
    category_ids: CategoryIds.optional(),
    stock: StockInput.optional(),
  })
  .meta({
    id: 'ProductCreate',
    description: 'The body that creates a product.',
    example: {
      ...exampleMenu.croissant,
      visible: true,
      category_ids: [exampleIds.category],
      stock: exampleStock,
      image_url: example.image_url,
    },
  });
export type ProductCreate = z.infer<typeof ProductCreate>;

/** The body that changes a product: only the fields that are present. */
export const ProductUpdate = z
  .object({
    ...ProductById.shape,
    external_id: CatalogId.nullable().optional(),
    ...changedFields,
    description: Description.nullable().optional(),
    image_url: ImageUrl.nullable().optional(),
    category_ids: CategoryIds.optional(),
    stock: StockInput.optional(),
    ...onlyIn('v2', {
      stock_change: StockEdit.optional().meta({
        description:
          'In place of `stock`. With another quantity than `expected`, nothing of the product is changed.',
      }),
    }),
  })
  .superRefine(({ stock, stock_change }, context) => {
    if (stock === undefined || stock_change === undefined) return;
    const message = 'must not be given together with stock';
    context.addIssue({ code: 'custom', path: ['stock_change'], message });
  })
  .meta({
    id: 'ProductUpdate',
    description: 'The body that changes a product: only the fields that are present.',
    example: { price: 175, visible: true },
    ...onlyIf({ not: { required: ['stock', 'stock_change'] } }),
  });
export type ProductUpdate = z.infer<typeof ProductUpdate>;

const filters = {
  visible: z
    .boolean()
    .optional()
    .meta({ description: 'Only products that are shown to guests, or only those that are not.' }),
  category_id: z
    .string()
    .optional()
    .meta({ description: 'Products of one category.', example: exampleIds.category }),
  search: z.string().optional().meta({
    description: 'Part of the name, sku or external_id, in any case; accents count.',
    example: 'flat',
  }),
  sku: z
    .string()
    .optional()
    .meta({ description: 'Only the product with this stock-keeping unit.', example: 'DR-01' }),
  ...referenceFilters,
};

const taxMeans = '`tax`: the `tax_rate` of products that have one';

const includeTax = list(z.enum(['tax']), 20)
  .min(1, 'must name tax')
  .optional()
  .meta({ description: `More than the documented fields: ${taxMeans}.`, example: ['tax'] });

/** The parameters of reading one on v2. */
export const ProductGet = ProductById.extend({ include: includeTax });

/** The parameters of reading one on v2 by the caller's own identifier. */
export const ProductGetByExternalId = ByExternalId.extend({ include: includeTax });

/** The filters of the v2 list. */
export const ProductList = z
  .object({
    ...paging,
    ...filters,
    external_id: ShownExternalId.optional().meta({ example: 'DR-01' }),
    ...changes,
    include: list(z.enum(['deleted', 'tax']), 20)
      .min(1, 'must name deleted or tax')
      .optional()
      .meta({ description: `${deletedMeans} ${taxMeans}.`, example: ['tax'] }),
  })
  .check(oneBeginning)
  .check(deletedSince);
export type ProductList = z.infer<typeof ProductList>;

/** The filters of the v1 list. */
export const ProductListV1 = z.object({ ...paging, ...filters });

export const ProductPage = deletionsPage(ProductRead);

export const ProductPageV1 = page(Product);
