import { abortedRuns, type Certification, isEnding, priceBack } from '@comanda/api/services';
import { statement } from '@comanda/db';

/** A call that arrived at the API under a run. */
export interface Call {
  number: number;
  /** `orders.create`, for both families. */
  operation: string;
  /** Method, path and query. */
  request: string;
  idempotencyKey: string | null;
  requestId: string;
  /** The fault that was played on it. */
  fault: string | null;
  /** Null until it is answered. */
  status: number | null;
  replayed: boolean;
  /** The ids of the entries that it was answered. */
  answered: string[];
  /** By the database's clock. */
  beganMs: number;
  endedMs: number | null;
  /** When it began, as answers show it. */
  at: string;
}

/** An event as it was published. */
export interface PublishedEvent {
  id: string;
  type: string;
  number: number;
  /** As endpoints of v2 get it, and those of v1. */
  body: string;
  bodyInV1: string;
}

/** The endpoint of the integration. */
export interface TestedEndpoint {
  id: string;
  url: string;
  apiVersion: 'v1' | 'v2';
  events: string[];
  secrets: { keyId: string; sealed: string }[] | null;
}

const one = 'location_id = $1::uuid and id = $2::uuid';

/** $1 location, $2 run. Only what waits begins: a job that comes again finds it begun. */
export const beginRun = statement<{ does: Certification['does'] }>(
  'begin_certification',
  `update certifications set status = 'running', started_at = now(), alive_at = now()
   where ${one} and status = 'queued' returning does`,
);

/**
 * $1 location, $2 run, $3 checks, $4 check, $5 action, $6 text, $7 seconds; $4 null: it waits for nothing. No row
 * once it has ended.
 */
export const tellRun = statement<{ id: string }>(
  'tell_certification',
  `update certifications r set alive_at = now(), checks = $3::jsonb, waiting_for = case when $4::text is not null then
     jsonb_build_object('check', $4::text, 'action', $5::text, 'text', $6::text, 'until', wire_time(
       clock_timestamp() + make_interval(secs => $7::float8), (select l.timezone from locations l where l.id = r.location_id))) end
   where ${one} and status = 'running' returning id`,
);

/** $1 location, $2 run. No row once it has ended. */
export const keepAlive = statement<{ id: string }>(
  'keep_certification_alive',
  `update certifications set alive_at = now() where ${one} and status = 'running' returning id`,
);

/** $1 location, $2 run, $3 status, $4 verdict, $5 checks. The calls it saw are in the checks. */
export const endRun = statement<{ id: string }>(
  'end_certification',
  `with ending as materialized (
     select location_id, id, changed from certifications where ${one} and status = 'running' for update
   ), ended as (
     update certifications r set status = $3, verdict = $4, checks = $5::jsonb, waiting_for = null, faults = '{}',
       held_endpoint_id = null, changed = null, completed_at = clock_timestamp()
     where ${isEnding} returning r.id
   ), ${priceBack}, cleared as (
     delete from internal.certification_calls c where c.location_id = $1::uuid and c.certification_id = $2::uuid
   )
   select id from ended`,
);

const isSilent = (seconds: string) => `r.status in ('queued', 'running')
       and r.alive_at < now() - case when r.status = 'running' then make_interval(secs => ${seconds}::float8) else interval '15 minutes' end`;

/** Whether there are runs that no worker continues: $1 seconds of silence. */
export const areSilent = statement<{ found: boolean }>(
  'are_certifications_silent',
  `select exists (select from certifications r where ${isSilent('$1')}) as found`,
);

/** Ends runs that no worker continues: $1 sentence, $2 seconds of silence. Their changes are put back. Wakes the relays, whatever it finds. */
export const abortSilent = statement<{ count: number }>(
  'abort_silent_certifications',
  `with ending as materialized (
     select r.location_id, r.id, r.held_endpoint_id, r.changed from certifications r
     where ${isSilent('$2')}
     limit 100 for update skip locked
   ), ${abortedRuns('$1::text')}
   select count(*)::int as count from ending`,
);

/** $1 location, $2 run, $3 faults, $4 operations. */
export const playFaults = statement(
  'play_certification_faults',
  `update certifications set faults = $3::text[], fault_operations = $4::text[] where ${one} and status = 'running'`,
);

/** $1 location, $2 run, $3 behind which number. */
export const readCalls = statement<Call>(
  'read_certified_calls',
  `select c.number::float8 as number, c.operation, c.request, c.idempotency_key as "idempotencyKey", c.request_id as "requestId",
     c.fault, c.status, c.replayed, coalesce(c.answered, '{}') as answered, extract(epoch from c.began_at)::float8 * 1000 as "beganMs",
     extract(epoch from c.ended_at)::float8 * 1000 as "endedMs", wire_time(c.began_at, l.timezone) as at
   from internal.certification_calls c join locations l on l.id = c.location_id
   where c.location_id = $1::uuid and c.certification_id = $2::uuid and c.number > $3::bigint order by c.number limit 5000`,
);

/** $1 location, $2 run. */
export const newestCall = statement<{ number: number }>(
  'newest_certified_call',
  `select c.number::float8 as number from internal.certification_calls c
   where c.location_id = $1::uuid and c.certification_id = $2::uuid order by c.number desc limit 1`,
);

/** $1 location. Events caused by the service, at the location's time. */
export const readNow = statement<{ at: string }>(
  'read_certification_time',
  'select wire_time(clock_timestamp(), timezone) as at from locations where id = $1::uuid',
);

/** $1 location. The newest that is active, with the secrets that are valid now. */
export const findEndpoint = statement<TestedEndpoint>(
  'find_certified_endpoint',
  `select e.id, e.url, e.api_version as "apiVersion", e.events, (select json_agg(json_build_object('keyId', s.encryption_key_id, 'sealed', encode(s.sealed, 'hex'))
       order by s.created_at desc, s.id desc)
     from internal.webhook_secrets s where s.location_id = e.location_id and s.endpoint_id = e.id
       and (s.expires_at is null or s.expires_at > now())) as secrets
   from webhook_endpoints e where e.location_id = $1::uuid and e.status = 'active' order by e.created_at desc, e.id desc limit 1`,
);

/** $1 location, $2 run, $3 endpoint: it is down until `releaseEndpoint`, or until the run is aborted. */
export const holdEndpoint = statement(
  'hold_certified_endpoint',
  `with held as (update certifications set held_endpoint_id = $3::uuid where ${one} and status = 'running' returning id)
   update webhook_endpoints set status = 'disabled'
   where location_id = $1::uuid and id = $3::uuid and exists (select from held)`,
);

/** $1 location, $2 run, $3 endpoint. It stays as it is where its status was set by another call meanwhile. */
export const releaseEndpoint = statement(
  'release_certified_endpoint',
  `with freed as (
     update certifications set held_endpoint_id = null where ${one} and held_endpoint_id = $3::uuid returning id
   )
   update webhook_endpoints set status = 'active'
   where location_id = $1::uuid and id = $3::uuid and status = 'disabled' and exists (select from freed)`,
);

/** $1 location, $2 endpoint, $3 event, $4 its type, $5 how many attempts, $6 how it ended, $7 status, $8 error. */
export const recordPlayed = statement(
  'record_played_delivery',
  `with made as (
     insert into webhook_deliveries (location_id, endpoint_id, event_id, status, attempts)
     values ($1::uuid, $2::uuid, $3::uuid, $6::delivery_status, $5::smallint) returning id
   )
   insert into webhook_attempts (location_id, delivery_id, endpoint_id, event_id, event_type, attempt, status, response_code,
     error, duration_ms, attempted_at)
   select $1::uuid, made.id, $2::uuid, $3::uuid, $4, n, case when n = $5::int then $6 else 'failed' end::delivery_status,
     $7::smallint, $8, 0, now() from made, generate_series(1, $5::int) n`,
);

/**
 * $1 location, $2 run. Changes the price of a product that the catalog shows by one, or back where it still is what the run set, and notes in
 * the run what it was.
 */
export const changePrice = statement<{ id: string; name: string }>(
  'change_certified_price',
  `with run as materialized (
     select changed from certifications where ${one} and status = 'running' for update
   ), chosen as materialized (
     select p.id, p.price, (run.changed ->> 'was')::numeric as was,
       coalesce(p.id = (run.changed ->> 'product_id')::uuid and p.price = (run.changed ->> 'set')::numeric, false) as ours
     from run cross join lateral (
       select p.id, p.price from products p where p.location_id = $1::uuid and p.visible and p.price < 1000000000
         and exists (select from product_categories c where c.location_id = p.location_id and c.product_id = p.id)
       order by p.id limit 1 for update
     ) p
   ), changed as (
     update products p set price = case when c.ours then c.was else c.price + 1 end from chosen c
     where p.location_id = $1::uuid and p.id = c.id returning p.id, p.name
   ), noted as (
     update certifications r set changed = case when not c.ours then
       jsonb_build_object('product_id', c.id, 'was', c.price, 'set', c.price + 1) end from chosen c
     where r.location_id = $1::uuid and r.id = $2::uuid
   )
   select id, name from changed`,
);

/** $1 location, $2 behind which number, $3 type, $4 what its body names; the next of it. */
export const nextEvent = statement<PublishedEvent>(
  'next_certified_event',
  `select e.id, e.type, e.number::float8 as number, e.body, body_in_v1(e.type, e.body, e.body_v1) as "bodyInV1" from events e
   where e.location_id = $1::uuid and e.type = $3 and e.number > $2::bigint
     and position($4 in e.body) > 0 order by e.number limit 1`,
);

/** $1 location. */
export const newestNumber = statement<{ number: number }>(
  'newest_certified_event',
  'select e.number::float8 as number from events e where e.location_id = $1::uuid order by e.number desc limit 1',
);

/** $1 location, $2 endpoint, $3 event. Whether the endpoint took it, as of a replay. */
export const isDelivered = statement<{ at: string }>(
  'find_certified_delivery',
  `select 'taken' as at from webhook_deliveries d
   where d.location_id = $1::uuid and d.endpoint_id = $2::uuid and d.event_id = $3::uuid and d.status = 'delivered' limit 1`,
);

/** $1 location, $2 external ids: products that no category has. */
export const insertProducts = statement<{ id: string }>(
  'insert_certified_products',
  `insert into products (location_id, external_id, sku, name, price)
   select $1::uuid, v.external_id, v.external_id, v.external_id, 1 from unnest($2::text[]) as v (external_id) returning id`,
);

/** $1 location, $2 external ids. */
export const removeProducts = statement(
  'remove_certified_products',
  'delete from products where location_id = $1::uuid and external_id = any ($2::text[])',
);

/**
 * $1 location, $2 order, $3 run: an order as a guest places it. It gets its number, total and payment at the commit, as
 * one that is written by hand (prisma/sql/hand_orders.sql). No row where the run has ended, or nothing can be ordered.
 */
export const placeOrder = statement<{ id: string }>(
  'place_certified_order',
  `with chosen as materialized (
     select p.*, m.id as method from certifications r cross join lateral (
       select p.id, p.name, p.price, p.external_id, p.sku from products p where p.location_id = $1::uuid and p.visible
         and exists (select from product_categories c where c.location_id = p.location_id and c.product_id = p.id)
         and not exists (select from subselections s where s.location_id = p.location_id and s.product_id = p.id and s.min_selection > 0)
       order by p.id limit 1
     ) p cross join lateral (
       select m.id from payment_methods m where m.location_id = $1::uuid and m.enabled order by m.id limit 1
     ) m
     where r.location_id = $1::uuid and r.id = $3::uuid and r.status = 'running'
   ), made as (
     insert into orders (location_id, id, number, total, payment_method_id, identifier, channel, is_take_away)
     select $1::uuid, $2::uuid, -1 - floor(random() * 1000000000)::int, 0, c.method, 'Certification', 'certification', false from chosen c
     returning id
   ), line as (
     insert into order_items (location_id, order_id, position, product_id, name, unit_price, quantity, total, external_id, sku)
     select $1::uuid, $2::uuid, 1, c.id, c.name, c.price, 1, c.price, c.external_id, c.sku from chosen c
   )
   select id from made`,
);

/** $1 location, $2 job; when it ended. */
export const jobEnd = statement<{ endedMs: number | null; failedItems: number }>(
  'find_certified_job',
  `select extract(epoch from j.completed_at)::float8 * 1000 as "endedMs", j.failed_items as "failedItems" from sync_jobs j
   where j.location_id = $1::uuid and j.id = $2::uuid`,
);

/** $1 location, $2 order. Nothing where it has ended. */
export const cancelOrder = statement<{ id: string; number: number }>(
  'cancel_certified_order',
  `update orders set status = 'canceled', cancel_reason = 'The restaurant is closing (certification)'
   where location_id = $1::uuid and id = $2::uuid and status in ('pending', 'ready') returning id, number`,
);

/** $1 location, $2 request id. The order that a call made: one of the newest. */
export const findOrder = statement<{ id: string }>(
  'find_certified_order',
  `select n.id from (select o.id, o.request_id from orders o where o.location_id = $1::uuid
     order by o.created_at desc, o.id desc limit 20) n where n.request_id = $2 limit 1`,
);
