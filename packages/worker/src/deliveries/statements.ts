import { statement } from '@comanda/db';

/** A delivery that this worker holds, with all that its next attempt needs but the body. */
export interface ClaimedDelivery {
  id: string;
  eventId: string;
  eventType: string;
  /** The request that made the change; null when nobody's request did. */
  requestId: string | null;
  /** Where that request stood in a trace. */
  traceparent: string | null;
  /** Attempts that were made before. */
  attempts: number;
  /** When it was due, as Postgres writes it. */
  dueAt: string;
  /** The time of the claim in Unix seconds, by the database's clock. */
  claimedAt: number;
  url: string;
  /** The signing secrets that are valid now, newest first, as they are stored. */
  secrets: { keyId: string; sealed: string }[] | null;
}

// Each statement looks its rows up one by one, whatever the planner takes the tables for: `limit 1` keeps a look-up from
// becoming a join, which could read all of a location (docs/decisions/0020).

/**
 * SQL for the number after which deliveries to an endpoint may be sent; null when it is disabled or gone. $1 and $2 of
 * a statement are its location and its id, so it is read once, not for each row.
 */
export function deliversAfter(locationId: string, endpointId: string): string {
  return `(select e.delivers_after from webhook_endpoints e
    where e.location_id = ${locationId}::uuid and e.id = ${endpointId}::uuid and e.status = 'active')`;
}

/**
 * Claims what is due for an endpoint (prisma/sql/webhooks.sql): location, endpoint, how many, how many bytes, for how many
 * milliseconds, by which worker, what that worker has in flight, and after which due time and id to begin. Address and secrets are read in the
 * same statement, so nothing claimed later goes to an address that was replaced.
 */
export const claimDeliveries = statement<ClaimedDelivery & { body: string }>(
  'claim_due_deliveries',
  `select id, event_id as "eventId", event_type as "eventType", request_id as "requestId", traceparent, attempts,
     due_at::text as "dueAt", extract(epoch from clock_timestamp())::float8 as "claimedAt", body, url, secrets
   from claim_due_deliveries($1::uuid, $2::uuid, $3::int, $4::bigint, $5::float8, $6::text, $7::uuid[], $8::timestamptz,
     $9::uuid)`,
);

/**
 * Records attempts of one endpoint: log entry, state, next attempt and totals in one statement, each at most once.
 * An attempt counts for nobody but the holder of the claim; one that may not be sent any more gets its log entry and is
 * dropped unless it did arrive; nothing is written of an endpoint that is gone. Values: location, endpoint, worker,
 * delays before attempts 2 to 5 in seconds, then per attempt: delivery, number, event type, outcome, response code,
 * body, error, duration and the time since its end in milliseconds. A delivery that is changed at that very moment is left out: ask again.
 */
export const recordAttempts = statement<{ id: string }>(
  'record_attempts',
  `with results as materialized (
     select * from unnest($5::uuid[], $6::int[], $7::text[], $8::boolean[], $9::int[], $10::text[], $11::text[],
         $12::int[], $13::float8[])
       as r (id, attempt, event_type, ok, response_code, response_body, error, duration_ms, ended_ms_ago)
   ), found as materialized (
     select r.*, d.place, d.dropped from results r cross join lateral (
       select d.ctid as place, coalesce(d.status = 'dropped' or d.number <= ${deliversAfter('$1', '$2')}, true) as dropped
       from webhook_deliveries d
       where d.location_id = $1 and d.id = r.id and d.attempts = r.attempt - 1
         and (d.leased_by = $3 or d.leased_by is null) and d.status in ('pending', 'failed', 'dropped')
       limit 1
     ) d
     where exists (select from webhook_endpoints e where e.location_id = $1 and e.id = $2)
   ), recorded as (
     update webhook_deliveries d
     set attempts = r.attempt, leased_until = null, leased_by = null,
       status = case when r.ok then 'delivered' when r.dropped then 'dropped'
         when r.attempt > cardinality($4::float8[]) then 'dead' else 'failed' end::delivery_status,
       next_attempt_at = case when not r.ok and not r.dropped then
         now() - make_interval(secs => r.ended_ms_ago / 1000) + make_interval(secs => ($4::float8[])[r.attempt]) end
     from found r where d.ctid = r.place
     returning d.id, d.event_id, d.status, r.attempt, r.event_type, r.ok, r.response_code, r.response_body, r.error,
       r.duration_ms, r.ended_ms_ago
   ), counted as (
     insert into internal.work_totals as t (name, shard, total)
     select 'deliveries_' || o.outcome, get_byte(uuid_send($2), 15) & 63, count(*)
     from (select case when ok then 'delivered' when status = 'dead' then 'dead' else 'failed' end as outcome
           from recorded) o
     group by o.outcome order by o.outcome
     on conflict (name, shard) do update set total = t.total + excluded.total
   )
   insert into webhook_attempts (location_id, delivery_id, endpoint_id, event_id, event_type, attempt, status,
     response_code, response_body, error, duration_ms, attempted_at)
   select $1, r.id, $2, r.event_id, r.event_type, r.attempt,
     case when r.ok then 'delivered' when r.status = 'dead' then 'dead' else 'failed' end::delivery_status,
     r.response_code, r.response_body, r.error, r.duration_ms,
     now() - make_interval(secs => (r.ended_ms_ago + r.duration_ms) / 1000)
   from recorded r
   returning delivery_id as id`,
);

/**
 * When the endpoint has to be looked at next, at a location that is active: the first delivery that is due and not held, or whose claim
 * runs out. What somebody holds is looked at again a second later at the earliest. No row when nothing waits.
 */
export const nextDue = statement<{ runAt: Date }>(
  'next_delivery_due',
  `select greatest(d.next_attempt_at, d.leased_until,
     case when d.leased_by is not null then now() + interval '1 second' end) as "runAt" from webhook_deliveries d
   where d.location_id = $1 and d.endpoint_id = $2 and d.next_attempt_at is not null
     and d.number > ${deliversAfter('$1', '$2')}
     and (select l.status from locations l where l.id = $1) = 'active'
   order by 1 limit 1`,
);

// What is dropped or recorded is nobody's claim any more.

/** Gives claims back without an attempt; when they are due stays. */
export const returnDeliveries = statement(
  'return_deliveries',
  `update webhook_deliveries set leased_until = null, leased_by = null
   where ctid = any (array(select d.place from unnest($2::uuid[]) as v (id) cross join lateral (
     select ctid as place from webhook_deliveries where location_id = $1 and id = v.id and leased_by = $3
     for update) d))`,
);

/** Gives back every claim of a worker. */
export const releaseClaims = statement(
  'release_claims',
  `update webhook_deliveries set leased_until = null, leased_by = null
   where next_attempt_at is not null and leased_by = $1`,
);
