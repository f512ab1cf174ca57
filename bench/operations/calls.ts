import { idOf, inLanes, orderOf, productOf, type Sent, type Stage, unused } from './stage.ts';

/** What an operation is held against. */
export type Kind =
  /** changes one resource that many change: at most what an order of three items costs */
  | 'hot write'
  /** a list of 50: at most 1.5 times the list of products */
  | 'list'
  /** written through Prisma: at most 1.5 ms of Node */
  | 'prisma';

/** An operation, and how it is called over and over. */
export interface Call {
  /** The documented method and path; `payments.complete` for a procedure. */
  operation: string;
  /** What tells it from another call of the same operation. */
  of?: string;
  kind?: Kind;
  /** Makes what `count` calls use up, and gives the calls. */
  prepare(stage: Stage, count: number): Promise<(at: number) => Sent> | ((at: number) => Sent);
  /** So many calls at most: it makes or uses up something. A location has 50 endpoints. */
  most?: number;
}

const get = (operation: string, path: (stage: Stage) => string, more: Partial<Call> = {}): Call => ({
  operation,
  prepare: (stage) => {
    const sent: Sent = { method: 'GET', path: path(stage) };
    return () => sent;
  },
  ...more,
});

const write = (
  operation: string,
  next: (stage: Stage) => Omit<Sent, 'method'>,
  more: Partial<Call> = {},
): Call => ({
  operation,
  prepare: (stage) => () => ({ method: methodOf(operation), ...next(stage) }),
  ...more,
});

/** A write that uses up one of what `make` makes. */
const use = (
  operation: string,
  make: (stage: Stage, count: number) => Promise<string[]>,
  next: (id: string) => Omit<Sent, 'method'>,
  more: Partial<Call> = {},
): Call => ({
  operation,
  most: 300,
  async prepare(stage, count) {
    const ids = await make(stage, count);
    return (at) => ({ method: methodOf(operation), ...next(ids[at] ?? '') });
  },
  ...more,
});

const methodOf = (operation: string) =>
  (/^(GET|POST|PATCH|DELETE) /.exec(operation)?.[1] ?? 'POST') as Sent['method'];

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
  const { rows } = await stage.place.comanda.pool.query<{ id: string }>(
    'select id from payments where location_id = $1 and order_id = any ($2::uuid[])',
    [stage.shop.locationId, made],
  );
  return rows.map(({ id }) => id);
};

// Disabled and on an address of this machine: nothing is ever sent to it.
const endpointOf = () => ({ url: `http://127.0.0.1:9/${unused('hook')}`, events: ['settlement.created'] });
const categoryOf = () => ({ name: unused('Category'), priority: 1, visible: true });
const price = () => Math.ceil(Math.random() * 10_000) / 100;
const some = (stage: Stage) =>
  stage.shop.productIds[Math.floor(Math.random() * stage.shop.productIds.length)] ?? '';
const day = (from: number) => new Date(Date.now() + from * 86_400_000).toISOString().slice(0, 10);
const order = ({ ids }: Stage) => ids.order;
const product = ({ shop }: Stage) => shop.productIds[0] ?? '';

/** Every documented operation, and the procedures that are hot. `operations` holds that none is missing. */
export const calls: readonly Call[] = [
  write('POST /v2/orders', ({ shop }) => orderOf(shop), { of: '3 items' }),
  use(
    'PATCH /v2/orders/{id}/status',
    orders,
    (id) => ({ path: `/v2/orders/${id}/status`, body: { status: 'ready' } }),
    { kind: 'hot write' },
  ),
  use(
    'POST /v2/orders/{id}/cancel',
    orders,
    (id) => ({ path: `/v2/orders/${id}/cancel`, body: { reason: 'bench' } }),
    { kind: 'hot write' },
  ),
  use('payments.complete', payments, (id) => ({ path: '/trpc/payments.complete', body: { id } }), {
    kind: 'hot write',
  }),
  write(
    'PATCH /v2/products/{id}',
    (stage) => ({ path: `/v2/products/${some(stage)}`, body: { price: price() } }),
    { of: 'price', kind: 'hot write' },
  ),
  write(
    'PATCH /v2/products/{id}',
    (stage) => ({ path: `/v2/products/${some(stage)}`, body: { description: unused('Grilled') } }),
    { of: 'description', kind: 'hot write' },
  ),
  write('POST /v2/products', () => ({ path: '/v2/products', body: productOf('new') }), { kind: 'hot write' }),
  use('DELETE /v2/products/{id}', products, (id) => ({ path: `/v2/products/${id}` }), { kind: 'hot write' }),
  write(
    'POST /v2/stock/sync',
    (stage) => ({
      path: '/v2/stock/sync',
      body: {
        items: [{ product_id: some(stage), quantity: 900_000_000 + Math.floor(Math.random() * 1_000_000) }],
      },
    }),
    { of: '1 item', kind: 'hot write' },
  ),
  write('POST /v2/categories', () => ({ path: '/v2/categories', body: categoryOf() }), {
    kind: 'prisma',
  }),
  write(
    'PATCH /v2/categories/{id}',
    ({ ids }) => ({ path: `/v2/categories/${ids.category}`, body: categoryOf() }),
    { kind: 'prisma' },
  ),
  use('DELETE /v2/categories/{id}', categories, (id) => ({ path: `/v2/categories/${id}` }), {
    kind: 'prisma',
  }),
  write(
    'POST /v2/catalog/sync',
    () => ({
      path: '/v2/catalog/sync',
      body: { categories: [{ external_id: 'c0', name: unused('Category') }] },
    }),
    { of: '1 category' },
  ),
  write(
    'POST /v2/sync/products',
    () => ({ path: '/v2/sync/products', body: { items: [{ ...productOf('sync'), price: price() }] } }),
    { of: '1 product, the job included' },
  ),
  write('POST /v2/webhook-endpoints', () => ({ path: '/v2/webhook-endpoints', body: endpointOf() }), {
    kind: 'prisma',
    most: 40,
  }),
  write(
    'PATCH /v2/webhook-endpoints/{id}',
    ({ ids }) => ({ path: `/v2/webhook-endpoints/${ids.endpoint}`, body: { status: 'active' } }),
    { kind: 'prisma' },
  ),
  use(
    'DELETE /v2/webhook-endpoints/{id}',
    endpoints('v2/webhook-endpoints'),
    (id) => ({ path: `/v2/webhook-endpoints/${id}` }),
    { kind: 'prisma', most: 40 },
  ),
  write('POST /v2/webhook-endpoints/{id}/test', ({ ids }) => ({
    path: `/v2/webhook-endpoints/${ids.endpoint}/test`,
  })),
  use(
    'POST /v2/webhook-endpoints/{id}/rotate-secret',
    endpoints('v2/webhook-endpoints'),
    (id) => ({ path: `/v2/webhook-endpoints/${id}/rotate-secret` }),
    { kind: 'prisma', most: 40 },
  ),
  write(
    'POST /v2/webhook-endpoints/{id}/replay',
    ({ ids }) => ({
      path: `/v2/webhook-endpoints/${ids.endpoint}/replay`,
      body: { since: '2001-01-01T00:00:00Z', until: '2001-01-02T00:00:00Z' },
    }),
    { of: 'of a time without events', kind: 'prisma' },
  ),

  get('GET /v2/products', () => '/v2/products?limit=50', { of: '50' }),
  get('GET /v2/products', () => '/v2/products?limit=50&search=sku-39', { of: 'search' }),
  {
    operation: 'GET /v2/products',
    of: 'search in 10,000',
    prepare:
      ({ big }) =>
      () => ({ method: 'GET', path: '/v2/products?limit=50&search=sku-39', key: big.key }),
  },
  get('GET /v2/products/{id}', (stage) => `/v2/products/${product(stage)}`),
  get('GET /v2/products/by-external-id/{external_id}', () => '/v2/products/by-external-id/p1'),
  get('GET /v2/orders', () => '/v2/orders?limit=50', { of: '50', kind: 'list' }),
  get('GET /v2/orders', () => '/v2/orders?limit=50&status=pending&from=2020-01-01&to=2099-12-31', {
    of: 'status and dates',
    kind: 'list',
  }),
  get('GET /v2/orders/{id}', (stage) => `/v2/orders/${order(stage)}`),
  get('GET /v2/orders/by-external-id/{external_id}', () => '/v2/orders/by-external-id/named'),
  get('GET /v2/orders/{id}/timeline', (stage) => `/v2/orders/${order(stage)}/timeline`),
  get('GET /v2/orders/export', () => `/v2/orders/export?from=${day(-1)}&to=${day(1)}`, {
    of: "all of the shop's",
    most: 40,
  }),
  get('GET /v2/categories', () => '/v2/categories?limit=50', { of: '50', kind: 'list' }),
  get('GET /v2/categories/{id}', ({ ids }) => `/v2/categories/${ids.category}`),
  get('GET /v2/categories/by-external-id/{external_id}', () => '/v2/categories/by-external-id/c1'),
  get('GET /v2/stock', () => '/v2/stock?limit=50', { of: '50', kind: 'list' }),
  get('GET /v2/catalog', () => '/v2/catalog', { of: '400 products' }),
  get('GET /v2/menus/active', () => '/v2/menus/active'),
  get('GET /v2/payments', () => '/v2/payments?limit=50', { of: '50', kind: 'list' }),
  get('GET /v2/payments/{id}', ({ ids }) => `/v2/payments/${ids.payment}`),
  // Also so that the typed client's entrance is as warm as REST when payments are completed.
  get(
    'GET /trpc/payments.get',
    ({ ids }) => `/trpc/payments.get?input=${encodeURIComponent(JSON.stringify({ id: ids.payment }))}`,
  ),
  get('GET /v2/payment-methods', () => '/v2/payment-methods', { kind: 'list' }),
  get('GET /v2/settlements', () => '/v2/settlements', { kind: 'list' }),
  get('GET /v2/settlements/{id}', ({ ids }) => `/v2/settlements/${ids.settlement}`),
  get('GET /v2/turns', () => '/v2/turns', { kind: 'list' }),
  get('GET /v2/turns/current', () => '/v2/turns/current'),
  get('GET /v2/turns/{id}', ({ ids }) => `/v2/turns/${ids.turn}`),
  get('GET /v2/sales-reports', () => '/v2/sales-reports?from=2020-01-01&to=2020-12-31', {
    of: 'a year without sales',
  }),
  get('GET /v2/sync/jobs', () => '/v2/sync/jobs?limit=50', { of: '50', kind: 'list' }),
  get('GET /v2/sync/jobs/{id}', ({ ids }) => `/v2/sync/jobs/${ids.job}`),
  get('GET /v2/webhook-endpoints', () => '/v2/webhook-endpoints?limit=50', { of: '50', kind: 'list' }),
  get('GET /v2/webhook-endpoints/{id}', ({ ids }) => `/v2/webhook-endpoints/${ids.endpoint}`),
  get(
    'GET /v2/webhook-endpoints/{id}/deliveries',
    ({ ids }) => `/v2/webhook-endpoints/${ids.endpoint}/deliveries?limit=50`,
    { of: '50', kind: 'list' },
  ),
  get('GET /v2/events', () => '/v2/events?limit=50', { of: '50', kind: 'list' }),
  get('GET /v2/locations/current', () => '/v2/locations/current'),
  get('GET /v2/limits', () => '/v2/limits'),

  write('POST /v1/orders', ({ shop }) => ({ ...orderOf(shop), path: '/v1/orders' }), { of: '3 items' }),
  use(
    'PATCH /v1/orders/{id}/status',
    orders,
    (id) => ({ path: `/v1/orders/${id}/status`, body: { status: 'ready' } }),
    { kind: 'hot write' },
  ),
  write(
    'PATCH /v1/products/{id}',
    (stage) => ({ path: `/v1/products/${some(stage)}`, body: { price: price() } }),
    { of: 'price', kind: 'hot write' },
  ),
  write('POST /v1/products', () => ({ path: '/v1/products', body: productOf('old') }), { kind: 'hot write' }),
  use('DELETE /v1/products/{id}', products, (id) => ({ path: `/v1/products/${id}` }), { kind: 'hot write' }),
  write('POST /v1/categories', () => ({ path: '/v1/categories', body: categoryOf() }), {
    kind: 'prisma',
  }),
  write('POST /v1/webhooks', () => ({ path: '/v1/webhooks', body: endpointOf() }), {
    kind: 'prisma',
    most: 40,
  }),
  write(
    'PATCH /v1/webhooks/{id}',
    ({ ids }) => ({ path: `/v1/webhooks/${ids.endpoint}`, body: { status: 'active' } }),
    { kind: 'prisma' },
  ),
  use('DELETE /v1/webhooks/{id}', endpoints('v1/webhooks'), (id) => ({ path: `/v1/webhooks/${id}` }), {
    kind: 'prisma',
    most: 40,
  }),
  write('POST /v1/webhooks/{id}/test', ({ ids }) => ({ path: `/v1/webhooks/${ids.endpoint}/test` })),
  get('GET /v1/orders', () => '/v1/orders?limit=50', { of: '50', kind: 'list' }),
  get('GET /v1/orders/{id}', (stage) => `/v1/orders/${order(stage)}`),
  get('GET /v1/products', () => '/v1/products?limit=50', { of: '50', kind: 'list' }),
  get('GET /v1/products/{id}', (stage) => `/v1/products/${product(stage)}`),
  get('GET /v1/products/{id}/stock', (stage) => `/v1/products/${product(stage)}/stock`),
  get('GET /v1/categories/{id}', ({ ids }) => `/v1/categories/${ids.category}`),
  get('GET /v1/payments', () => '/v1/payments?limit=50', { of: '50', kind: 'list' }),
  get('GET /v1/webhooks', () => '/v1/webhooks?limit=50', { of: '50', kind: 'list' }),
  get('GET /v1/webhooks/{id}', ({ ids }) => `/v1/webhooks/${ids.endpoint}`),
  get('GET /v1/webhooks/{id}/deliveries', ({ ids }) => `/v1/webhooks/${ids.endpoint}/deliveries?limit=50`, {
    of: '50',
    kind: 'list',
  }),
];
