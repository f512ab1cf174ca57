import { fillWithOthers } from '../company.ts';
import { alternate, type Side } from '../load.ts';
import { ratioRow } from '../result.ts';
import { makeShop } from '../shop.ts';
import type { Part } from './part.ts';

/** `GET /v2/products/{id}` and a page of fifty with exact total, of 10,000 products. */
export const products: Part = {
  name: 'products',
  summary: 'read a product; read a page of 50 of 10,000 with exact total',
  async run({ setup, effort, small, log }) {
    const api = await setup.startApi();
    const reference = await setup.startReference();
    await fillWithOthers(setup, small);
    const shop = await makeShop(setup, api.url, small ? 100 : 10_000);
    // Recently loaded rows are vacuumed, as autovacuum would; no statistics of them.
    await setup.comanda.pool.query('vacuum');
    const sides = (comanda: string[], other: string[]): [Side, Side] => [
      {
        name: 'comanda',
        url: api.url,
        pid: api.pid,
        requests: comanda.map((path) => get(path, shop.headers)),
      },
      { name: 'reference', url: reference.url, pid: reference.pid, requests: other.map((path) => get(path)) },
    ];
    const { location, productIds } = shop.reference;
    // A spread of products, not one that stays in every cache.
    const some = (ids: readonly string[]) =>
      ids.filter((_, index) => index % Math.ceil(ids.length / 500) === 0);
    log('GET /v2/products/{id}');
    const one = await alternate(
      sides(
        some(shop.productIds).map((id) => `/v2/products/${id}`),
        some(productIds).map((id) => `/${location}/products/${id}`),
      ),
      effort,
      setup.postmaster,
    );
    log('GET /v2/products?limit=50');
    const page = await alternate(
      sides(['/v2/products?limit=50'], [`/${location}/products?limit=50`]),
      effort,
      setup.postmaster,
    );
    await Promise.all([api.stop(), reference.stop()]);
    return [
      { ...ratioRow('products', 'GET /v2/products/{id}', 1.3, one), why: 'products.md' },
      {
        ...ratioRow('products', 'GET /v2/products?limit=50, exact total, 10,000 products', 2, page),
        why: 'products.md',
      },
    ];
  },
};

const get = (path: string, headers?: Record<string, string>) => ({
  method: 'GET' as const,
  path,
  ...(headers && { headers: { authorization: headers.authorization ?? '' } }),
});
