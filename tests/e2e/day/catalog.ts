import { expect } from 'vitest';
import { json } from '../../support/money.ts';
import type { Offer, OfferedProduct, OfferedStock } from './offer.ts';

/** The tree of `GET /v2/catalog`, as far as ids are taken from it. */
export interface CatalogTree {
  location_id: string;
  version: string;
  categories: CatalogNode[];
}

interface CatalogNode {
  id: string;
  external_id?: string;
  products?: CatalogNode[];
  subselections?: CatalogNode[];
  items?: CatalogNode[];
}

/** Notes the ids that the service has given to what is offered. */
export function adoptIds(offer: Offer, tree: CatalogTree): void {
  const of = (nodes: CatalogNode[] = [], externalId = ''): CatalogNode => {
    const found = nodes.find(({ external_id }) => external_id === externalId);
    if (found === undefined) throw new Error(`the catalog lacks ${externalId}`);
    return found;
  };
  for (const category of offer.categories) category.id = of(tree.categories, category.externalId).id;
  for (const product of offer.products) {
    const found = of(of(tree.categories, product.categories[0]?.externalId).products, product.externalId);
    product.id = found.id;
    for (const choice of product.subselections) {
      const { items } = of(found.subselections, choice.externalId);
      for (const item of choice.items) item.id = of(items, item.externalId).id;
    }
  }
}

/** The categories as the catalog must show them: by priority and name, their products by name. */
export function expectedCategories({ categories, products }: Offer): unknown[] {
  return [...categories]
    .sort((one, other) => one.priority - other.priority || byName(one, other))
    .map((category) => ({
      id: category.id,
      external_id: category.externalId,
      name: category.name,
      visible: true,
      products: products
        .filter((product) => product.categories.includes(category))
        .sort(byName)
        .map(expectedProduct),
    }));
}

function expectedProduct(product: OfferedProduct): unknown {
  return {
    id: product.id,
    external_id: product.externalId,
    sku: product.sku,
    name: product.name,
    price: json(product.cents),
    visible: product.visible,
    stock: expectedStock(product.stock),
    subselections: product.subselections.map((choice) => ({
      id: expect.any(String),
      external_id: choice.externalId,
      name: choice.name,
      min_selection: choice.min,
      max_selection: choice.max,
      single: choice.max === 1,
      items: choice.items.map(({ id, externalId, name, cents, min, max, stock }) => ({
        ...{ id, external_id: externalId, name, price: json(cents), min, max, visible: true },
        stock: expectedStock(stock),
      })),
    })),
  };
}

const expectedStock = (stock: OfferedStock | undefined) => ({
  enabled: stock?.enabled ?? false,
  quantity: json(stock?.milli ?? 0n, 3),
});

const byName = (one: { name: string }, other: { name: string }) => (one.name < other.name ? -1 : 1);
