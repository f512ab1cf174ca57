import type {
  Product,
  ProductCategory,
  ProductStock,
  Subselection,
  SubselectionItem,
} from '../generated/prisma/client.ts';
import { everything, table } from './table.ts';

export const products = table<Product>()('products', {
  key: ['id'],
  columns: {
    location_id: {},
    id: {},
    external_id: { published: true, catalog: true, shownElsewhere: true, edited: true, length: [1, 255] },
    sku: { published: true, catalog: true, shownElsewhere: true, edited: true, length: [1, 255] },
    name: { published: true, catalog: true, shownElsewhere: true, edited: true, length: [1, 255] },
    description: { published: true, edited: true, length: [0, 10_000] },
    price: { published: true, catalog: true, edited: true },
    visible: { published: true, catalog: true, edited: true },
    image_url: { published: true, edited: true },
    created_at: {},
    updated_at: {},
    revision: {},
  },
  access: { service: everything, people: 'edit' },
  versioned: 'any',
  belongs: { to: 'location', sandbox: 'emptied' },
  published: {
    ...{ as: 'product', id: 'id', on: ['insert', 'update'], lastState: true, json: 'part' },
    counted: { by: "CASE WHEN r.visible THEN 'visible' ELSE 'hidden' END", at: "'-infinity'::timestamptz" },
  },
});

export const productCategories = table<ProductCategory>()('product_categories', {
  key: ['product_id', 'category_id'],
  columns: {
    location_id: {},
    product_id: { edited: true },
    category_id: { published: true, catalog: true, edited: true },
  },
  access: { service: everything, people: 'edit' },
  belongs: { partOf: 'products' },
  published: { as: 'product_categories', id: 'product_id', on: ['insert', 'update', 'delete'] },
  guards: [
    { never: ['location_id'], sentence: 'a link stays in its location: delete it, and insert another one' },
  ],
});

export const productStock = table<ProductStock>()('product_stock', {
  key: ['product_id'],
  columns: {
    location_id: {},
    product_id: {},
    enabled: { published: true, catalog: true, edited: true },
    quantity: { published: true, catalog: true, edited: true },
    min_stock_alarm: { published: true, edited: true },
    updated_at: {},
  },
  access: { service: everything, people: 'edit' },
  belongs: { partOf: 'products' },
  published: {
    ...{ as: 'stock', id: 'product_id', on: ['insert', 'update', 'delete'] },
    capturedByPlaceOrder: true,
  },
  guards: [
    {
      never: ['product_id', 'location_id'],
      sentence: 'a stock record stays with its product: delete it, and insert one for the other product',
    },
  ],
});

export const subselections = table<Subselection>()('subselections', {
  key: ['id'],
  columns: {
    location_id: {},
    id: {},
    product_id: { published: true, catalog: true, recorded: 'at deletion', edited: true },
    external_id: { published: true, catalog: true, edited: true, length: [1, 255] },
    name: { published: true, catalog: true, edited: true, length: [1, 255] },
    min_selection: { published: true, catalog: true, edited: true },
    max_selection: { published: true, catalog: true, edited: true },
    single: { published: true, catalog: true, edited: true },
    position: { published: true, catalog: true, edited: true },
    created_at: {},
    updated_at: {},
  },
  access: { service: everything, people: 'edit' },
  belongs: { partOf: 'products' },
  published: { as: 'subselection', id: 'id', on: ['insert', 'update', 'delete'] },
});

export const subselectionItems = table<SubselectionItem>()('subselection_items', {
  key: ['id'],
  columns: {
    location_id: {},
    id: {},
    subselection_id: { published: true, catalog: true, recorded: 'at deletion', edited: true },
    external_id: { published: true, catalog: true, edited: true, length: [1, 255] },
    name: { published: true, catalog: true, edited: true, length: [1, 255] },
    price: { published: true, catalog: true, edited: true },
    min: { published: true, catalog: true, edited: true },
    max: { published: true, catalog: true, edited: true },
    visible: { published: true, catalog: true, edited: true },
    image_url: { published: true, catalog: true, edited: true },
    position: { published: true, catalog: true, edited: true },
    stock_enabled: { catalog: true, edited: true },
    stock_quantity: { catalog: true, edited: true },
    created_at: {},
    updated_at: {},
  },
  access: { service: everything, people: 'edit' },
  belongs: { partOf: 'products' },
  published: { as: 'subselection_item', id: 'id', on: ['insert', 'update', 'delete'] },
  guards: [
    {
      never: ['id', 'location_id', 'created_at'],
      sentence: 'the id, the location and the creation of an item never change: make another one',
    },
  ],
});
