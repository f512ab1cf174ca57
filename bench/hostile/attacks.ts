import { type Attack, items, manyItems, room } from './attack.ts';
import type { Target } from './target.ts';

/** The default `max_items_per_batch`. */
const perBatch = (small: boolean) => (small ? 20 : 500);

/** A price that differs from request to request. */
const price = '1@@@@';

const products = (count: number, small: boolean) =>
  items(count, (at) => ({
    external_id: `p${at}`,
    name: `Product ${at}`,
    description: 'd'.repeat(small ? 10 : 10_000),
    image_url: `https://images.example.com/${'i'.repeat(small ? 10 : 1_900)}`,
    price,
  }));

/** JSON in which prices are numbers. */
const json = (value: unknown): string => JSON.stringify(value).replaceAll(`"${price}"`, price);

// The category counts as an item, too.
const catalog = (small: boolean, more: object = {}): string =>
  json({
    ...more,
    categories: [{ external_id: 'hostile', name: 'Hostile', products: products(perBatch(small) - 1, small) }],
  });

const options = (small: boolean): string =>
  json({
    dry_run: true,
    categories: [
      {
        external_id: 'hostile',
        name: 'Hostile',
        products: items(small ? 1 : 24, (product) => ({
          ...{ external_id: `h${product}`, name: 'Hostile', price },
          subselections: items(50, (at) => ({
            ...{ external_id: `s${at}`, name: 's', min_selection: 0, max_selection: 1 },
            items: items(small ? 1 : 100, (option) => ({ external_id: `i${option}`, name: 'i', price: 1 })),
          })),
        })),
      },
    ],
  });

const stock = (small: boolean, more: object = {}): string =>
  json({ ...more, items: items(perBatch(small), (at) => ({ external_id: `p${at}`, quantity: price })) });

const order = ({ productIds, paymentMethodId }: Target, small: boolean, more: object = {}): string =>
  json({
    external_id: 'hostile-@@@@',
    is_take_away: false,
    identifier: '',
    payment_method_id: paymentMethodId,
    items: items(small ? 20 : 200, (at) => ({
      product_id: productIds[at % productIds.length],
      quantity: 1,
      comment: 'c'.repeat(1_000),
      ...more,
    })),
  });

const strict = { Prefer: 'handling=strict' };

/** Requests that are refused, and cost much until then. */
const refused: readonly Attack[] = [
  {
    name: 'stock syncs of empty items, 8 MiB',
    ...{ method: 'POST', path: '/v2/stock/sync' },
    body: (_, small) => `{"items":${manyItems(room('batch', small), '{}')}}`,
  },
  {
    name: 'stock syncs of one product over and over, 8 MiB',
    ...{ method: 'POST', path: '/v2/stock/sync' },
    body: (_, small) => `{"items":${manyItems(room('batch', small), '{"external_id":"p1","quantity":1}')}}`,
  },
  {
    name: 'stock syncs of names that are unknown, strict, 8 MiB',
    ...{ method: 'POST', path: '/v2/stock/sync', headers: strict },
    body: (_, small) => `{${unknownNames(room('batch', small))},"items":[{"external_id":"p1","quantity":1}]}`,
  },
  {
    name: 'products of names that are unknown, strict, 1 MiB',
    ...{ method: 'POST', path: '/v2/products', headers: strict },
    body: (_, small) => `{${unknownNames(room('ordinary', small))},"name":"x","description":"","price":1}`,
  },
  {
    name: 'quotes of selections that are numbers, 1 MiB',
    ...{ method: 'POST', path: '/v2/orders/quote' },
    body: ({ productIds, paymentMethodId }, small) =>
      `{"external_id":"x","is_take_away":false,"identifier":"","payment_method_id":"${paymentMethodId}","items":[{"product_id":"${productIds[0]}","quantity":1,"subselections":${manyItems(room('ordinary', small), '1')}}]}`,
  },
  {
    name: 'ten calls of tRPC in 8 MiB of one text',
    ...{
      method: 'POST',
      path: `/trpc/${Array.from({ length: 10 }, () => 'products.get').join(',')}?batch=1`,
    },
    body: (_, small) => `{"0":{"id":"${'\\u0000'.repeat(room('batch', small) / 6)}"}}`,
  },
];

/** Valid requests that are as large as the limits allow, or whose answers are. */
const served: readonly Attack[] = [
  {
    name: 'dry runs of catalog syncs of 499 large products',
    ...{ method: 'POST', path: '/v2/catalog/sync' },
    body: (_, small) => catalog(small, { dry_run: true }),
  },
  {
    name: 'dry runs that would replace a catalog of 10,000 products',
    ...{ method: 'POST', path: '/v2/catalog/sync' },
    body: () =>
      '{"mode":"replace","dry_run":true,"categories":[{"external_id":"hostile","name":"Hostile@@@@"}]}',
  },
  {
    name: 'catalog syncs of 499 large products',
    ...{ method: 'POST', path: '/v2/catalog/sync' },
    body: (_, small) => catalog(small),
  },
  {
    name: 'products jobs of 500 large products',
    ...{ method: 'POST', path: '/v2/sync/products' },
    body: (_, small) => json({ items: products(perBatch(small), small) }),
  },
  {
    name: 'dry runs of stock syncs of 500',
    ...{ method: 'POST', path: '/v2/stock/sync' },
    body: (_, small) => stock(small, { dry_run: true }),
  },
  {
    name: 'dry runs of catalog syncs of 120,000 options',
    ...{ method: 'POST', path: '/v2/catalog/sync' },
    body: (_, small) => options(small),
  },
  {
    name: 'orders of 200 lines',
    ...{ method: 'POST', path: '/v2/orders' },
    body: (location, small) => order(location, small),
  },
  {
    name: 'quotes of 200 lines',
    ...{ method: 'POST', path: '/v2/orders/quote' },
    body: (location, small) => order(location, small),
  },
  {
    name: 'quotes of 200 lines of 60 selections',
    ...{ method: 'POST', path: '/v2/orders/quote' },
    body: (location, small) =>
      order(location, small, { comment: '', subselections: selections(location, small ? 10 : 60) }),
  },
  {
    name: 'ten lists of 200 products in one call of tRPC',
    ...{ method: 'POST', path: `/trpc/${'products.list,'.repeat(9)}products.list?batch=1` },
    body: () => JSON.stringify({ ...items(10, (at) => ({ limit: 200, offset: at * 200 })) }),
  },
  {
    name: 'ten dry runs of price changes of 10,000 products at once',
    ...{ method: 'POST', path: '/trpc/categories.changePrices', lanes: 10, isCompared: true },
    body: ({ categoryId }) => json({ id: categoryId, percent: 1, dry_run: true }),
  },
  {
    name: 'ten dry runs of copies of a menu of 9,000 products at once',
    ...{ method: 'POST', path: '/trpc/menus.copy', lanes: 10, isOfEmpty: true, isCompared: true },
    body: ({ sourceKey }) => json({ from_key: sourceKey, dry_run: true }),
  },
  { name: 'the catalog of 10,000 products', method: 'GET', path: '/v2/catalog' },
  {
    name: 'searches of 10,000 products',
    ...{ method: 'GET', path: '/v2/products?limit=200&offset=9000&search=product' },
  },
  {
    name: 'reports over 10,000 orders',
    ...{ method: 'GET', path: `/v2/sales-reports?from=${day(30)}&to=${day(0)}&group_by=product` },
  },
];

/** Every attack: refused ones first. */
export const attacks: readonly Attack[] = [...refused, ...served];

function selections({ productIds }: Target, count: number): unknown[] {
  return items(count, (at) => ({ item_id: productIds[at % productIds.length], quantity: 1 }));
}

/** The date so many days ago. */
function day(ago: number): string {
  return new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10);
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
