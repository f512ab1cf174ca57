import { setTimeout as sleep } from 'node:timers/promises';
import type { Subject } from './subject.ts';

/** A location, its cash payment method, its products, and a key without bounds that matter here. */
export interface Place {
  locationId: string;
  key: string;
  paymentMethodId: string;
  productIds: string[];
}

/** A request as the bench sends it. */
export interface Sent {
  method: 'GET' | 'POST' | 'PATCH';
  path: string;
  body?: unknown;
}

let made = 0;

/** A text that was not used yet. */
export function unused(prefix: string): string {
  made += 1;
  return `${prefix}-${made}`;
}

/**
 * Sends a request and gives the `data` of its answer.
 * @throws {Error} when it is no success.
 */
export async function send(url: string, key: string, { method, path, body }: Sent): Promise<unknown> {
  const headers = {
    authorization: `Bearer ${key}`,
    'content-type': 'application/json',
    ...(method === 'POST' && { 'idempotency-key': unused('key') }),
  };
  const ask = () =>
    fetch(url + path, { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) });
  // The other end may close a connection that rested between two rounds just then: ask once more.
  const response = await ask().catch(ask);
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text.slice(0, 300)}`);
  const answer = JSON.parse(text);
  return answer.result?.data ?? answer.data;
}

/**
 * The id in the data of an answer.
 * @throws {Error} where there is none.
 */
export function idOf(data: unknown): string {
  if (typeof data === 'object' && data !== null && 'id' in data) return String(data.id);
  throw new Error(`no id in ${JSON.stringify(data)}`);
}

/** An order of `lines` lines that was not placed yet, as a body of `POST /v2/orders`. */
export function newOrder({ paymentMethodId, productIds }: Place, lines: number): Record<string, unknown> {
  const external_id = unused('order');
  const items = Array.from({ length: lines }, (_, line) => {
    const at = (made * 7 + line * 13) % productIds.length;
    return { product_id: productIds[at], external_product_id: `p${at}`, quantity: 1 + (line % 3) };
  });
  return {
    external_id,
    channel: 'bench',
    is_take_away: false,
    identifier: '',
    payment_method_id: paymentMethodId,
    items,
  };
}

/** Places an order of three lines; gives its id. */
export async function placeOrder(url: string, place: Place): Promise<string> {
  return idOf(await send(url, place.key, { method: 'POST', path: '/v2/orders', body: newOrder(place, 3) }));
}

/** Makes an endpoint of a location that hears of `events`. */
export async function subscribe(
  url: string,
  key: string,
  hook: string,
  events: readonly string[],
): Promise<void> {
  await send(url, key, { method: 'POST', path: '/v2/webhook-endpoints', body: { url: hook, events } });
}

/** Calls `count` times, `lanes` at once; gives what came back. */
export async function inLanes<Result>(
  count: number,
  lanes: number,
  call: (at: number) => Promise<Result>,
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

const left = `select * from (
  select 'captured change' as kind, location_id from internal.captured_changes
  union all
  select 'delivery', d.location_id from webhook_deliveries d
    join webhook_endpoints e on e.location_id = d.location_id and e.id = d.endpoint_id
    where d.next_attempt_at <= now() and e.status = 'active'
  union all
  select 'job', location_id from sync_jobs where status in ('queued', 'processing')) l limit 10`;

/**
 * Waits until nothing is left to publish, to deliver or to work off.
 * @throws {Error} after a minute, with what is left.
 */
export async function settled({ database }: Pick<Subject, 'database'>): Promise<void> {
  const end = performance.now() + 60_000;
  for (;;) {
    const { rows } = await database.pool.query(left);
    if (rows.length === 0) return;
    if (performance.now() > end) throw new Error(`left after a minute: ${JSON.stringify(rows)}`);
    await sleep(20);
  }
}
