import type { Grant } from '@comanda/client';
import { type Call, use, write } from './call.ts';
import {
  categoryOf,
  endpointOf,
  idOf,
  inLanes,
  orderOf,
  productOf,
  type Sent,
  type Stage,
  unused,
} from './stage.ts';

const makeBy = (next: (stage: Stage) => Sent) => (stage: Stage, count: number) =>
  inLanes(count, async () => idOf(await stage.send(next(stage))));
const orders = (stage: Stage, count: number) => stage.placeOrders(count);
const products = makeBy(() => ({ method: 'POST', path: '/v2/products', body: productOf('gone') }));
const categories = makeBy(() => ({
  method: 'POST',
  path: '/v2/categories',
  body: categoryOf(),
}));
const endpoints = (version: 'v1/webhooks' | 'v2/webhook-endpoints') =>
  makeBy(() => ({ method: 'POST', path: `/${version}`, body: endpointOf() }));
const payments = async (stage: Stage, count: number) => {
  const made = await stage.placeOrders(count);
  const { rows } = await stage.setup.comanda.pool.query<{ id: string }>(
    'select id from payments where location_id = $1 and order_id = any ($2::uuid[])',
    [stage.shop.locationId, made],
  );
  return rows.map(({ id }) => id);
};

const keys = ({ client }: Stage, count: number) =>
  inLanes(count, async () => idOf(await client.keys.create.mutate(keyOf())));
const keyOf = () => ({ name: unused('Key'), permissions: ['orders:read'] satisfies Grant[] });

const price = () => Math.ceil(Math.random() * 10_000) / 100;
const some = (stage: Stage) =>
  stage.shop.productIds[Math.floor(Math.random() * stage.shop.productIds.length)] ?? '';

/** The operations that integrations write with, and those of the desk. */
export const writes: readonly Call[] = [
  write('order', 'POST /v2/orders', ({ shop }) => orderOf(shop), {
    of: '3 items',
    byHand: (hand) => hand.order,
  }),
  write(
    'hot write',
    'POST /v2/orders/quote',
    ({ shop }) => ({ path: '/v2/orders/quote', body: orderOf(shop).body }),
    {
      of: '3 items',
    },
  ),
  use(
    'hot write',
    'PATCH /v2/orders/{id}/status',
    orders,
    (id) => ({ path: `/v2/orders/${id}/status`, body: { status: 'ready' } }),
    { byHand: (hand) => hand.status },
  ),
  use('hot write', 'POST /v2/orders/{id}/cancel', orders, (id) => ({
    path: `/v2/orders/${id}/cancel`,
    body: { reason: 'bench' },
  })),
  use('hot write', 'payments.complete', payments, (id) => ({
    path: '/trpc/payments.complete',
    body: { id },
  })),
  write(
    'hot write',
    'PATCH /v2/products/{id}',
    (stage) => ({ path: `/v2/products/${some(stage)}`, body: { price: price() } }),
    { of: 'price', byHand: (hand) => hand.price },
  ),
  write(
    'hot write',
    'PATCH /v2/products/{id}',
    (stage) => ({ path: `/v2/products/${some(stage)}`, body: { description: unused('Grilled') } }),
    { of: 'description' },
  ),
  write('hot write', 'POST /v2/products', () => ({ path: '/v2/products', body: productOf('new') }), {
    byHand: (hand) => hand.newProduct,
  }),
  use('hot write', 'DELETE /v2/products/{id}', products, (id) => ({ path: `/v2/products/${id}` })),
  write(
    'hot write',
    'POST /v2/stock/sync',
    (stage) => ({
      path: '/v2/stock/sync',
      body: {
        items: [{ product_id: some(stage), quantity: 900_000_000 + Math.floor(Math.random() * 1_000_000) }],
      },
    }),
    { of: '1 item' },
  ),
  write('seldom write', 'POST /v2/categories', () => ({ path: '/v2/categories', body: categoryOf() }), {
    byHand: (hand) => hand.newCategory,
  }),
  write('seldom write', 'PATCH /v2/categories/{id}', ({ ids }) => ({
    path: `/v2/categories/${ids.category}`,
    body: categoryOf(),
  })),
  use('seldom write', 'DELETE /v2/categories/{id}', categories, (id) => ({ path: `/v2/categories/${id}` })),
  write(
    'batch',
    'POST /v2/catalog/sync',
    () => ({
      path: '/v2/catalog/sync',
      body: { categories: [{ external_id: 'c0', name: unused('Category') }] },
    }),
    { of: '1 category' },
  ),
  write(
    'batch',
    'POST /v2/sync/products',
    () => ({ path: '/v2/sync/products', body: { items: [{ ...productOf('sync'), price: price() }] } }),
    { of: '1 product, the job included' },
  ),
  write(
    'seldom write',
    'POST /v2/webhook-endpoints',
    () => ({ path: '/v2/webhook-endpoints', body: endpointOf() }),
    {
      most: 40,
    },
  ),
  write('seldom write', 'PATCH /v2/webhook-endpoints/{id}', ({ ids }) => ({
    path: `/v2/webhook-endpoints/${ids.endpoint}`,
    body: { status: 'active' },
  })),
  use(
    'seldom write',
    'DELETE /v2/webhook-endpoints/{id}',
    endpoints('v2/webhook-endpoints'),
    (id) => ({ path: `/v2/webhook-endpoints/${id}` }),
    { most: 40 },
  ),
  write('seldom write', 'POST /v2/webhook-endpoints/{id}/test', ({ ids }) => ({
    path: `/v2/webhook-endpoints/${ids.endpoint}/test`,
  })),
  use(
    'seldom write',
    'POST /v2/webhook-endpoints/{id}/rotate-secret',
    endpoints('v2/webhook-endpoints'),
    (id) => ({ path: `/v2/webhook-endpoints/${id}/rotate-secret` }),
    { most: 40 },
  ),
  write(
    'seldom write',
    'POST /v2/webhook-endpoints/{id}/replay',
    ({ ids }) => ({
      path: `/v2/webhook-endpoints/${ids.endpoint}/replay`,
      body: { since: '2001-01-01T00:00:00Z', until: '2001-01-02T00:00:00Z' },
    }),
    { of: 'of a time without events' },
  ),

  write('order', 'POST /v1/orders', ({ shop }) => ({ ...orderOf(shop), path: '/v1/orders' }), {
    of: '3 items',
  }),
  use('hot write', 'PATCH /v1/orders/{id}/status', orders, (id) => ({
    path: `/v1/orders/${id}/status`,
    body: { status: 'ready' },
  })),
  write(
    'hot write',
    'PATCH /v1/products/{id}',
    (stage) => ({ path: `/v1/products/${some(stage)}`, body: { price: price() } }),
    { of: 'price' },
  ),
  write('hot write', 'POST /v1/products', () => ({ path: '/v1/products', body: productOf('old') })),
  use('hot write', 'DELETE /v1/products/{id}', products, (id) => ({ path: `/v1/products/${id}` })),
  write('seldom write', 'POST /v1/categories', () => ({ path: '/v1/categories', body: categoryOf() })),
  write('seldom write', 'POST /v1/webhooks', () => ({ path: '/v1/webhooks', body: endpointOf() }), {
    most: 40,
  }),
  write('seldom write', 'PATCH /v1/webhooks/{id}', ({ ids }) => ({
    path: `/v1/webhooks/${ids.endpoint}`,
    body: { status: 'active' },
  })),
  use(
    'seldom write',
    'DELETE /v1/webhooks/{id}',
    endpoints('v1/webhooks'),
    (id) => ({ path: `/v1/webhooks/${id}` }),
    {
      most: 40,
    },
  ),
  write('seldom write', 'POST /v1/webhooks/{id}/test', ({ ids }) => ({
    path: `/v1/webhooks/${ids.endpoint}/test`,
  })),
  use('hot write', 'payments.reject', payments, (id) => ({ path: '/trpc/payments.reject', body: { id } })),
  write('seldom write', 'paymentMethods.create', () => ({
    path: '/trpc/paymentMethods.create',
    body: { name: unused('Method'), type: 'card' },
  })),
  write('seldom write', 'paymentMethods.update', ({ ids }) => ({
    path: '/trpc/paymentMethods.update',
    body: { id: ids.method, name: unused('Method') },
  })),
  write('seldom write', 'menus.create', ({ ids }) => ({
    path: '/trpc/menus.create',
    body: { name: unused('Menu'), category_ids: [ids.category] },
  })),
  write('seldom write', 'menus.update', ({ ids }) => ({
    path: '/trpc/menus.update',
    body: { id: ids.menu, name: unused('Menu') },
  })),
  write('seldom write', 'menus.publish', ({ ids }) => ({
    path: '/trpc/menus.publish',
    body: { id: ids.menu },
  })),
  write('seldom write', 'catalog.publish', () => ({ path: '/trpc/catalog.publish', body: {} })),
  write('seldom write', 'keys.create', () => ({ path: '/trpc/keys.create', body: keyOf() })),
  use('seldom write', 'keys.revoke', keys, (id) => ({ path: '/trpc/keys.revoke', body: { id } })),
  write('seldom write', 'locations.create', () => ({
    path: '/trpc/locations.create',
    body: { name: unused('Shop') },
  })),
  write('seldom write', 'locations.update', ({ shop }) => ({
    path: '/trpc/locations.update',
    body: { id: shop.locationId, name: unused('Shop') },
  })),
];
