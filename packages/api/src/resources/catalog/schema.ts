import { z } from 'zod';
import { Id, Timestamp } from '../../wire.ts';
import { shownFields } from '../products/fields.schema.ts';

const externalId = z.string().optional().meta({ example: 'DR-01' });

const CatalogStock = z
  .object({ enabled: z.boolean(), quantity: z.number() })
  .meta({ id: 'CatalogStock', description: 'The remaining stock; counted only when enabled.' });

/** An option of a subselection. */
export const CatalogItem = z
  .object({
    id: Id,
    external_id: externalId,
    name: z.string(),
    price: z.number(),
    min: z.int().meta({ description: 'How many of it at least, once it is chosen.', example: 0 }),
    max: z.int().meta({ description: 'How many of it at most.', example: 1 }),
    visible: z.boolean(),
    image_url: z.string().optional().meta({ example: 'https://images.example.com/oat.jpg' }),
    stock: CatalogStock,
  })
  .meta({ id: 'CatalogItem', description: 'An option of a subselection.' });

/** A choice that belongs to a product. */
export const CatalogSubselection = z
  .object({
    id: Id,
    external_id: externalId,
    name: z.string(),
    min_selection: z.int(),
    max_selection: z.int(),
    single: z.boolean(),
    items: z.array(CatalogItem),
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
    subselections: z.array(CatalogSubselection),
  })
  .meta({ id: 'CatalogProduct', description: 'A product as the catalog shows it.' });

/** A category as the catalog shows it. */
export const CatalogCategory = z
  .object({
    id: Id,
    name: z.string(),
    external_id: externalId,
    visible: z.boolean().meta({ description: 'A hidden category is left out of the active menu.' }),
    products: z.array(CatalogProduct),
  })
  .meta({ id: 'CatalogCategory', description: 'A category as the catalog shows it.' });

/** Specification: Full catalog. */
export const Catalog = z
  .object({
    location_id: z.uuid(),
    version: Timestamp.meta({ description: 'Rises with every change of the catalog, stock included.' }),
    categories: z.array(CatalogCategory),
  })
  .meta({ id: 'Catalog', description: 'Everything that can be ordered, as one tree.' });
export type Catalog = z.infer<typeof Catalog>;

/** The answer of publishing: the catalog's version, as `catalog.updated` will have it. */
export const PublishedCatalog = z.object({ published_at: Timestamp }).meta({ id: 'PublishedCatalog' });
export type PublishedCatalog = z.infer<typeof PublishedCatalog>;
