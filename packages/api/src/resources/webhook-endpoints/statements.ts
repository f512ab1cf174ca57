import { type Statement, statement } from '@comanda/db';
import { type FilterSql, givenFilters } from '../../call/filters.ts';
import { type PageText, pageStatement } from '../../call/page-text.ts';
import type { Revised } from '../../call/tags.ts';
import { keptByName } from '../../kept.ts';
import { mostDead, type WebhookDeliveryList } from './schema.ts';

// Not Prisma: four statements and their transaction cost it more than 1.5 ms of Node.

/** An endpoint as JSON text, without its secret. */
export interface EndpointText extends Revised {
  id: string;
  doc: string;
}

const zone = '(select l.timezone from locations l where l.id = r.location_id)';
// Workers write it every ten seconds at most. Dead deliveries are counted up to so many: a list costs the same after
// any number of failures.
const health = `coalesce((select coalesce(',"last_delivered_at":"' || wire_time(h.last_delivered_at, ${zone}) || '"', '')
    || coalesce(',"failing_since":"' || wire_time(h.failing_since, ${zone}) || '"', '')
  from internal.endpoint_health h where h.location_id = r.location_id and h.endpoint_id = r.id), '')
  || ',"dead_count":' || (select count(*) from (select from webhook_deliveries d
    where d.location_id = r.location_id and d.endpoint_id = r.id and d.status = 'dead' limit ${mostDead}) dead)`;
const entry = `'{"id":"' || r.id || '","url":' || to_json(r.url)::text || ',"events":' || to_json(r.events)::text
  || ',"status":"' || r.status || '"' || case r.include when '{}' then '' else ',"include":' || to_json(r.include)::text end
  || ',"created_at":"' || wire_time(r.created_at, ${zone}) || '"' || ${health} || '}'`;
const one = 'where r.location_id = $1::uuid and r.id = $2::uuid';

/** $1 location, $2 limit, $3 offset. */
export const listEndpoints = pageStatement({
  name: 'list_webhook_endpoints',
  table: 'webhook_endpoints',
  order: 'r.created_at desc, r.id desc',
  entry,
});

/** $1 location, $2 id. */
export const readEndpoint = statement<EndpointText>(
  'read_webhook_endpoint',
  `select r.id, r.revision, ${entry} as doc from webhook_endpoints r ${one}`,
);

/** $1 location, $2 id. */
export const holdEndpoint = statement<EndpointText>(
  'hold_webhook_endpoint',
  `select r.id, r.revision, ${entry} as doc from webhook_endpoints r ${one} for no key update`,
);

/** $1 location. */
export const holdLocation = statement(
  'hold_location',
  'select id from locations where id = $1::uuid for no key update',
);

/** $1 location, $2 id, $3 url, $4 events, $5 api version, $6 how many a location may have, $7 include. No row: it has them. */
export const insertEndpoint = statement<EndpointText>(
  'insert_webhook_endpoint',
  `insert into webhook_endpoints as r (location_id, id, url, events, api_version, include)
   select $1::uuid, $2::uuid, $3, $4::text[], $5, $7::text[]
   where (select count(*) from webhook_endpoints e where e.location_id = $1::uuid) < $6 returning r.id, r.revision, ${entry} as doc`,
);

/** $1 location, $2 id, $3 url, $4 events, $5 status, $6 include; null: stays as it is. */
export const updateEndpoint = statement<EndpointText>(
  'update_webhook_endpoint',
  `update webhook_endpoints r set url = coalesce($3, r.url), events = coalesce($4::text[], r.events),
     status = coalesce($5::webhook_endpoint_status, r.status), include = coalesce($6::text[], r.include)
   ${one} returning r.id, r.revision, ${entry} as doc`,
);

/** $1 location, $2 id. The certification that runs leaves the status of this endpoint alone from now on. */
export const letGo = statement(
  'let_go_of_webhook_endpoint',
  `update certifications set held_endpoint_id = null
   where location_id = $1::uuid and status = 'running' and held_endpoint_id = $2::uuid`,
);

/** $1 location, $2 id. */
export const deleteEndpoint = statement<EndpointText>(
  'delete_webhook_endpoint',
  `delete from webhook_endpoints r ${one} returning r.id, r.revision, ${entry} as doc`,
);

/** $1 location, $2 endpoint, $3 key id, $4 sealed secret. */
export const insertSecret = statement(
  'insert_webhook_secret',
  `insert into internal.webhook_secrets (location_id, endpoint_id, encryption_key_id, sealed)
   values ($1::uuid, $2::uuid, $3, $4::bytea)`,
);

/**
 * $1 location, $2 endpoint, $3 whether at once: then those that run out as well. The clock is the one that judges expiry, not
 * that of this process.
 */
export const expireSecrets = statement<{ expires_at: Date }>(
  'expire_webhook_secrets',
  `update internal.webhook_secrets set expires_at = now() + case when $3::boolean then interval '0' else interval '24 hours' end
   where location_id = $1::uuid and endpoint_id = $2::uuid
     and (expires_at is null or $3::boolean and expires_at > now()) returning expires_at`,
);

/** $1 location, $2 endpoint, $3 event id. */
export const captureTest = statement(
  'capture_webhook_test',
  `insert into internal.captured_changes (location_id, resource, operation, resource_ids, after)
   values ($1::uuid, 'webhook_endpoint', 'test', array[$2::uuid], array[jsonb_build_object('event_id', $3::text)])`,
);

export const holdForReplay = statement<{
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

export const findEndpoint = statement(
  'find_webhook_endpoint',
  'select from webhook_endpoints where location_id = $1::uuid and id = $2::uuid',
);

const filterSql: FilterSql<Pick<WebhookDeliveryList, 'status' | 'event_type'>> = {
  status: (value) => `r.status = ${value}::delivery_status`,
  event_type: (value) => `r.event_type = ${value}`,
};

const waits = `e.status = 'active' and d.number > e.delivers_after and d.status = 'failed' and d.attempts = r.attempt`;
const kept = keptByName<Statement<PageText>>();

/** The statement that lists what passes the filters, and its values from $4 on: the endpoint first. */
export function listAttempts(input: WebhookDeliveryList): {
  statement: Statement<PageText>;
  values: unknown[];
} {
  const given = givenFilters(filterSql, input);
  const name = ['list_webhook_attempts', ...given.names].join('_');
  const statement = kept(name, () => attempts(name, given.where(5)));
  return { statement, values: [input.id, ...given.values] };
}

const attempts = (name: string, narrowed: string) =>
  pageStatement({
    name,
    table: 'webhook_attempts',
    order: 'r.attempted_at desc, r.id desc',
    where: `and r.endpoint_id = $4::uuid${narrowed}`,
    joins: `cross join lateral (select * from webhook_deliveries where location_id = $1::uuid and id = r.delivery_id limit 1) d
      join webhook_endpoints e on e.location_id = $1::uuid and e.id = $4::uuid join locations l on l.id = $1::uuid`,
    entry: `'{"id":"' || r.id || '","event_id":"' || r.event_id || '","event_type":' || to_json(r.event_type)::text
      || ',"attempt":' || r.attempt || ',"status":"' || r.status || '"' || coalesce(',"response_code":' || r.response_code, '')
      || coalesce(',"error":' || to_json(r.error)::text, '') || coalesce(',"response_body":' || to_json(r.response_body)::text, '')
      || ',"duration_ms":' || r.duration_ms
      || ',"attempted_at":"' || wire_time(r.attempted_at, l.timezone) || '"'
      || coalesce(',"next_attempt_at":"' || wire_time(case when ${waits} then d.next_attempt_at end, l.timezone) || '"', '')
      || case when d.replayed then ',"replayed":true' else '' end
      || case when r.event_type = 'webhook.test' then ',"simulated":true' else '' end || '}'`,
  });
