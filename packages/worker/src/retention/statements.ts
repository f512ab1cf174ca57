import { type Statement, statement } from '@comanda/db';
import type { ScopeRow } from './batch.ts';
import { before } from './border.ts';

// Hot tables have no index for this: old rows are found location by location, at the end of an index that is there
// anyway. A look at a location that holds nothing old is one probe.

type Removed = { removed: number };

/** Locations by id: $1 the last one before, $2 days, $3 how many. */
function locations(name: string, old: string): Statement<ScopeRow> {
  return statement(
    `retention_${name}_scopes`,
    `select l.id, coalesce(${old}, false) as old
     from (select id from locations where id > $1::uuid order by id limit $3) l order by l.id`,
  );
}

/** Removes rows named by their primary key: `old` selects it. */
function removal(name: string, table: string, key: readonly string[], old: string): Statement<Removed> {
  const same = key.map((column) => `t.${column} = old.${column}`).join(' and ');
  return statement(
    `retention_remove_${name}`,
    `with old as materialized (${old}), gone as (delete from ${table} t using old where ${same} returning 1)
     select count(*)::int as removed from gone`,
  );
}

export const locationsWithOldEvents = locations(
  'events',
  `(select e.created_at from events e where e.location_id = l.id order by e.number limit 1) < ${before('$2')}`,
);

export const locationsWithOldAttempts = locations(
  'attempts',
  `exists (select from webhook_endpoints w where w.location_id = l.id and (
     select a.attempted_at from webhook_attempts a where a.location_id = w.location_id and a.endpoint_id = w.id
     order by a.attempted_at, a.id limit 1) < ${before('$2')})`,
);

/** An attempt stays as long as its delivery waits for another one. */
export const removeAttempts = removal(
  'attempts',
  'webhook_attempts',
  ['location_id', 'id'],
  `select a.location_id, a.id from webhook_endpoints w cross join lateral (
     select a.location_id, a.id from webhook_attempts a
     where a.location_id = w.location_id and a.endpoint_id = w.id and a.attempted_at < ${before('$2')}
       and exists (select from webhook_deliveries d
         where d.location_id = a.location_id and d.id = a.delivery_id and d.next_attempt_at is null)
     order by a.attempted_at, a.id limit $3) a
   where w.location_id = $1::uuid limit $3`,
);

export const locationsWithOldSyncJobs = locations(
  'sync_jobs',
  `exists (select from sync_jobs j where j.location_id = l.id and j.created_at < ${before('$2')}
     and j.completed_at < ${before('$2')} and j.status in ('completed', 'failed'))`,
);

export const removeSyncJobs = removal(
  'sync_jobs',
  'sync_jobs',
  ['location_id', 'id'],
  `select j.location_id, j.id from sync_jobs j
   where j.location_id = $1::uuid and j.created_at < ${before('$2')}
     and j.completed_at < ${before('$2')} and j.status in ('completed', 'failed')
   order by j.created_at, j.id limit $3 for update skip locked`,
);

export const locationsWithOldAudit = locations(
  'audit',
  `exists (select from audit_entries a where a.location_id = l.id and a.created_at < ${before('$2')})`,
);

/** A guard keeps the audit: the function alone may remove of it. */
export const removeAudit = statement<Removed>(
  'retention_remove_audit',
  'select remove_old_audit($1::uuid, $2::int, $3::int) as removed',
);

/** Rows that belong to no location: $1 days. */
export const removeLoneAudit = statement<Removed>(
  'retention_remove_lone_audit',
  'select remove_old_audit(null, $1::int, $2::int) as removed',
);

export const locationsWithOldDeletions = locations(
  'deletions',
  `exists (select from unnest('{product,category}'::text[]) as k (resource) where (
     select d.deleted_at from internal.deleted_records d where d.location_id = l.id and d.resource = k.resource
     order by d.deleted_at limit 1) < ${before('$2')})`,
);

export const removeDeletions = removal(
  'deletions',
  'internal.deleted_records',
  ['location_id', 'resource', 'deleted_at', 'id'],
  `select d.* from unnest('{product,category}'::text[]) as k (resource) cross join lateral (
     select d.location_id, d.resource, d.deleted_at, d.id from internal.deleted_records d
     where d.location_id = $1::uuid and d.resource = k.resource and d.deleted_at < ${before('$2')}
     order by d.deleted_at limit $3) d
   limit $3`,
);

// A window is old from its end on: that of a month lasts as long as the month.
const windowLengths = `(values ('minute', interval '1 minute'), ('batch_hour', interval '1 hour'),
  ('month', interval '1 month')) as k (name, length)`;

/** Keys by id, those that are gone too: each is one step in the primary key. */
export const keysWithOldWindows = statement<ScopeRow>(
  'retention_windows_scopes',
  `with recursive keys as (
     select (select c.api_key_id from internal.limit_counters c where c.api_key_id > $1::uuid order by 1 limit 1) as id, 1 as n
     union all
     select (select c.api_key_id from internal.limit_counters c where c.api_key_id > keys.id order by 1 limit 1), n + 1
     from keys where keys.id is not null and n < $3
   )
   select keys.id, exists (select from ${windowLengths}, internal.limit_counters c
     where c.api_key_id = keys.id and c."window" = k.name and c.window_start < ${before('$2')} - k.length) as old
   from keys where keys.id is not null order by keys.id`,
);

export const removeLimitWindows = removal(
  'limit_windows',
  'internal.limit_counters',
  ['api_key_id', '"window"', 'window_start'],
  `select c.api_key_id, c."window", c.window_start from ${windowLengths} cross join lateral (
     select c.api_key_id, c."window", c.window_start from internal.limit_counters c
     where c.api_key_id = $1::uuid and c."window" = k.name and c.window_start < ${before('$2')} - k.length
     order by c.window_start limit $3) c
   limit $3`,
);

/** A key that was used again meanwhile is not old any more: its row is held, or judged again. $1 hours. */
export const removeIdempotencyKeys = removal(
  'idempotency_keys',
  'internal.idempotency_keys',
  ['location_id', 'api_key_id', 'operation', 'key'],
  `select i.location_id, i.api_key_id, i.operation, i.key from internal.idempotency_keys i
   where i.created_at < now() - make_interval(hours => $1::int + 1)
   order by i.created_at limit $2 for update skip locked`,
);

/** A job that failed ten times waits for a person, and no worker runs it any more. $1 days. */
export const removeSetAside = removal(
  'set_aside',
  'internal.captured_changes',
  ['location_id', 'id', 'line'],
  `select c.location_id, c.id, c.line from internal.captured_changes c where c.failures >= 10 and c.captured_at < ${before('$1')}
   order by c.id limit $2 for update skip locked`,
);

/** Through the queue's own function: its tables are its own. $1 days. */
export const removeFailedJobs = statement<Removed>(
  'retention_remove_failed_jobs',
  `select count(*)::int as removed from graphile_worker.complete_jobs(array(
     select j.id from graphile_worker.jobs j
     where j.attempts >= j.max_attempts and j.locked_at is null and j.updated_at < ${before('$1')}
     order by j.id limit $2))`,
);
