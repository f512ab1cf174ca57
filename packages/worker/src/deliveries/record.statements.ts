import { type Statement, statement } from '@comanda/db';
import { deliversAfter } from './statements.ts';

// Both statements are one text. Attempts of one endpoint read that endpoint once; those of many name it row by row.

/** A delivery whose attempt was recorded. */
interface Recorded {
  id: string;
}

/**
 * Records attempts of one endpoint: log entry, state, next attempt and totals in one statement, each at most once. An
 * attempt counts for the holder of the claim alone; one that may not be sent any more gets its log entry and is dropped
 * unless it did arrive; nothing is written of an endpoint that is deleted. Values: worker, delays before attempts 2 to
 * 5 in seconds, then per attempt: delivery, number, event type, outcome, response code, body, error, duration and the
 * time since its end in milliseconds; then location and endpoint. A delivery that is changed at that very moment is
 * left out: ask again.
 */
export const recordAttempts: Statement<Recorded> = recording('record_attempts', {
  named: '',
  locationId: '$12::uuid',
  endpointId: '$13::uuid',
  lock: '',
  shard: 'get_byte(uuid_send($13::uuid), 15)',
});

/**
 * The same of many endpoints: location and endpoint per attempt. A delivery that another transaction holds is left
 * out, so that it delays no others.
 */
export const recordAttemptsOfMany: Statement<Recorded> = recording('record_attempts_of_many', {
  named: ', location_id, endpoint_id',
  locationId: 'r.location_id',
  endpointId: 'r.endpoint_id',
  lock: 'for update skip locked',
  shard: 'hashtext($1)',
});

interface Named {
  /** Further columns of the attempts. */
  named: string;
  locationId: string;
  endpointId: string;
  lock: string;
  /** A number that spreads the totals over their rows. */
  shard: string;
}

function recording(name: string, { named, locationId, endpointId, lock, shard }: Named): Statement<Recorded> {
  const more = named === '' ? '' : ', $12::uuid[], $13::uuid[]';
  return statement<Recorded>(
    name,
    `with results as materialized (
     select * from unnest($3::uuid[], $4::int[], $5::text[], $6::boolean[], $7::int[], $8::text[], $9::text[],
         $10::int[], $11::float8[]${more})
       as r (id, attempt, event_type, ok, response_code, response_body, error, duration_ms, ended_ms_ago${named})
   ), found as materialized (
     select r.*, d.place, d.dropped from results r cross join lateral (
       select d.ctid as place, coalesce(d.status = 'dropped' or d.number <= ${deliversAfter(locationId, endpointId)}, true) as dropped
       from webhook_deliveries d
       where d.location_id = ${locationId} and d.id = r.id and d.attempts = r.attempt - 1
         and (d.leased_by = $1 or d.leased_by is null) and d.status in ('pending', 'failed', 'dropped')
       limit 1 ${lock}
     ) d
     where exists (select from webhook_endpoints e where e.location_id = ${locationId} and e.id = ${endpointId})
   ), recorded as (
     update webhook_deliveries d
     set attempts = r.attempt, leased_until = null, leased_by = null,
       status = case when r.ok then 'delivered' when r.dropped then 'dropped'
         when r.attempt > cardinality($2::float8[]) then 'dead' else 'failed' end::delivery_status,
       next_attempt_at = case when not r.ok and not r.dropped then
         now() - make_interval(secs => r.ended_ms_ago / 1000) + make_interval(secs => ($2::float8[])[r.attempt]) end
     from found r where d.ctid = r.place
     returning d.location_id, d.endpoint_id, d.id, d.event_id, d.status, r.attempt, r.event_type, r.ok, r.response_code,
       r.response_body, r.error, r.duration_ms, r.ended_ms_ago
   ), counted as (
     insert into internal.work_totals as t (name, shard, total)
     select 'deliveries_' || o.outcome, ${shard} & 63, count(*)
     from (select case when ok then 'delivered' when status = 'dead' then 'dead' else 'failed' end as outcome
           from recorded) o
     group by o.outcome order by o.outcome
     on conflict (name, shard) do update set total = t.total + excluded.total
   )
   insert into webhook_attempts (location_id, delivery_id, endpoint_id, event_id, event_type, attempt, status,
     response_code, response_body, error, duration_ms, attempted_at)
   select r.location_id, r.id, r.endpoint_id, r.event_id, r.event_type, r.attempt,
     case when r.ok then 'delivered' when r.status = 'dead' then 'dead' else 'failed' end::delivery_status,
     r.response_code, r.response_body, r.error, r.duration_ms,
     now() - make_interval(secs => (r.ended_ms_ago + r.duration_ms) / 1000)
   from recorded r
   returning delivery_id as id`,
  );
}
