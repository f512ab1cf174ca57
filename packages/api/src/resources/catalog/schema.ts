import { z } from 'zod';
import { exampleIds, exampleLocation, exampleTime, exampleMenu as menu } from '../../examples.ts';
import {
  Id,
  ShownExternalId,
  ShownImageUrl,
  ShownName,
  ShownQuantity,
  Timestamp,
  Visible,
} from '../../wire.ts';
import { shownFields } from '../products/fields.schema.ts';
import { StockEnabled } from '../stock/schema.ts';

const externalId = ShownExternalId.optional().meta({ example: 'DR-01' });

const CatalogStock = z
  .object({ enabled: StockEnabled, quantity: ShownQuantity })
  .meta({ id: 'CatalogStock', description: 'The remaining stock; counted only when enabled.' });

/** An option of a subselection. */
export const CatalogItem = z
  .object({
    id: Id,
    external_id: externalId,
    name: ShownName,
    price: z.number().meta({ description: "Amount in the location's currency, 2 decimals." }),
    min: z.int().meta({ description: 'How many of it at least, once it is chosen.', example: 0 }),
    max: z.int().meta({ description: 'How many of it at most.', example: 1 }),
    visible: Visible,
    image_url: ShownImageUrl.optional().meta({ example: 'https://images.example.com/oat.jpg' }),
    stock: CatalogStock,
  })
  .meta({ id: 'CatalogItem', description: 'An option of a subselection.' });

/** A choice that belongs to a product. */
export const CatalogSubselection = z
  .object({
    id: Id,
    external_id: externalId,
    name: ShownName,
    min_selection: z.int().meta({ description: 'The least that must be chosen, quantities added up.' }),
    max_selection: z.int().meta({ description: 'The most that may be chosen, quantities added up.' }),
    single: z.boolean().meta({ description: 'Whether only one distinct item may be chosen.' }),
    items: z.array(CatalogItem).meta({ description: 'The items to choose from.' }),
  })
  .meta({ id: 'CatalogSubselection', description: 'A choice that belongs to a product.' });

const { description: _description, image_url: _image, ...inCatalog } = shownFields;

/** A product as the catalog shows it: the columns that the row of products marks as `catalog`. */
export const CatalogProduct = z
  .object({
    id: Id,
    external_id: externalId,
    ...inCatalog,
    stock: CatalogStock,
    subselections: z.array(CatalogSubselection).meta({ description: 'The choices that go with it.' }),
  })
  .meta({ id: 'CatalogProduct', description: 'A product as the catalog shows it.' });

/** A category as the catalog shows it. */
export const CatalogCategory = z
  .object({
    id: Id,
    name: ShownName,
    external_id: externalId,
    visible: z.boolean().meta({ description: 'A hidden category is left out of the active menu.' }),
    products: z.array(CatalogProduct).meta({ description: 'The products in it.' }),
  })
  .meta({ id: 'CatalogCategory', description: 'A category as the catalog shows it.' });

/** Specification: Full catalog. */
export const Catalog = z
  .object({
    location_id: z.uuid().meta({ description: 'The id of the location.' }),
    version: Timestamp.meta({ description: 'Rises with every change of the catalog, stock included.' }),
    categories: z.array(CatalogCategory).meta({ description: 'The categories, in their order.' }),
  })
  .meta({
    id: 'Catalog',
    description: 'Everything that can be ordered, as one tree.',
    example: {
      location_id: exampleLocation.id,
      version: exampleTime('21:12:30.250'),
      categories: [
        {
          id: exampleIds.category,
          name: menu.drinks.name,
          external_id: menu.drinks.external_id,
          visible: true,
          products: [
            {
              id: exampleIds.product,
              external_id: menu.flatWhite.external_id,
              sku: menu.flatWhite.sku,
              name: menu.flatWhite.name,
              price: menu.flatWhite.price,
              visible: true,
              stock: { enabled: true, quantity: 24 },
              subselections: [
                {
                  id: '01935a3d-1f7e-7b08-9c4d-2e5f8a7b6c90',
                  external_id: 'DR-01-1',
                  name: 'Milk',
                  min_selection: 1,
                  max_selection: 1,
                  single: true,
                  items: [
                    {
                      id: exampleIds.item,
                      ...menu.oat,
                      min: 0,
                      max: 1,
                      visible: true,
                      image_url: 'https://images.example.com/oat.jpg',
                      stock: { enabled: false, quantity: 0 },
                    },
                  ],
                },
              ],
            },
          ],
        },
      ],
    },
  });
export type Catalog = z.infer<typeof Catalog>;

/** The answer of publishing: the catalog's version, as `catalog.updated` will have it. */
export const PublishedCatalog = z.object({ published_at: Timestamp }).meta({ id: 'PublishedCatalog' });
export type PublishedCatalog = z.infer<typeof PublishedCatalog>;
