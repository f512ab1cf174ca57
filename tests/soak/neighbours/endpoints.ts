import type { Scene } from './neighbour.ts';
import { type Shop, send } from './shop.ts';

/** Subscribes a URL at a location; gives the endpoint's id. */
export async function subscribe(
  { apiUrl }: Pick<Scene, 'apiUrl'>,
  { key }: Pick<Shop, 'key'>,
  url: string,
  events: readonly string[],
): Promise<string> {
  const made = await send(apiUrl, key, {
    method: 'POST',
    path: '/v2/webhook-endpoints',
    body: { url, events },
  });
  return (made as { id: string }).id;
}

export async function unsubscribe(
  { apiUrl }: Pick<Scene, 'apiUrl'>,
  { key }: Shop,
  id: string,
): Promise<void> {
  await send(apiUrl, key, { method: 'DELETE', path: `/v2/webhook-endpoints/${id}` });
}

/** Writes so many deliveries of one event to an endpoint: sent, or to be tried again tomorrow. */
export async function writeDeliveries(
  { database }: Pick<Scene, 'database'>,
  { locationId }: Shop,
  endpointId: string,
  count: number,
  status: 'delivered' | 'failed',
): Promise<void> {
  const { rows } = await database.pool.query<{ id: string }>(
    `insert into events (location_id, id, number, type, resource_id, body, created_at)
     select $1, uuid_v7(), coalesce(max(number), 0) + 1000000, 'sync.failed', $1, '{"api_version":"v2"}', now()
     from events where location_id = $1 returning id`,
    [locationId],
  );
  // A statement may run for so long only.
  for (let written = 0; written < count; written += atOnce)
    await database.pool.query(
      `insert into webhook_deliveries (location_id, endpoint_id, event_id, status, attempts, next_attempt_at)
       select $1, $2, $3, $5::delivery_status, 1, case when $5 = 'failed' then now() + interval '1 day' end
       from generate_series(1, $4::int)`,
      [locationId, endpointId, rows[0]?.id, Math.min(atOnce, count - written), status],
    );
}

const atOnce = 100_000;
