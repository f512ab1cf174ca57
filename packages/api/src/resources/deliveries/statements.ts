import { statement } from '@comanda/db';

/** A delivery as JSON text. */
interface DeliveryText {
  doc: string;
}

// `d` is the delivery, `w` its endpoint. A delivery that was pending while its endpoint was disabled is dropped, though
// its row may not say so yet.
const dropped = 'd.next_attempt_at is not null and d.number <= w.delivers_after';
const latest = `not exists (select from webhook_deliveries later where later.location_id = d.location_id
  and later.event_id = d.event_id and later.endpoint_id = d.endpoint_id and (later.created_at, later.id) > (d.created_at, d.id))`;
const settled = `(w.status = 'active' and (${dropped} or d.status in ('delivered', 'dead', 'dropped')
  or d.status = 'failed' and (d.leased_until is null or d.leased_until <= now())))`;

/** A delivery `d` to the endpoint `w` of the event `e`, with the outcome of its last attempt; `l` is the location. */
const entry = (
  canRetry: string,
) => `json_strip_nulls(json_build_object('id', d.id, 'event_id', d.event_id, 'event_type', e.type,
  'endpoint_id', d.endpoint_id, 'endpoint_url', w.url, 'status', case when ${dropped} then 'dropped' else d.status end,
  'attempts', d.attempts, 'created_at', wire_time(d.created_at, l.timezone),
  'next_attempt_at', case when w.status = 'active' and not (${dropped}) then wire_time(d.next_attempt_at, l.timezone) end,
  'response_code', a.response_code, 'error', a.error, 'replayed', nullif(d.replayed, false),
  'can_retry', nullif(${canRetry}, false)))`;
const attempt = `left join lateral (select * from webhook_attempts a where a.location_id = $1::uuid and a.delivery_id = d.id
  order by a.attempt desc limit 1) a on true`;

/** $1 location, $2 a delivery or an attempt. */
export const findDelivery = statement<{ endpoint_id: string; event_id: string }>(
  'find_delivery',
  `select d.endpoint_id, d.event_id
   from (select coalesce(
     (select t.delivery_id from webhook_attempts t where t.location_id = $1::uuid and t.id = $2::uuid), $2::uuid) as id) named
   cross join lateral (select * from webhook_deliveries where location_id = $1::uuid and id = named.id limit 1) d`,
);

/** $1 location, $2 endpoint. */
export const holdEndpoint = statement<{ status: 'active' | 'disabled' }>(
  'hold_retried_endpoint',
  'select status from webhook_endpoints where location_id = $1::uuid and id = $2::uuid for no key update',
);

/** The latest delivery of an event to an endpoint: $1 location, $2 endpoint, $3 event. */
export const readLatest = statement<DeliveryText & { id: string; can_retry: boolean }>(
  'read_latest_delivery',
  `select d.id, ${settled} as can_retry, ${entry(settled)}::text as doc
   from (select * from webhook_deliveries where location_id = $1::uuid and event_id = $3::uuid and endpoint_id = $2::uuid
     order by created_at desc, id desc limit 1) d
   cross join lateral (select * from webhook_endpoints where location_id = $1::uuid and id = d.endpoint_id limit 1) w
   cross join lateral (select * from events where location_id = $1::uuid and id = d.event_id limit 1) e
   join locations l on l.id = $1::uuid ${attempt}`,
);

/**
 * All deliveries of events about resources, oldest first, as the text of a JSON array: $1 location, $2 the
 * resources.
 */
export const readDeliveriesOf = statement<DeliveryText>(
  'read_deliveries_of',
  `select coalesce(json_agg(${entry(`(${settled} and ${latest})`)} order by e.number, d.created_at, d.id), '[]')::text as doc
   from unnest($2::uuid[]) as r (id)
   cross join lateral (select * from events where location_id = $1::uuid and resource_id = r.id offset 0) e
   cross join lateral (select * from webhook_deliveries where location_id = $1::uuid and event_id = e.id offset 0) d
   cross join lateral (select * from webhook_endpoints where location_id = $1::uuid and id = d.endpoint_id limit 1) w
   join locations l on l.id = $1::uuid ${attempt}`,
);
