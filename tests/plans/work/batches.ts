import { waitFor } from '../../support/wait.ts';
import type { Shop } from '../shop.ts';
import { keyOf, type Round, today } from './round.ts';

/** Batches: a part of the catalog, stock, and products as jobs. Each creates, changes, and repeats what is there. */
export async function workOnBatches({ call, client }: Shop, round: Round): Promise<void> {
  for (const price of [6, 7, 7]) {
    const categories = catalogOf(round, price);
    await call('POST /v2/catalog/sync', { categories, dry_run: true });
    await call('POST /v2/catalog/sync', { categories });
  }
  await client.catalog.publish.mutate();

  for (const quantity of [500, 501, 501]) {
    const items = namesOf(round).map((named) => ({ ...named, quantity }));
    await call('POST /v2/stock/sync', { items, dry_run: true });
    await call('POST /v2/stock/sync', { items });
  }
  await call('GET /v2/stock?limit=10');
  await call(`GET /v2/stock?limit=10&updated_since=${today()}T00:00:00Z`);

  for (const [n, price] of [8, 9, 9].entries()) {
    const items = cakesOf(round, price);
    await call('POST /v2/sync/products', { items, dry_run: true }, keyOf(`dry ${n}`, round.name));
    const key = keyOf(`sync ${n}`, round.name);
    const { job_id } = await call<{ job_id: string }>('POST /v2/sync/products', { items }, key);
    await waitFor('the sync job', async () => {
      const job = await call<{ status: string }>(`GET /v2/sync/jobs/${job_id}`);
      return job.status === 'completed';
    });
  }
  const unknown = [{ external_id: `none-${round.name}`, name: 'None', price: 1 }];
  const key = keyOf('sync none', round.name);
  const none = await call<{ job_id: string }>(
    'POST /v2/sync/products',
    { mode: 'update', items: unknown },
    key,
  );
  await waitFor('the sync job fails', async () => {
    const job = await call<{ status: string }>(`GET /v2/sync/jobs/${none.job_id}`);
    return job.status === 'failed';
  });
  await client.syncJobs.retry.mutate({ id: none.job_id });
  await call('GET /v2/sync/jobs?limit=10');
  await call('GET /v2/catalog');
  await call('GET /v2/catalog');
}

/** Removes all that an earlier round brought: a catalog of one product replaces it. */
export async function replaceCatalog({ call }: Shop, { name }: Pick<Round, 'name'>): Promise<void> {
  const products = [{ external_id: `only-${name}`, name: 'Only', price: 1 }];
  const categories = [{ external_id: `only-${name}`, name: 'Only', products }];
  await call('POST /v2/catalog/sync', { mode: 'replace', categories });
}

function catalogOf({ name, size }: Round, price: number) {
  const products = Array.from({ length: size }, (_, n) => ({
    external_id: `snack-${name}-${n}`,
    sku: `snack-${name}-${n}`,
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
          { external_id: 'small', name: 'Small', price: 0, stock: { enabled: true, quantity: 1_000 } },
          { external_id: 'large', name: 'Large', price: price / 2 },
        ],
      },
    ],
  }));
  const half = Math.ceil(size / 2);
  return [
    { external_id: `snacks-${name}`, name: `Snacks for ${price}`, products: products.slice(0, half) },
    { external_id: `more-${name}`, name: 'More snacks', products: products.slice(half) },
  ];
}

function cakesOf({ name, size }: Round, price: number) {
  return Array.from({ length: size }, (_, n) => ({
    external_id: `cake-${name}-${n}`,
    sku: `cake-${name}-${n}`,
    name: `Cake ${n}`,
    price,
    category_external_ids: [price === 8 ? `snacks-${name}` : `more-${name}`],
    stock: { enabled: true, quantity: price * 100, min_stock_alarm: 2 },
  }));
}

function namesOf({ name, size }: Round): object[] {
  return Array.from({ length: size }, (_, n) =>
    n % 2 === 0 ? { external_id: `snack-${name}-${n}` } : { sku: `snack-${name}-${n}` },
  );
}
