import type { BenchCategory } from './kitchen.ts';
import { makeMenu } from './kitchen.ts';
import { fillReference, type ReferenceShop } from './reference/fill.ts';
import { makeTenant, runSql, type Setup, type Tenant } from './setup.ts';

/** The same shop on both sides. */
export interface Shop extends Tenant {
  /** Ids of Comanda's products, by external_id. */
  productIds: string[];
  reference: ReferenceShop;
  headers: Record<string, string>;
}

/** Makes a shop of `products` products: Comanda's through its API, the reference's by SQL. */
export async function makeShop(setup: Setup, apiUrl: string, products: number): Promise<Shop> {
  const menu = makeMenu(products);
  const tenant = await makeTenant(setup);
  const headers = { authorization: `Bearer ${tenant.key}`, 'content-type': 'application/json' };
  await loadMenu(apiUrl, headers, menu);
  const reference = await fillReference(setup.referenceUrl, menu);
  const rows = await runSql(
    setup.comandaUrl,
    'select id from products where location_id = $1 order by name, id',
    [tenant.locationId],
  );
  return { ...tenant, headers, reference, productIds: rows.map(({ id }) => String(id)) };
}

async function loadMenu(
  apiUrl: string,
  headers: Record<string, string>,
  menu: readonly BenchCategory[],
): Promise<void> {
  // As many categories at a time as stay well below the largest body.
  const perCall = Math.max(1, Math.floor(8_000 / (menu[0]?.products.length ?? 1)));
  for (let at = 0; at < menu.length; at += perCall) {
    const response = await fetch(`${apiUrl}/v2/catalog/sync`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ categories: menu.slice(at, at + perCall) }),
    });
    if (!response.ok) throw new Error(`catalog sync answered ${response.status}: ${await response.text()}`);
  }
}
