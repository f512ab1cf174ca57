import type {
  Product,
  ProductCategory,
  ProductStock,
  Subselection,
  SubselectionItem,
} from '../generated/prisma/client.ts';
import { money, percentage, plain, stock, table } from './table.ts';

const shown = { published: true, catalog: true, edited: true } as const;

export const products = table<Product>()('products', {
  columns: {
    ...plain('location_id id created_at updated_at revision'),
    external_id: { ...shown, shownElsewhere: true, length: [1, 255], identifier: true },
    sku: { ...shown, shownElsewhere: true, length: [1, 255], identifier: true },
    name: { ...shown, shownElsewhere: true, length: [1, 255], history: true },
    description: { published: true, edited: true, length: [0, 10_000] },
    price: { ...shown, history: true, number: money },
    visible: { ...shown, history: true },
    image_url: { published: true, edited: true },
    tax_rate: { published: true, edited: true, onRequest: true, history: true, number: percentage },
  },
  people: 'edit',
  editEvents: { publish: ['product.created', 'product.updated', 'product.deleted', 'catalog.updated'] },
  versioned: 'any',
  belongs: { sandbox: 'emptied' },
  published: {
    as: 'product',
    lastState: true,
    keepsDeletions: true,
    json: 'part',
    counted: { by: "CASE WHEN r.visible THEN 'visible' ELSE 'hidden' END", at: "'-infinity'::timestamptz" },
  },
});

export const productCategories = table<ProductCategory>()('product_categories', {
  key: ['product_id', 'category_id'],
  columns: {
    ...plain('location_id'),
    product_id: { edited: true },
    category_id: { ...shown, history: true },
  },
  people: 'edit',
  editEvents: { publish: ['product.updated', 'catalog.updated'] },
  belongs: { partOf: 'products' },
  published: { as: 'product_categories', id: 'product_id' },
  guards: [
    { never: ['location_id'], sentence: 'a link stays in its location: delete it, and insert another one' },
  ],
});

export const productStock = table<ProductStock>()('product_stock', {
  key: ['product_id'],
  columns: {
    ...plain('location_id product_id updated_at'),
    enabled: { ...shown, history: true },
    quantity: { ...shown, history: true, number: stock },
    min_stock_alarm: { published: true, edited: true, number: stock },
  },
  people: 'edit',
  editEvents: { publish: ['stock.updated'] },
  belongs: { partOf: 'products' },
  published: { as: 'stock', id: 'product_id', capturedByPlaceOrder: true },
  guards: [
    {
      never: ['product_id', 'location_id'],
      sentence: 'a stock record stays with its product: delete it, and insert one for the other product',
    },
  ],
});

export const subselections = table<Subselection>()('subselections', {
  columns: {
    ...plain('location_id id created_at updated_at'),
    product_id: { ...shown, recorded: 'at deletion' },
    external_id: { ...shown, length: [1, 255], identifier: true },
    name: { ...shown, length: [1, 255] },
    min_selection: shown,
    max_selection: shown,
    single: shown,
    position: shown,
  },
  people: 'edit',
  editEvents: { publish: ['catalog.updated'] },
  belongs: { partOf: 'products' },
  published: { as: 'subselection' },
});

export const subselectionItems = table<SubselectionItem>()('subselection_items', {
  columns: {
    ...plain('location_id id created_at updated_at'),
    subselection_id: { ...shown, recorded: 'at deletion' },
    external_id: { ...shown, length: [1, 255], identifier: true },
    name: { ...shown, length: [1, 255], history: true },
    price: { ...shown, history: true, number: money },
    min: shown,
    max: shown,
    visible: { ...shown, history: true },
    image_url: shown,
    position: shown,
    stock_enabled: { catalog: true, edited: true },
    stock_quantity: { catalog: true, edited: true, number: stock },
  },
  people: 'edit',
  editEvents: {
    publish: ['catalog.updated'],
    except: ['stock_enabled', 'stock_quantity'],
  },
  belongs: { partOf: 'products' },
  published: { as: 'subselection_item' },
  guards: [
    {
      never: ['id', 'location_id', 'created_at'],
      sentence: 'the id, the location and the creation of an item never change: make another one',
    },
  ],
});
