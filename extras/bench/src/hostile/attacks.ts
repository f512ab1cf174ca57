import type { Place } from '../calls.ts';

/** A request that a caller sends as often as its key lets it. */
export interface Attack {
  /** Its name in the row of the table, after "with". */
  name: string;
  method: 'GET' | 'POST';
  path: string;
  headers?: Record<string, string>;
  /**
   * The body at a location; `small` on tiny data. Each `@@@@` in it is another four digits in each request, so that none is
   * answered as the one before.
   */
  body?(location: Target, small: boolean): string;
  /** Connections on which it is sent: 4 unless said. */
  lanes?: number;
}

/** The location that a caller attacks from; the category has every product. */
export interface Target extends Place {
  categoryId: string;
}

const stockSync = { method: 'POST', path: '/v2/stock/sync' } as const;
const catalogSync = { method: 'POST', path: '/v2/catalog/sync' } as const;
const strict = { Prefer: 'handling=strict' };

/** The dearest requests: those that are refused first, then valid ones that are as large as the limits allow, or whose answers are. */
export const attacks: readonly Attack[] = [
  {
    name: 'stock syncs of empty items, 8 MiB',
    ...stockSync,
    body: (_, small) => `{"items":${list(room(8, small), '{}')}}`,
  },
  {
    name: 'stock syncs of names that are unknown, strict, 8 MiB',
    ...stockSync,
    headers: strict,
    body: (_, small) => `{${unknownNames(room(8, small))},"items":[{"external_id":"p1","quantity":1}]}`,
  },
  {
    name: 'quotes of selections that are numbers, 1 MiB',
    method: 'POST',
    path: '/v2/orders/quote',
    body: ({ productIds, paymentMethodId }, small) =>
      `{"external_id":"x","is_take_away":false,"identifier":"","payment_method_id":"${paymentMethodId}","items":[{"product_id":"${productIds[0]}","quantity":1,"subselections":${list(room(1, small), '1')}}]}`,
  },
  {
    name: 'dry runs of catalog syncs of 499 large products',
    ...catalogSync,
    // The category counts as an item, too.
    body: (_, small) => catalog(products(perBatch(small) - 1, small), true),
  },
  {
    name: 'catalog syncs of 499 large products',
    ...catalogSync,
    body: (_, small) => catalog(products(perBatch(small) - 1, small), false),
  },
  {
    name: 'dry runs of catalog syncs of 120,000 options',
    ...catalogSync,
    body: (_, small) => catalog(productsOfOptions(small), true),
  },
  {
    name: 'products jobs of 500 large products',
    method: 'POST',
    path: '/v2/sync/products',
    body: (_, small) => json({ items: products(perBatch(small), small) }),
  },
  {
    name: 'orders of 200 lines',
    method: 'POST',
    path: '/v2/orders',
    body: (location, small) => order(location, small ? 20 : 200, 0),
  },
  {
    name: 'quotes of 200 lines of 60 selections',
    method: 'POST',
    path: '/v2/orders/quote',
    body: (location, small) => order(location, small ? 20 : 200, small ? 10 : 60),
  },
  {
    name: 'ten lists of 200 products in one call of tRPC',
    method: 'POST',
    path: `/trpc/${'products.list,'.repeat(9)}products.list?batch=1`,
    body: () => JSON.stringify({ ...items(10, (at) => ({ limit: 200, offset: at * 200 })) }),
  },
  {
    name: 'ten dry runs of price changes of 10,000 products at once',
    method: 'POST',
    path: '/trpc/categories.changePrices',
    lanes: 10,
    body: ({ categoryId }) => json({ id: categoryId, percent: 1, dry_run: true }),
  },
  { name: 'the catalog of 10,000 products', method: 'GET', path: '/v2/catalog' },
  {
    name: 'searches of 10,000 products',
    method: 'GET',
    path: '/v2/products?limit=200&offset=9000&search=product',
  },
  {
    name: 'reports over 10,000 orders',
    method: 'GET',
    path: `/v2/sales-reports?from=${day(30)}&to=${day(0)}&group_by=product`,
  },
];

/** A price that differs from request to request. */
const price = '1@@@@';

/** JSON in which prices are numbers. */
function json(value: unknown): string {
  return JSON.stringify(value).replaceAll(`"${price}"`, price);
}

function items<Item>(count: number, item: (at: number) => Item): Item[] {
  return Array.from({ length: count }, (_, at) => item(at));
}

/** The default `max_items_per_batch`. */
function perBatch(small: boolean): number {
  return small ? 20 : 500;
}

/** Bytes of the part that fills a body of so many MiB; 64 KiB on tiny data. */
function room(mebibytes: number, small: boolean): number {
  return small ? 64 * 1024 : mebibytes * 1024 ** 2 - 1_024;
}

/** A list of the same item up to so many bytes. */
function list(bytes: number, item: string): string {
  const text = `${item},`;
  return `[${text.repeat(Math.floor(bytes / text.length)).slice(0, -1)}]`;
}

function unknownNames(bytes: number): string {
  const names: string[] = [];
  for (let at = 0, size = 0; size < bytes - 1_024; at += 1) {
    const name = `"n${at}":0`;
    size += name.length + 1;
    names.push(name);
  }
  return names.join(',');
}

function products(count: number, small: boolean): unknown[] {
  return items(count, (at) => ({
    external_id: `p${at}`,
    name: `Product ${at}`,
    description: 'd'.repeat(small ? 10 : 10_000),
    image_url: `https://images.example.com/${'i'.repeat(small ? 10 : 1_900)}`,
    price,
  }));
}

function productsOfOptions(small: boolean): unknown[] {
  return items(small ? 1 : 24, (product) => ({
    external_id: `h${product}`,
    name: 'Hostile',
    price,
    subselections: items(50, (at) => ({
      external_id: `s${at}`,
      name: 's',
      min_selection: 0,
      max_selection: 1,
      items: items(small ? 1 : 100, (option) => ({ external_id: `i${option}`, name: 'i', price: 1 })),
    })),
  }));
}

function catalog(of: unknown[], dry_run: boolean): string {
  return json({ dry_run, categories: [{ external_id: 'hostile', name: 'Hostile', products: of }] });
}

function order({ productIds, paymentMethodId }: Target, lines: number, selections: number): string {
  const chosen = items(selections, (at) => ({ item_id: productIds[at % productIds.length], quantity: 1 }));
  return json({
    external_id: 'hostile-@@@@',
    is_take_away: false,
    identifier: '',
    payment_method_id: paymentMethodId,
    items: items(lines, (at) => ({
      product_id: productIds[at % productIds.length],
      quantity: 1,
      ...(selections > 0 ? { subselections: chosen } : { comment: 'c'.repeat(1_000) }),
    })),
  });
}

/** The date so many days ago. */
function day(ago: number): string {
  return new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10);
}
