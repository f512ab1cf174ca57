import { expect } from 'vitest';
import { json } from '../../support/money.ts';
import { adoptIds, type CatalogTree, expectedCategories } from './catalog.ts';
import { type Offer, type OfferedProduct, wholeSync } from './offer.ts';
import { dataIn } from './restaurant.ts';
import type { Service } from './service.ts';

/** Sends the whole offer to an empty location, and takes over the ids. */
export async function sendOffer(service: Service): Promise<void> {
  const { restaurant, offer, tally } = service;
  const nodes = countNodes(offer);
  const answer = await restaurant.call(0, 'POST /v2/catalog/sync', { body: wholeSync(offer) });
  const counts = { total_items: nodes, created: nodes, updated: 0, deleted: 0, unchanged: 0 };
  expect(dataIn(answer)).toEqual({ version: expect.any(String), ...counts });
  adoptIds(offer, dataIn<CatalogTree>(await restaurant.call(1, 'GET /v2/catalog')));
  tally.stockEvents += offer.products.filter(({ stock }) => stock !== undefined).length;
  await requireCatalog(service);
}

/** Changes prices, some names, and two categories, by a sync that names nothing else; returns the products changed. */
export async function changeOffer({ restaurant, offer }: Service): Promise<OfferedProduct[]> {
  const changed = offer.products.filter(
    (product, index) => index % 16 === 3 && product.categories.length > 0,
  );
  for (const [index, product] of changed.entries()) {
    product.cents += 7n;
    if (index % 4 === 0) product.name = `New ${product.name}`;
  }
  const categories = [...new Set(changed.flatMap(({ categories: [first] }) => first ?? []))];
  const renamed = categories.slice(0, 2);
  for (const category of renamed) category.name = `New ${category.name}`;
  // Named, and equal to what is there.
  const [same] = offer.products;
  const named = (same && !changed.includes(same) ? [same, ...changed] : changed).filter(
    ({ categories: [first] }) => first && categories.includes(first),
  );
  const body = {
    categories: categories.map((category) => ({
      external_id: category.externalId,
      name: category.name,
      products: named
        .filter(({ categories: [first] }) => first === category)
        .map(({ externalId, name, cents }) => ({ external_id: externalId, name, price: json(cents) })),
    })),
  };
  const total = categories.length + named.length;
  const updated = renamed.length + changed.length;
  const answer = await restaurant.call(1, 'POST /v2/catalog/sync', { body });
  const counts = { total_items: total, created: 0, updated, deleted: 0, unchanged: total - updated };
  expect(dataIn(answer)).toEqual({ version: expect.any(String), ...counts });
  return changed;
}

/** Adds a product that is in no category, by hand. */
export async function addOffMenu({ restaurant, offer }: Service): Promise<void> {
  const product: OfferedProduct = {
    ...{ id: '', externalId: 'off-menu', sku: 'OFF', name: 'Off menu', cents: 3_33n, visible: true },
    ...{ categories: [], subselections: [] },
  };
  const { externalId, sku, name, cents } = product;
  const body = { external_id: externalId, sku, name, description: '', price: json(cents) };
  const answer = await restaurant.call(0, 'POST /v2/products', { body });
  product.id = dataIn<{ id: string }>(answer, 201).id;
  offer.products.push(product);
}

/** Takes a product off: what was sold of it stays in the books. */
export async function removeProduct({ restaurant, offer }: Service, product: OfferedProduct): Promise<void> {
  const answer = await restaurant.call(1, `DELETE /v2/products/${product.id}`);
  expect(dataIn(answer)).toEqual({ id: product.id, deleted: true });
  offer.products.splice(offer.products.indexOf(product), 1);
  product.categories = [];
  delete product.stock;
}

/** The catalog shows what is offered, stock of products and of options included. */
export async function requireCatalog({ restaurant, offer }: Service): Promise<void> {
  const { location_id, categories } = dataIn<CatalogTree>(await restaurant.call(0, 'GET /v2/catalog'));
  expect(location_id).toBe(restaurant.locationId);
  expect(categories).toEqual(expectedCategories(offer));
}

function countNodes({ categories, products }: Offer): number {
  const choices = products.flatMap(({ subselections }) => subselections);
  return categories.length + products.length + choices.length + choices.flatMap(({ items }) => items).length;
}
