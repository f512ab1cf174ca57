import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from '@comanda/client';
import { fillWithNeighbours, fillWithOthers, type Other } from '../company.ts';
import type { BenchProcess } from '../processes.ts';
import type { Setup } from '../setup.ts';
import { makeShop, type Shop } from '../shop.ts';

/** A request as the bench sends it. */
export interface Sent {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  path: string;
  body?: unknown;
  /** The caller; the shop by default. */
  key?: string;
}

/** A filled database with a shop in it that has something of everything, one endpoint, a worker and a consumer. */
export interface Stage {
  setup: Setup;
  api: BenchProcess;
  worker: BenchProcess;
  reference: BenchProcess;
  shop: Shop;
  /** Another location, with 10,000 products. */
  big: Other;
  /** Calls as the typed client. */
  client: ReturnType<typeof createClient>;
  /** Ids of what the shop has, read back from its lists. */
  ids: Record<
    'order' | 'category' | 'payment' | 'method' | 'menu' | 'settlement' | 'turn' | 'job' | 'endpoint',
    string
  >;
  /** Sends a request and gives its answer's `data`. Throws when it is no success. */
  send(sent: Sent): Promise<unknown>;
  /** Places orders of three items; gives their ids. */
  placeOrders(count: number): Promise<string[]>;
  /** Removes every endpoint except the given one. */
  forgetEndpoints(): Promise<void>;
  /** Waits until nothing is left to publish, to deliver or to work off. */
  settle(): Promise<void>;
}

/** Opens it: three locations of 10,000 products and orders, 97 small ones, and a shop of 400 products. */
export async function openStage(setup: Setup, small: boolean): Promise<Stage> {
  const [big] = await fillWithOthers(setup, small);
  if (big === undefined) throw new Error('there are no others');
  await fillWithNeighbours(setup, small ? 2 : 97);
  const consumer = await setup.startConsumer();
  // One call is of the app.
  const api = await setup.startApi({ APP: 'on' });
  const worker = await setup.startWorker();
  const reference = await setup.startReference();
  const shop = await makeShop(setup, api.url, small ? 60 : 400);
  const client = createClient({ url: api.url, key: shop.key, retries: 0 });
  const send = (sent: Sent) => sendTo(api.url, sent, shop.key);
  const placeOrders = (count: number) => inLanes(count, async () => idOf(await send(orderOf(shop))));
  const settle = () => settled(setup);

  const endpoint = idOf(
    await send({
      method: 'POST',
      path: '/v2/webhook-endpoints',
      body: { url: `${consumer.url}/hook`, events: subscribed },
    }),
  );
  const forgetEndpoints = async () => {
    await setup.comanda.pool.query('delete from webhook_endpoints where location_id = $1 and id <> $2', [
      shop.locationId,
      endpoint,
    ]);
  };
  // Something of everything that is listed: fifty, or a little more.
  for (let round = 0; round < (small ? 2 : 50); round += 1) {
    await client.turns.open.mutate();
    await placeOrders(small ? 4 : 8);
    await client.turns.close.mutate();
    await client.paymentMethods.create.mutate({ name: unused('Method'), type: 'card', enabled: true });
    await send({ method: 'POST', path: '/v2/categories', body: categoryOf() });
    await send({ method: 'POST', path: '/v2/sync/products', body: { items: [productOf('job')] } });
  }
  await client.turns.open.mutate();
  await placeOrders(small ? 4 : 100);
  await send(orderOf(shop, 'named'));
  const category = idOf(await firstOf(send, '/v2/categories'));
  const menu = await client.menus.create.mutate({ name: 'Today', category_ids: [category] });
  await client.menus.publish.mutate({ id: menu.id });
  await settle();
  const first = async (path: string) => idOf(await firstOf(send, path));
  return {
    ...{ setup, api, worker, reference, shop, big, client, send, placeOrders, settle, forgetEndpoints },
    ids: {
      endpoint,
      category,
      menu: menu.id,
      method: await first('/v2/payment-methods'),
      job: await first('/v2/sync/jobs'),
      order: await first('/v2/orders'),
      payment: await first('/v2/payments'),
      settlement: await first('/v2/settlements'),
      turn: await first('/v2/turns'),
    },
  };
}

const subscribed = [
  'order.created',
  'order.updated',
  'order.cancelled',
  'product.created',
  'product.updated',
  'product.deleted',
  'stock.updated',
] as const;

let made = 0;

/** A text that was not used yet. */
export function unused(prefix: string): string {
  made += 1;
  return `${prefix}-${made}`;
}

/** An order of three items, by a name that was not used yet unless given. */
export function orderOf({ paymentMethodId, productIds }: Other, external_id = unused('order')): Sent {
  const items = [0, 1, 2].map((line) => {
    const at = (made * 7 + line * 13) % productIds.length;
    return { product_id: productIds[at], external_product_id: `p${at}`, quantity: 1 + line };
  });
  const rest = { channel: 'bench', is_take_away: false, identifier: '', items };
  return {
    method: 'POST',
    path: '/v2/orders',
    body: { external_id, payment_method_id: paymentMethodId, ...rest },
  };
}

/** A product that is not there yet. */
export function productOf(prefix: string) {
  const external_id = unused(prefix);
  return { external_id, sku: external_id, name: `Product ${external_id}`, description: '', price: 10 };
}

/** A category that is not there yet. */
export const categoryOf = () => ({ name: unused('Category'), priority: 1, visible: true });

/** An endpoint on an address of this machine without a listener: nothing is ever sent to it. */
export const endpointOf = () => ({
  url: `http://127.0.0.1:9/${unused('hook')}`,
  events: ['settlement.created'],
});

/** Calls `count` times, eight at once unless said; gives what came back. */
export async function inLanes<Result>(
  count: number,
  call: (at: number) => Promise<Result>,
  lanes = 8,
): Promise<Result[]> {
  const results: Result[] = [];
  let at = 0;
  const lane = async () => {
    while (at < count) {
      at += 1;
      results.push(await call(at - 1));
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return results;
}

/** The id of what was answered. */
export function idOf(data: unknown): string {
  if (typeof data === 'object' && data !== null && 'id' in data) return String(data.id);
  if (typeof data === 'object' && data !== null && 'job_id' in data) return String(data.job_id);
  throw new Error(`no id in ${JSON.stringify(data)}`);
}

/** Sends a request as one of the key, unless it says whose; gives its answer's `data`. Throws when it is no success. */
export async function sendTo(
  url: string,
  { method, path, body, key }: Sent,
  shopKey: string,
): Promise<unknown> {
  const headers = {
    authorization: `Bearer ${key ?? shopKey}`,
    'content-type': 'application/json',
    ...(method === 'POST' && { 'idempotency-key': unused('key') }),
  };
  const ask = () =>
    fetch(url + path, { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) });
  // A connection that rested between two rounds may be closed from the other end just then: it is asked once more.
  const response = await ask().catch(ask);
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text.slice(0, 300)}`);
  return response.headers.get('content-type')?.startsWith('application/json') ? JSON.parse(text).data : text;
}

async function firstOf(send: Stage['send'], path: string): Promise<unknown> {
  const list = await send({ method: 'GET', path: `${path}?limit=1` });
  return Array.isArray(list) ? list[0] : undefined;
}

// Deliveries of a disabled location wait, and one that was published for an endpoint as it was deleted is cleared away ten
// minutes later.
const left = `select * from (
  select 'captured change' as kind, location_id, to_jsonb(c) - array['before', 'after', 'resource_ids'] as row from internal.captured_changes c
  union all
  select 'delivery', d.location_id, to_jsonb(d) from webhook_deliveries d
    join webhook_endpoints e on e.location_id = d.location_id and e.id = d.endpoint_id and d.number > e.delivers_after
    join locations l on l.id = d.location_id and l.status = 'active'
    where d.next_attempt_at <= now() and e.status = 'active'
  union all
  select 'job', location_id, jsonb_build_object('id', id, 'type', type, 'status', status, 'created_at', created_at)
    from sync_jobs where status in ('queued', 'processing')) l`;

/**
 * Waits until nothing is left to publish, to deliver or to work off.
 * @throws {Error} after a minute, with what is left.
 */
export async function settled({ comanda }: Pick<Setup, 'comanda'>): Promise<void> {
  const end = performance.now() + 60_000;
  for (;;) {
    const { rows } = await comanda.pool.query(`${left} limit 10`);
    if (rows.length === 0) return;
    if (performance.now() > end) throw new Error(`left after a minute: ${JSON.stringify(rows)}`);
    await sleep(20);
  }
}
