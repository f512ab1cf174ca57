// @ts-nocheck
// The program of an integrator with openapi-fetch. The tests compile and run it next to the generated `openapi-v2.d.ts`.
import createClient from 'openapi-fetch';
import type { components, paths, webhooks } from './openapi-v2.js';

/** The values that the integrator has. */
export interface Surroundings {
  url: string;
  key: string;
  hook: string;
}

type ErrorBody = components['schemas']['Error'];
type ProductSyncItem = components['schemas']['ProductSync']['items'][number];

/** The main job: what it did and saw. */
export async function mainJob({ url, key, hook }: Surroundings) {
  const client = clientOf(url, key);
  const endpoint = needed(
    await client.POST('/v2/webhook-endpoints', {
      body: { url: hook, events: ['order.created', 'order.status_changed', 'order.completed'] },
    }),
  ).data;

  const items = Array.from(
    { length: 50 },
    (_, index): ProductSyncItem => ({
      external_id: `ERP/${index} é%`,
      name: `Product ${index}`,
      price: 5 + index / 4,
      visible: index % 2 === 0,
    }),
  );
  const header = { 'Idempotency-Key': 'sync-1' };
  const started = needed(
    await client.POST('/v2/sync/products', { params: { header }, body: { mode: 'upsert', items } }),
  ).data;
  const job = await endOf(client, started.job_id);

  const hidden = needed(
    await client.GET('/v2/products', { params: { query: { visible: false, limit: 200 } } }),
  );
  const path = { external_id: 'ERP/2 é%' };
  const product = needed(await client.GET('/v2/products/by-external-id/{external_id}', { params: { path } }));
  const [method] = needed(await client.GET('/v2/payment-methods')).data;
  if (method === undefined) throw new Error('there is no way to pay');

  const order: components['schemas']['OrderCreate'] = {
    external_id: 'PO/1 é%',
    channel: 'erp',
    is_take_away: true,
    identifier: 'Table 4',
    payment_method_id: method.id,
    items: [{ product_id: product.data.id, quantity: 2 }],
  };
  const place = (key: string, body = order) =>
    client.POST('/v2/orders', { params: { header: { 'Idempotency-Key': key } }, body });
  const placed = await place('order-1');
  const again = await place('order-1');
  const { error: refused } = await place('order-1', { ...order, identifier: 'Table 5' });

  const [found] = needed(
    await client.GET('/v2/orders', { params: { query: { external_id: 'PO/1 é%', status: ['pending'] } } }),
  ).data;
  if (found === undefined) throw new Error('the order is not found by its external_id');
  const moves = [];
  for (const status of ['ready', 'closed'] as const) {
    const moved = await client.PATCH('/v2/orders/{id}/status', {
      params: { path: { id: found.id } },
      body: { status },
    });
    moves.push(needed(moved).data.status);
  }
  const id = { path: { id: 'nothing' } };
  const { error: missing, response } = await client.GET('/v2/orders/{id}', { params: id });
  return {
    secret: endpoint.secret,
    job: [job.status, job.success_items, job.failed_items],
    hidden: [hidden.data.every(({ visible }) => !visible), hidden.pagination.total],
    order: [found.number, found.total],
    isFound: needed(placed).data.id === found.id,
    location: placed.response.headers.get('location') === `/v2/orders/${found.id}`,
    isReplayed: again.response.headers.get('idempotency-replayed') === 'true',
    isSame: JSON.stringify(again.data) === JSON.stringify(placed.data),
    moves,
    refusals: [refused?.error.code, missing?.error.code, response.status],
  };
}

/** The types of the feed's first events, of those that a consumer wants. */
export async function readFeed({ url, key }: Surroundings) {
  const query = { types: ['order.created' as const, 'order.completed' as const], limit: 10 };
  const feed = await clientOf(url, key).GET('/v2/events', { params: { query } });
  return needed(feed).data.map(({ type }) => type);
}

/** A catalog with one product, set twice. */
export async function syncCatalog({ url, key }: Surroundings) {
  const client = clientOf(url, key);
  const body: components['schemas']['CatalogSync'] = {
    mode: 'upsert',
    categories: [
      {
        external_id: 'CAT',
        name: 'Coffee',
        products: [
          {
            external_id: 'LATTE',
            name: 'Latte',
            price: 12.5,
            subselections: [
              {
                external_id: 'MILK',
                name: 'Milk',
                min_selection: 0,
                max_selection: 1,
                items: [{ external_id: 'OAT', name: 'Oat', price: 2 }],
              },
            ],
          },
        ],
      },
    ],
  };
  const first = needed(await client.POST('/v2/catalog/sync', { body })).data;
  const second = needed(await client.POST('/v2/catalog/sync', { body })).data;
  const { categories } = needed(await client.GET('/v2/catalog')).data;
  return {
    first: [first.total_items, first.created, first.unchanged],
    second: [second.created, second.updated, second.unchanged],
    names: categories.flatMap(({ name, products }) => [
      name,
      ...products.flatMap(({ name, price, subselections }) => [
        `${name} ${price}`,
        ...(subselections ?? []).flatMap(({ items }) => items.map((item) => item.name)),
      ]),
    ]),
  };
}

/** The work of an integrator on received events: `data` is typed by `type`. */
export function tell(events: Event[]): string[] {
  return events.map((event) => {
    switch (event.type) {
      case 'order.created':
        return `created: ${event.data.total.toFixed(2)}`;
      case 'order.status_changed':
        return `${event.data.previous_status} → ${event.data.status}`;
      default:
        return event.type;
    }
  });
}

type Event = {
  [Type in keyof webhooks]: webhooks[Type]['post']['requestBody']['content']['application/json'];
}[keyof webhooks];

function clientOf(baseUrl: string, key: string) {
  return createClient<paths>({
    baseUrl,
    headers: { authorization: `Bearer ${key}` },
    // The document says so of every list in a query; openapi-fetch needs the option.
    querySerializer: { array: { style: 'form', explode: false } },
  });
}

async function endOf(client: ReturnType<typeof clientOf>, id: string) {
  for (let reads = 0; reads < 600; reads += 1) {
    const { data } = needed(await client.GET('/v2/sync/jobs/{id}', { params: { path: { id } } }));
    if (data.status === 'completed' || data.status === 'failed') return data;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`the job ${id} does not end`);
}

function needed<Data>(answer: { data?: Data; error?: ErrorBody; response: Response }): Data {
  if (answer.data === undefined) throw new Error(`${answer.response.url}: ${answer.error?.error.message}`);
  return answer.data;
}
