import { statement } from '@comanda/db';

/** A delivery that this worker holds, with all that its next attempt needs. */
export interface ClaimedDelivery {
  id: string;
  eventId: string;
  eventType: string;
  /** Attempts that were made before. */
  attempts: number;
  body: string;
  url: string;
  /** The signing secrets that are valid now, newest first, as they are stored. */
  secrets: { keyId: string; sealed: string }[] | null;
}

/**
 * Claims what is due for an endpoint: location, endpoint, how many, for how many milliseconds, by whom.
 * Address and secrets are read in the same statement, so nothing goes to an address that was replaced.
 */
export const claimDeliveries = statement<ClaimedDelivery>(
  'claim_deliveries',
  `with due as (
     select d.location_id, d.id from webhook_deliveries d
     where d.location_id = $1 and d.endpoint_id = $2
       and d.next_attempt_at <= now() and (d.leased_until is null or d.leased_until <= now())
       and (select e.status from webhook_endpoints e where e.location_id = $1 and e.id = $2) = 'active'
     order by d.next_attempt_at, d.id limit $3
     for update skip locked
   ), claimed as (
     update webhook_deliveries d
     set leased_until = now() + make_interval(secs => $4::float8 / 1000), leased_by = $5
     from due where d.location_id = due.location_id and d.id = due.id
     returning d.id, d.event_id, d.attempts, d.next_attempt_at
   )
   select c.id, c.event_id as "eventId", v.type as "eventType", c.attempts, e.url,
     case when e.api_version = 'v1'
       then coalesce(v.body_v1, regexp_replace(v.body, '"api_version":"v2"', '"api_version":"v1"'))
       else v.body end as body,
     (select json_agg(json_build_object('keyId', s.encryption_key_id, 'sealed', encode(s.sealed, 'hex'))
        order by s.created_at desc, s.id desc)
      from webhook_secrets s where s.location_id = $1 and s.endpoint_id = $2
        and (s.expires_at is null or s.expires_at > now())) as secrets
   from claimed c
   join events v on v.location_id = $1 and v.id = c.event_id
   join webhook_endpoints e on e.location_id = $1 and e.id = $2
   order by c.next_attempt_at, c.id`,
);

/**
 * Records attempts of one endpoint: log entry, state and next attempt in one statement, each at most once.
 * An attempt counts for nobody but the holder of the claim; a delivery that was dropped meanwhile gets its log
 * entry and stays dropped unless it did arrive. Values: location, endpoint, worker, delays before attempts 2 to
 * 5 in seconds, then per attempt: delivery, number, outcome, response code, body, error, duration and the time
 * since its end in milliseconds.
 */
export const recordAttempts = statement<{ id: string; status: string }>(
  'record_attempts',
  `with results as (
     select * from unnest($5::uuid[], $6::int[], $7::boolean[], $8::int[], $9::text[], $10::text[], $11::int[], $12::float8[])
       as r (id, attempt, ok, response_code, response_body, error, duration_ms, ended_ms_ago)
   ), recorded as (
     update webhook_deliveries d
     set attempts = r.attempt, leased_until = null, leased_by = null,
       status = case when r.ok then 'delivered' when d.status = 'dropped' then 'dropped'
         when r.attempt > cardinality($4::float8[]) then 'dead' else 'failed' end::delivery_status,
       next_attempt_at = case when not r.ok and d.status <> 'dropped' then
         now() - make_interval(secs => r.ended_ms_ago / 1000) + make_interval(secs => ($4::float8[])[r.attempt]) end
     from results r
     where d.location_id = $1 and d.id = r.id and d.attempts = r.attempt - 1
       and (d.leased_by = $3 or d.leased_by is null) and d.status in ('pending', 'failed', 'dropped')
     returning d.id, d.event_id, d.status, r.attempt, r.ok, r.response_code, r.response_body, r.error,
       r.duration_ms, r.ended_ms_ago
   )
   insert into webhook_attempts (location_id, delivery_id, endpoint_id, event_id, event_type, attempt, status,
     response_code, response_body, error, duration_ms, attempted_at)
   select $1, r.id, $2, r.event_id, v.type, r.attempt,
     case when r.ok then 'delivered' when r.status = 'dead' then 'dead' else 'failed' end::delivery_status,
     r.response_code, r.response_body, r.error, r.duration_ms,
     now() - make_interval(secs => (r.ended_ms_ago + r.duration_ms) / 1000)
   from recorded r join events v on v.location_id = $1 and v.id = r.event_id
   returning delivery_id as id, status`,
);

/**
 * When the endpoint has to be looked at next: the first delivery that is due and not held, or whose claim
 * runs out. No row when nothing waits.
 */
export const nextDue = statement<{ runAt: Date }>(
  'next_delivery_due',
  `select greatest(d.next_attempt_at, d.leased_until) as "runAt" from webhook_deliveries d
   join webhook_endpoints e on e.location_id = d.location_id and e.id = d.endpoint_id and e.status = 'active'
   where d.location_id = $1 and d.endpoint_id = $2 and d.next_attempt_at is not null
   order by 1 limit 1`,
);

/** Gives claims back without an attempt, to be tried again after so many seconds. */
export const postponeDeliveries = statement(
  'postpone_deliveries',
  `update webhook_deliveries set leased_until = null, leased_by = null,
     next_attempt_at = now() + make_interval(secs => $4::float8)
   where location_id = $1 and id = any ($2::uuid[]) and leased_by = $3 and next_attempt_at is not null`,
);

/** Gives back every claim of a worker. */
export const releaseClaims = statement(
  'release_claims',
  `update webhook_deliveries set leased_until = null, leased_by = null
   where next_attempt_at is not null and leased_by = $1`,
);
