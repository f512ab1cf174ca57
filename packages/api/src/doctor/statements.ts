import { heartbeats, statement, unlikeSettings } from '@comanda/db';

export const setAside = statement<{ resource: string; error: string | null; count: number; most: number }>(
  'doctor_set_aside',
  `select resource, error, count(*)::int as count, max(failures)::int as most from internal.captured_changes
   where failures > 0 group by 1, 2 order by count desc, 1 limit 5`,
);

// An endpoint with a claim that is held is being worked on.
export const stuckDeliveries = statement<{ count: number; endpoints: number; oldestSeconds: number | null }>(
  'doctor_stuck_deliveries',
  `select count(*)::int as count, count(distinct endpoint_id)::int as endpoints,
     extract(epoch from now() - min(next_attempt_at))::float8 as "oldestSeconds"
   from (
     select d.endpoint_id, d.next_attempt_at from webhook_deliveries d
     join webhook_endpoints e on e.location_id = d.location_id and e.id = d.endpoint_id and e.status = 'active'
       and d.number > e.delivers_after
     where d.next_attempt_at <= now() - make_interval(secs => $1) and not exists (
       select from webhook_deliveries h where h.location_id = d.location_id and h.endpoint_id = d.endpoint_id
         and h.next_attempt_at is not null and h.leased_until > now())
     order by d.next_attempt_at limit 10000) stuck`,
);

export const failingEndpoints = statement<{ id: string; locationId: string; reason: string | null }>(
  'doctor_failing_endpoints',
  `select e.id, e.location_id as "locationId", l.reason from webhook_endpoints e, lateral (
     select count(*) as attempts, count(*) filter (where status = 'delivered') as delivered,
       max(attempted_at) as last, (array_agg(coalesce(error, 'HTTP ' || response_code) order by attempted_at desc))[1] as reason
     from (select a.status, a.attempted_at, a.error, a.response_code from webhook_attempts a
       where a.location_id = e.location_id and a.endpoint_id = e.id
       order by a.attempted_at desc, a.id desc limit $1) latest) l
   where e.status = 'active' and l.attempts >= $1 and l.delivered = 0 and l.last > now() - interval '1 day'
   order by e.id limit 100`,
);

export const deadDeliveries = statement<{ count: number; endpoints: number }>(
  'doctor_dead_deliveries',
  `select coalesce(sum(l.count), 0)::int as count, (count(*) filter (where l.count > 0))::int as endpoints
   from webhook_endpoints e, lateral (
     select count(*) as count from (select from webhook_attempts a
       where a.location_id = e.location_id and a.endpoint_id = e.id
         and a.attempted_at > now() - interval '1 day' and a.status = 'dead' limit 1000) dead) l`,
);

export const failedJobs = statement<{ task: string; count: number; error: string | null }>(
  'doctor_failed_jobs',
  `select task_identifier as task, count(*)::int as count, max(last_error) as error from graphile_worker.jobs
   where attempts >= max_attempts and locked_at is null group by 1 order by 1`,
);

export const databaseTime = statement<{ ms: number }>(
  'doctor_database_time',
  'select (extract(epoch from clock_timestamp()) * 1000)::float8 as ms',
);

export const version = statement<{ number: number; text: string }>(
  'doctor_version',
  `select current_setting('server_version_num')::int as number, current_setting('server_version') as text`,
);

export const longTransactions = statement<{ pid: number; name: string; idle: boolean; seconds: number }>(
  'doctor_long_transactions',
  `select pid, application_name as name, state like 'idle in transaction%' as idle,
     extract(epoch from now() - xact_start)::float8 as seconds
   from pg_stat_activity
   where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'
     and xact_start < now() - make_interval(secs => case when state like 'idle in transaction%' then $1 else $2 end::float8)
   order by xact_start limit 5`,
);

/**
 * Sessions that have locked one of our tables against writing, or have blocked another session for as long as $1
 * seconds. Migrations and vacuum hold such locks for less.
 */
export const heldLocks = statement<{
  pid: number;
  role: string | null;
  name: string | null;
  tables: string | null;
  waiting: number;
  seconds: number | null;
}>(
  'doctor_held_locks',
  `select h.pid, a.usename::text as role, a.application_name as name, string_agg(distinct h.what, ', ') as tables,
     count(distinct h.waits)::int as waiting, extract(epoch from clock_timestamp() - min(a.xact_start))::float8 as seconds
   from (
     select l.pid, c.relname || ' (' || l.mode || ')' as what, null::int as waits
     from pg_locks l join pg_class c on c.oid = l.relation
     where l.locktype = 'relation' and l.granted and c.relkind = 'r'
       and l.database = (select oid from pg_database where datname = current_database())
       and c.relnamespace in (to_regnamespace('public'), to_regnamespace('internal'))
       and l.mode in ('ShareLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock')
     union all
     -- Sessions of this database: others of the server wait for each other, too.
     select b.pid, null, w.pid from pg_locks w cross join lateral unnest(pg_blocking_pids(w.pid)) b (pid)
     where w.pid in (select s.pid from pg_stat_activity s where s.datname = current_database())
       and not w.granted and w.waitstart < clock_timestamp() - make_interval(secs => $1::float8)
   ) h left join pg_stat_activity a on a.pid = h.pid
   where h.pid <> pg_backend_pid()
   group by h.pid, a.usename, a.application_name order by waiting desc, h.pid limit 5`,
);

// Statements of another role are shown to members of pg_read_all_stats alone.
export const hiddenSessions = statement<{ role: string; count: number; others: string | null }>(
  'doctor_hidden_sessions',
  `select current_user::text as role, count(*)::int as count, string_agg(distinct usename::text, ', ') as others
   from pg_stat_activity where datname = current_database() and query = '<insufficient privilege>'`,
);

export const oldPrepared = statement<{ name: string; owner: string; seconds: number }>(
  'doctor_old_prepared',
  `select gid as name, owner::text, extract(epoch from now() - prepared)::float8 as seconds from pg_prepared_xacts
   where database = current_database() and prepared < now() - make_interval(secs => $1::float8) order by prepared limit 5`,
);

export const writeSomething = statement(
  'doctor_write_something',
  `insert into internal.process_heartbeats (id, kind, host, pid) values ('doctor ' || pg_backend_pid(), 'doctor', '', 0)`,
);

// Where row security hides from this role what its policies do not show.
export const hiddenQueue = statement<{ table: string }>(
  'doctor_hidden_queue',
  `select c.relname::text as table from pg_class c
   where c.relnamespace = 'graphile_worker'::regnamespace and c.relkind = 'r' and row_security_active(c.oid)
     and not exists (select from pg_policy p where p.polrelid = c.oid
       and (p.polroles = '{0}' or exists (select from unnest(p.polroles) r (oid) where pg_has_role(r.oid, 'USAGE')))) order by 1`,
);

// On a timer: the job that was queued last, or since when a worker is there to queue it.
export const queuedByClock = statement<{ known: number; minutes: number | null; last: Date | null }>(
  'doctor_queued_by_clock',
  `select count(*)::int as known, max(last_execution) as last,
     extract(epoch from now() - greatest(max(last_execution), min(known_since), (select min(h.started_at)
       from internal.process_heartbeats h where h.kind = 'worker' and h.seen_at > now() - interval '1 minute')))::float8 / 60 as minutes
   from graphile_worker._private_known_crontabs`,
);

export const probeState = statement<{ taken: boolean; error: string | null }>(
  'doctor_probe_state',
  'select locked_at is not null as taken, last_error as error from graphile_worker.jobs where id = $1::bigint',
);

export const removeProbe = statement(
  'doctor_remove_probe',
  'select id::text from graphile_worker.complete_jobs(array[$1::bigint])',
);

export const jobsAtWork = statement<{ count: number }>(
  'doctor_jobs_at_work',
  `select count(*)::int as count from graphile_worker.jobs
   where locked_at is not null and task_identifier = any ($1::text[])`,
);

// The session that has announced each change; a prepared transaction has no process.
export const openWriters = statement<{
  pid: number | null;
  prepared: string | null;
  name: string | null;
  seconds: number;
}>(
  'doctor_open_writers',
  `select c.pid, x.gid as prepared, a.application_name as name,
     extract(epoch from clock_timestamp() - c.announced)::float8 as seconds
   from announced_changes() c left join pg_stat_activity a on a.pid = c.pid
   left join pg_prepared_xacts x on c.pid is null and c.virtual_transaction = '-1/' || x.transaction::text
   where c.announced < clock_timestamp() - make_interval(secs => $1::float8) order by c.announced limit 5`,
);

export const neglectedTables = statement<{ table: string; dead: number; live: number }>(
  'doctor_neglected_tables',
  `select relname as table, n_dead_tup::float8 as dead, n_live_tup::float8 as live from pg_stat_user_tables
   where n_dead_tup >= $1 and n_dead_tup > n_live_tup order by n_dead_tup desc limit 5`,
);

export const sealedSecrets = statement<{
  locationId: string;
  endpointId: string;
  keyId: string;
  sealed: Buffer;
}>(
  'doctor_sealed_secrets',
  `select location_id as "locationId", endpoint_id as "endpointId", encryption_key_id as "keyId", sealed
   from internal.webhook_secrets where expires_at is null or expires_at > now() order by location_id, id limit 10000`,
);

export const workersThatCannotSign = statement<{ host: string; pid: number; endpoints: string[] }>(
  'doctor_workers_that_cannot_sign',
  `select h.host, h.pid, array_agg(e.id::text order by e.id) as endpoints from internal.process_heartbeats h
   join webhook_endpoints e on e.id = any (h.unsignable) and e.status = 'active'
   where h.kind = 'worker' and h.seen_at > now() - interval '${heartbeats.goneMs} milliseconds'
   group by h.id order by h.host, h.pid limit 100`,
);

/** Moves to another cell that are not over: those that wait at their step for longest first. */
export const openMoves = statement<{
  id: string;
  cell: string;
  step: string;
  stepSeconds: number;
  /** Null while the location is copied, and still active. */
  refusedSeconds: number | null;
}>(
  'doctor_moves_under_way',
  `select id, cell, step, extract(epoch from clock_timestamp() - step_at)::float8 as "stepSeconds",
     case when step not in ('copy', 'load', 'follow', 'arriving')
       then extract(epoch from clock_timestamp() - coalesce(refused_at, created_at))::float8 end as "refusedSeconds"
   from internal.location_moves where step <> 'done' order by step_at limit 100`,
);

export const retrySetAside = statement<{ count: number }>(
  'relay_retry',
  `with retried as (
     update internal.captured_changes set failures = 0, retry_at = null, error = null where failures > 0 returning 1
   ) select count(*)::int as count from retried`,
);

/**
 * The settings that a session through a pooler must have from its role, and lacks: then a statement may run for ever,
 * or is compiled.
 */
export const unsetForRequests = statement<{ names: string | null }>(
  'doctor_unset_for_requests',
  `select nullif(concat_ws(', ', case when current_setting('statement_timeout') = '0' then 'statement_timeout' end,
     case when current_setting('jit')::boolean and pg_jit_available() then 'jit = off' end, ${unlikeSettings}), '') as names`,
);
