import type { Setup } from '../setup.ts';
import { runSql } from '../setup.ts';
import { inLanes, orderOf, productOf, type Sent, type Stage, unused } from './stage.ts';

/** The requests to the hand-written reference, paired with the same of Comanda. */
export type Hand = Record<
  | 'product'
  | 'products'
  | 'oneOrder'
  | 'orders'
  | 'payment'
  | 'payments'
  | 'stock'
  | 'category'
  | 'categories'
  | 'order'
  | 'status'
  | 'price'
  | 'newProduct'
  | 'newCategory',
  () => Sent
>;

/** Sends a request to the reference. Throws when it is no success. */
export async function askReference({ reference }: Stage, { method, path, body }: Sent): Promise<void> {
  const response = await fetch(reference.url + path, {
    method,
    ...(body !== undefined && {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }),
  });
  const text = await response.text();
  if (!response.ok || text === '{"data":null}') throw new Error(`the reference answered ${text} to ${path}`);
}

/** Gives the reference's shop as many orders as Comanda's, and says how it is asked. */
export async function openHand(stage: Stage, orders: number): Promise<Hand> {
  const { location, productIds } = stage.shop.reference;
  const at = `/${location}`;
  const get = (path: string) => () => ({ method: 'GET', path: at + path }) as const;
  const order = (): Sent => ({
    ...orderOf({ ...stage.shop, productIds, paymentMethodId: location }),
    path: `${at}/orders`,
  });
  await inLanes(orders, () => askReference(stage, order()));
  const ids = await idsOf(stage.setup, location);
  const some = () => productIds[Math.floor(Math.random() * productIds.length)];
  const post = (path: string, body: () => unknown) => () =>
    ({ method: 'POST', path: at + path, body: body() }) as const;
  const patch = (path: () => string, body: () => unknown) => () =>
    ({ method: 'PATCH', path: at + path(), body: body() }) as const;
  return {
    product: get(`/products/${productIds[0]}`),
    products: get('/products?limit=50'),
    oneOrder: get(`/orders/${ids.orders}`),
    orders: get('/orders?limit=50'),
    payment: get(`/payments/${ids.payment}`),
    payments: get('/payments?limit=50'),
    stock: get('/stock?limit=50'),
    category: get(`/categories/${ids.category}`),
    categories: get('/categories?limit=50'),
    order,
    status: patch(
      () => `/orders/${ids.orders}`,
      () => ({ status: Math.random() < 0.5 ? 'ready' : 'pending' }),
    ),
    price: patch(
      () => `/products/${some()}`,
      () => ({ price: Math.ceil(Math.random() * 10_000) / 100 }),
    ),
    newProduct: post('/products', () => productOf('new')),
    newCategory: post('/categories', () => ({ name: unused('Category'), priority: 1 })),
  };
}

async function idsOf(setup: Setup, location: string): Promise<Record<string, string>> {
  const tables = ['orders', 'payment', 'category'] as const;
  const found = tables.map(async (table) => {
    const [row] = await runSql(
      setup.referenceUrl,
      `select id from ${table} where location_id = $1 order by id limit 1`,
      [location],
    );
    return [table, String(row?.id)] as const;
  });
  return Object.fromEntries(await Promise.all(found));
}
