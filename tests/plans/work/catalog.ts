import { waitFor } from '../../support/wait.ts';
import type { Shop } from '../shop.ts';

/** Categories and products one by one, their lists, and what a menu makes of them. */
export async function workOnProducts({ call, client }: Shop, round: string): Promise<void> {
  const categories: string[] = [];
  for (const family of ['v1', 'v2']) {
    const body = { external_id: `category-${family}-${round}`, name: `Teas ${family}`, priority: 3, visible: true };
    const { id } = await call(`POST /${family}/categories`, body);
    await call(`GET /${family}/categories/${id}`);
    categories.push(id);
  }
  const [first = '', second = ''] = categories;
  await call(`GET /v2/categories/by-external-id/category-v1-${round}`);
  await call('GET /v2/categories');
  await call(`PATCH /v2/categories/${first}`, { name: 'Hot teas', priority: 4 });

  const made: string[] = [];
  for (const family of ['v1', 'v2']) {
    const { id } = await call(`POST /${family}/products`, {
      external_id: `tea-${family}-${round}`,
      sku: `tea-${family}-${round}`,
      name: 'Green tea',
      description: '',
      price: 4,
      category_ids: [first],
      stock: { enabled: true, quantity: 10, min_stock_alarm: 1 },
    });
    await call(`PATCH /${family}/products/${id}`, { price: 5 });
    await call(`PATCH /${family}/products/${id}`, {
      description: 'From Uji.',
      category_ids: [second],
      stock: { enabled: true, quantity: 12, min_stock_alarm: 1 },
    });
    await call(`GET /${family}/products/${id}`);
    await call(`GET /${family}/products`);
    await call(`GET /${family}/products?limit=3&offset=2`);
    await call(`GET /${family}/products?visible=true`);
    await call(`GET /${family}/products?category_id=${second}`);
    await call(`GET /${family}/products?search=green`);
    await call(`GET /${family}/products?sku=tea-${family}-${round}`);
    made.push(id);
  }
  await call(`GET /v2/products?external_id=tea-v1-${round}`);
  await call(`GET /v2/products/by-external-id/tea-v1-${round}`);
  await call(`GET /v1/products/${made[0]}/stock`);
  await call(`GET /v2/products/${made[1]}`);

  const menu = await client.menus.create.mutate({ name: `Menu ${round}`, category_ids: categories });
  await client.menus.update.mutate({ id: menu.id, name: 'Evening', category_ids: [second] });
  await client.menus.publish.mutate({ id: menu.id });
  await call('GET /v2/menus/active');

  await call(`DELETE /v1/products/${made[0]}`);
  await call(`DELETE /v2/products/${made[1]}`);
  for (const id of categories) await call(`DELETE /v2/categories/${id}`);
}

/** The batches: a part of the catalog, stock, and products as jobs; each creates, changes, and repeats. */
export async function workOnBatches({ call, client, service }: Shop, round: string, size: number): Promise<void> {
  for (const price of [6, 7, 7]) {
    const categories = catalogOf(round, size, price);
    await call('POST /v2/catalog/sync', { categories, dry_run: true });
    await call('POST /v2/catalog/sync', { categories });
  }
  await call('GET /v2/catalog');
  await call('GET /v2/catalog');
  await client.catalog.publish.mutate();

  for (const quantity of [500, 501, 501]) {
    const items = Array.from({ length: size }, (_, n) => ({ ...named(round, n), quantity }));
    await call('POST /v2/stock/sync', { items, dry_run: true });
    await call('POST /v2/stock/sync', { items });
  }
  await call('GET /v2/stock');
  await call(`GET /v2/stock?limit=5&updated_since=${today()}T00:00:00Z`);

  for (const price of [8, 9, 9]) {
    const items = productsOf(round, size, price);
    await call('POST /v2/sync/products', { items, dry_run: true }, keyOf(`dry-${price}`, round));
    const { job_id } = await call<{ job_id: string }>(
      'POST /v2/sync/products',
      { items },
      keyOf(`sync-${price}-${Math.random()}`, round),
    );
    await waitFor('the sync job', async () => {
      const { status } = await call<{ status: string }>(`GET /v2/sync/jobs/${job_id}`);
      return status === 'completed';
    });
  }
  await call('GET /v2/sync/jobs');
  await service.settled();
}

/** What keeps a repeated request from being done twice. */
export const keyOf = (what: string, round: string) => ({ 'idempotency-key': `${what} ${round}` });

export const today = (): string => new Date().toISOString().slice(0, 10);

function catalogOf(round: string, size: number, price: number) {
  const products = Array.from({ length: size }, (_, n) => ({
    external_id: `snack-${round}-${n}`,
    sku: `snack-${round}-${n}`,
    name: `Snack ${n}`,
    price,
    stock: { enabled: true, quantity: 1_000 },
    subselections: [
      {
        external_id: 'size',
        name: 'Size',
        min_selection: 0,
        max_selection: 2,
        items: [
          { external_id: 'small', name: 'Small', price: 0, stock: { enabled: true, quantity: price * 100 } },
          { external_id: 'large', name: 'Large', price: price / 2 },
        ],
      },
    ],
  }));
  const half = Math.ceil(size / 2);
  return [
    { external_id: `snacks-${round}`, name: `Snacks ${price}`, products: products.slice(0, half) },
    { external_id: `more-${round}`, name: 'More', products: products.slice(half) },
  ];
}

function productsOf(round: string, size: number, price: number) {
  return Array.from({ length: size }, (_, n) => ({
    external_id: `cake-${round}-${n}`,
    sku: `cake-${round}-${n}`,
    name: `Cake ${n}`,
    price,
    category_external_ids: [price === 8 ? `snacks-${round}` : `more-${round}`],
    stock: { enabled: true, quantity: price * 10, min_stock_alarm: 2 },
  }));
}

function named(round: string, n: number) {
  return n % 2 === 0 ? { external_id: `snack-${round}-${n}` } : { sku: `snack-${round}-${n}` };
}
