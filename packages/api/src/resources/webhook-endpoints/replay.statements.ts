import { statement } from '@comanda/db';

export const holdEndpoint = statement<{
  status: 'active' | 'disabled';
  events: string[];
  deliversAfter: string;
}>(
  'hold_replayed_endpoint',
  `select status, events, delivers_after::text as "deliversAfter" from webhook_endpoints
   where location_id = $1::uuid and id = $2::uuid for no key update`,
);

// The latest delivery of an event shows its state: waiting for its first attempt, or in the middle of any, it is on its
// way, unless it waited while the endpoint was disabled, up to $8. $6: also delivered events, and events that were
// never meant for the endpoint.
export const findReplayable = statement<{ id: string }>(
  'find_replayable_events',
  `select e.id from events e
   left join lateral (
     select case when d.next_attempt_at is not null and d.number <= $8::bigint then 'dropped' else d.status end as status,
       d.leased_until from webhook_deliveries d
     where d.location_id = e.location_id and d.event_id = e.id and d.endpoint_id = $2::uuid
     order by d.created_at desc, d.id desc limit 1) latest on true
   where e.location_id = $1::uuid and e.id >= $9::uuid and e.id < $10::uuid and e.type = any ($3::text[])
     and e.created_at >= greatest($4::timestamptz, now() - interval '30 days')
     and e.created_at <= coalesce($5::timestamptz, now())
     and (latest.status in ('failed', 'dead', 'dropped') or ($6 and (latest.status is null or latest.status = 'delivered')))
     and (latest.leased_until is null or latest.leased_until <= now() or latest.status <> 'failed')
   order by e.number limit $7`,
);

export const dropRetries = statement(
  'drop_replayed_retries',
  `update webhook_deliveries set status = 'dropped', next_attempt_at = null, leased_until = null, leased_by = null
   where location_id = $1::uuid and endpoint_id = $2::uuid and event_id = any ($3::uuid[]) and status = 'failed'`,
);

export const insertDeliveries = statement(
  'insert_replayed_deliveries',
  `insert into webhook_deliveries (location_id, id, endpoint_id, event_id, next_attempt_at, replayed)
   select $1::uuid, w.id, $2::uuid, w.event_id, now(), true from unnest($3::uuid[], $4::uuid[]) as w (id, event_id)`,
);
