import { statement } from '@comanda/db';

// A manual edit and its audit entry are of one transaction, and so of one moment. `id` is that of the row in
// `relation`.
const actor = (
  key: string,
  at: string,
  { relation, id }: { relation: 'orders' | 'payments'; id: string } = { relation: 'orders', id: '$2::uuid' },
) => `case when ${key} is null then json_build_object('type', 'database',
    'name', (select concat_ws(' by ', a.actor_name, nullif(a.application_name, '')) from audit_entries a
      where a.location_id = $1::uuid and a.created_at = ${at} and a.relation = '${relation}'
        and (a.row_count > 100 or a.changes @> jsonb_build_object('rows', jsonb_build_array(
          jsonb_build_object('key', jsonb_build_object('id', ${id})))))
      limit 1))
  else json_build_object('type', 'api_key', 'id', ${key},
    'name', (select k.name from api_keys k where k.location_id = $1::uuid and k.id = ${key})) end`;

// Entries of one moment are in the order of their causes: creation, moves, events, deliveries.
export const readTimeline = statement<{ doc: string }>(
  'read_order_timeline',
  `with subject as (
     select o.*, l.timezone from orders o
     join locations l on l.id = o.location_id
     where o.location_id = $1::uuid and o.id = $2::uuid
   ), published as (
     select e.id, e.number, e.type, e.resource_id, e.request_id, e.created_at, o.timezone from subject o
     cross join lateral (
       select o.id union all select p.id from payments p where p.location_id = o.location_id and p.order_id = o.id) r
     cross join lateral (
       select * from events where location_id = o.location_id and resource_id = r.id offset 0) e
   ), entries (at, cause, place, doc) as (
     select o.created_at, 1, 0::bigint, json_build_object(
       'at', wire_time(o.created_at, o.timezone), 'kind', 'created',
       'status', coalesce((select m.from_status from internal.order_moves m
         where m.location_id = o.location_id and m.order_id = o.id order by m.id limit 1), o.status),
       'by', ${actor('o.created_by', 'o.created_at')}, 'request_id', o.request_id)
     from subject o
     union all
     select m.moved_at, 2, m.id, json_build_object(
       'at', wire_time(m.moved_at, o.timezone), 'kind', 'moved', 'from', m.from_status, 'to', m.to_status,
       'by', ${actor('m.moved_by', 'm.moved_at')}, 'request_id', m.request_id,
       'reason', coalesce(m.deed, case when m.to_status = 'canceled' then o.cancel_reason end))
     from subject o join internal.order_moves m on m.location_id = o.location_id and m.order_id = o.id and m.difference is null
     union all
     select m.moved_at, 2, m.id, json_build_object(
       'at', wire_time(m.moved_at, o.timezone), 'kind', 'edited', 'changes', m.difference,
       'by', ${actor('m.moved_by', 'm.moved_at')}, 'request_id', m.request_id)
     from subject o join internal.order_moves m on m.location_id = o.location_id and m.order_id = o.id and m.difference is not null
     union all
     select b.created_at, 2, 0, json_build_object(
       'at', wire_time(b.created_at, o.timezone), 'kind', 'booked', 'entry', b.kind, 'amount', trim_scale(b.amount),
       'by', ${actor('b.created_by', 'b.transaction_at', { relation: 'payments', id: 'b.payment_id' })}, 'request_id', b.request_id, 'reason', b.reason, 'person', b.person)
     from subject o join settlement_entries b on b.location_id = o.location_id and b.order_id = o.id
     union all
     select e.created_at, 3, e.number, json_build_object(
       'at', wire_time(e.created_at, e.timezone), 'kind', 'event', 'event_id', e.id, 'event_type', e.type,
       'resource_id', e.resource_id, 'request_id', e.request_id)
     from published e
     union all
     select a.attempted_at, 4, e.number, json_build_object(
       'at', wire_time(a.attempted_at, e.timezone), 'kind', 'delivery', 'event_id', e.id, 'event_type', e.type,
       'delivery_id', d.id, 'endpoint_id', d.endpoint_id, 'attempt', a.attempt, 'status', a.status,
       'response_code', a.response_code, 'error', a.error, 'duration_ms', a.duration_ms)
     from published e
     cross join lateral (
       select * from webhook_deliveries d where d.location_id = $1::uuid and d.event_id = e.id
         and (select true from webhook_endpoints w where w.location_id = $1::uuid and w.id = d.endpoint_id) offset 0) d
     cross join lateral (
       select * from webhook_attempts where location_id = $1::uuid and delivery_id = d.id offset 0) a
   )
   select json_strip_nulls(json_agg(doc order by at, cause, place, doc->>'delivery_id', (doc->>'attempt')::int))::text as doc
   from entries having count(*) > 0`,
);
