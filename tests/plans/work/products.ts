import type { Shop } from '../shop.ts';
import { keyOf, type Round } from './round.ts';

/** Categories, products and menus one by one, and the lists of them. */
export async function workOnProducts({ call, client }: Shop, round: Round): Promise<void> {
  for (const family of round.families) {
    const name = `tea-${family}-${round.name}`;
    const category = await call(`POST /${family}/categories`, {
      external_id: name,
      name: 'Teas',
      priority: 3,
      visible: true,
    });
    await call(`GET /${family}/categories/${category.id}`);
    await call(`GET /v2/categories/by-external-id/${name}`);
    await call('GET /v2/categories?limit=10');
    await call(`PATCH /v2/categories/${category.id}`, { name: 'Hot teas', priority: 4 });

    const product = await call(`POST /${family}/products`, {
      external_id: name,
      sku: name,
      name: 'Green tea',
      description: '',
      price: 4,
      category_ids: [category.id],
      stock: { enabled: true, quantity: 10, min_stock_alarm: 1 },
    });
    await call(`PATCH /${family}/products/${product.id}`, { price: 5 });
    await call(`PATCH /${family}/products/${product.id}`, {
      description: 'From Uji.',
      category_ids: [],
      stock: { enabled: true, quantity: 12, min_stock_alarm: 1 },
    });
    const adjust = { adjust: -1, expected: 12 };
    await call(`POST /v2/products/${product.id}/stock/adjust`, adjust, keyOf(`adjust ${family}`, round.name));
    await call(`PATCH /${family}/products/${product.id}`, { category_ids: [category.id] });
    await call(`GET /${family}/products/${product.id}`);
    await call(`GET /v2/products/by-external-id/${name}`);
    await call(`GET /v1/products/${product.id}/stock`);
    for (const query of listsOf(name, category.id)) await call(`GET /${family}/products?${query}`);
    await call(`GET /v2/products?external_id=${name}`);

    const { id: choice, items } = await client.subselections.create.mutate({
      product_id: String(product.id),
      name: 'Milk',
      min_selection: 0,
      max_selection: 1,
      items: [{ name: 'Oat', price: 1 }],
    });
    const { etag } = await client.subselections.update.mutate({ id: choice, name: 'Milks' });
    await client.subselections.update.mutate({ id: choice, position: 0, expected: etag });
    const [oat] = items;
    await client.subselectionItems.update.mutate({ id: oat?.id ?? '', price: 2, expected: oat?.etag });
    const soy = { subselection_id: choice, name: 'Soy', price: 1, position: 0 };
    const { id: item } = await client.subselectionItems.create.mutate(soy);
    await client.subselectionItems.delete.mutate({ id: item });
    await client.subselections.list.query({ product_id: String(product.id) });
    await client.subselections.list.query({ satisfiable: false });
    await client.subselections.delete.mutate({ id: choice });

    const { seen } = await client.categories.changePrices.mutate({
      id: category.id,
      percent: 10,
      dry_run: true,
    });
    await client.categories.changePrices.mutate({ id: category.id, percent: 10, seen });

    const menu = await client.menus.create.mutate({
      name: `Menu ${round.name}`,
      category_ids: [category.id],
    });
    await client.menus.update.mutate({ id: menu.id, name: 'Evening' });
    await client.menus.publish.mutate({ id: menu.id });
    await call('GET /v2/menus/active');

    await call(`DELETE /${family}/products/${product.id}`);
    await call(`DELETE /v2/categories/${category.id}`);
  }
}

const listsOf = (sku: string, categoryId: string): string[] => [
  'limit=10',
  'limit=10&offset=2',
  'limit=10&visible=true',
  `limit=10&category_id=${categoryId}`,
  'limit=10&search=green',
  `sku=${sku}`,
];
