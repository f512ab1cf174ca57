import { type Call, get, type Kind } from './call.ts';
import { endpointOf, inLanes, type Stage } from './stage.ts';

const day = (from: number) => new Date(Date.now() + from * 86_400_000).toISOString().slice(0, 10);
const order = ({ ids }: Stage) => ids.order;
const product = ({ shop }: Stage) => shop.productIds[0] ?? '';

const atBig = (kind: Kind, operation: string, path: string, of: string): Call => ({
  ...{ kind, operation, of },
  prepare:
    ({ big }) =>
    () => ({ method: 'GET', path, key: big.key }),
});

const fillEndpoints = ({ send }: Stage) =>
  inLanes(49, () => send({ method: 'POST', path: '/v2/webhook-endpoints', body: endpointOf() }));

/** The operations that integrations read with. */
export const reads: readonly Call[] = [
  get('list', 'GET /v2/products', () => '/v2/products?limit=50', {
    of: '50',
    byHand: (hand) => hand.products,
  }),
  get('search', 'GET /v2/products', () => '/v2/products?limit=50&search=sku-39', { of: 'search' }),
  atBig('search', 'GET /v2/products', '/v2/products?limit=50&search=sku-39', 'search in 10,000'),
  atBig('list', 'GET /v2/products', '/v2/products?limit=50', '50 of 10,000'),
  atBig('list', 'GET /v2/stock', '/v2/stock?limit=50', '50 of 10,000'),
  atBig('list', 'GET /v2/orders', '/v2/orders?limit=50', '50 of 10,000'),
  atBig('list', 'GET /v2/payments', '/v2/payments?limit=50', '50 of 10,000'),
  get('read', 'GET /v2/products/{id}', (stage) => `/v2/products/${product(stage)}`, {
    byHand: (hand) => hand.product,
  }),
  get('read', 'GET /v2/products/by-external-id/{external_id}', () => '/v2/products/by-external-id/p1'),
  get('list', 'GET /v2/orders', () => '/v2/orders?limit=50', { of: '50', byHand: (hand) => hand.orders }),
  get('list', 'GET /v2/orders', () => '/v2/orders?limit=50&status=pending&from=2020-01-01&to=2099-12-31', {
    of: 'status and dates',
  }),
  get('read', 'GET /v2/orders/{id}', (stage) => `/v2/orders/${order(stage)}`, {
    byHand: (hand) => hand.oneOrder,
  }),
  get('read', 'GET /v2/orders/by-external-id/{external_id}', () => '/v2/orders/by-external-id/named'),
  get('read', 'GET /v2/orders/{id}/timeline', (stage) => `/v2/orders/${order(stage)}/timeline`),
  get('whole', 'GET /v2/orders/export', () => `/v2/orders/export?from=${day(-1)}&to=${day(1)}`, {
    of: "all of the shop's",
    most: 40,
  }),
  get('list', 'GET /v2/categories', () => '/v2/categories?limit=50', {
    of: '50',
    byHand: (hand) => hand.categories,
  }),
  get('read', 'GET /v2/categories/{id}', ({ ids }) => `/v2/categories/${ids.category}`, {
    byHand: (hand) => hand.category,
  }),
  get('read', 'GET /v2/categories/by-external-id/{external_id}', () => '/v2/categories/by-external-id/c1'),
  get('list', 'GET /v2/stock', () => '/v2/stock?limit=50', { of: '50', byHand: (hand) => hand.stock }),
  get('whole', 'GET /v2/catalog', () => '/v2/catalog', { of: '400 products' }),
  get('read', 'GET /v2/menus/active', () => '/v2/menus/active'),
  get('list', 'GET /v2/payments', () => '/v2/payments?limit=50', {
    of: '50',
    byHand: (hand) => hand.payments,
  }),
  get('read', 'GET /v2/payments/{id}', ({ ids }) => `/v2/payments/${ids.payment}`, {
    byHand: (hand) => hand.payment,
  }),
  get('list', 'GET /v2/payment-methods', () => '/v2/payment-methods?limit=50'),
  get('list', 'GET /v2/settlements', () => '/v2/settlements?limit=50'),
  get('read', 'GET /v2/settlements/{id}', ({ ids }) => `/v2/settlements/${ids.settlement}`),
  get('list', 'GET /v2/turns', () => '/v2/turns?limit=50'),
  get('read', 'GET /v2/turns/current', () => '/v2/turns/current'),
  get('read', 'GET /v2/turns/{id}', ({ ids }) => `/v2/turns/${ids.turn}`),
  get('read', 'GET /v2/sales-reports', () => '/v2/sales-reports?from=2020-01-01&to=2020-12-31', {
    of: 'a year without sales',
  }),
  get('list', 'GET /v2/sync/jobs', () => '/v2/sync/jobs?limit=50', { of: '50' }),
  get('read', 'GET /v2/sync/jobs/{id}', ({ ids }) => `/v2/sync/jobs/${ids.job}`),
  get('list', 'GET /v2/webhook-endpoints', () => '/v2/webhook-endpoints?limit=50', {
    of: '50',
    before: fillEndpoints,
  }),
  get('read', 'GET /v2/webhook-endpoints/{id}', ({ ids }) => `/v2/webhook-endpoints/${ids.endpoint}`),
  get(
    'list',
    'GET /v2/webhook-endpoints/{id}/deliveries',
    ({ ids }) => `/v2/webhook-endpoints/${ids.endpoint}/deliveries?limit=50`,
    { of: '50' },
  ),
  get('list', 'GET /v2/events', () => '/v2/events?limit=50', { of: '50' }),
  get('read', 'GET /v2/locations/current', () => '/v2/locations/current'),
  get('read', 'GET /v2/limits', () => '/v2/limits'),

  get('list', 'GET /v1/orders', () => '/v1/orders?limit=50', { of: '50' }),
  get('read', 'GET /v1/orders/{id}', (stage) => `/v1/orders/${order(stage)}`),
  get('list', 'GET /v1/products', () => '/v1/products?limit=50', { of: '50' }),
  get('read', 'GET /v1/products/{id}', (stage) => `/v1/products/${product(stage)}`),
  get('read', 'GET /v1/products/{id}/stock', (stage) => `/v1/products/${product(stage)}/stock`),
  get('read', 'GET /v1/categories/{id}', ({ ids }) => `/v1/categories/${ids.category}`),
  get('list', 'GET /v1/payments', () => '/v1/payments?limit=50', { of: '50' }),
  get('list', 'GET /v1/webhooks', () => '/v1/webhooks?limit=50', { of: '50', before: fillEndpoints }),
  get('read', 'GET /v1/webhooks/{id}', ({ ids }) => `/v1/webhooks/${ids.endpoint}`),
  get(
    'list',
    'GET /v1/webhooks/{id}/deliveries',
    ({ ids }) => `/v1/webhooks/${ids.endpoint}/deliveries?limit=50`,
    {
      of: '50',
    },
  ),
];
