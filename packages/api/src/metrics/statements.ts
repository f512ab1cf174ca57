import { heartbeats, publishing, statement } from '@comanda/db';
import { countedAtMost } from './table.ts';

const few = (rows: string) => `(select count(*)::int from (${rows} limit ${countedAtMost}) counted)`;

const counted = (rows: string) =>
  `(select least(${countedAtMost}, coalesce(sum(cardinality(resource_ids)), 0))::int from (${rows} limit ${countedAtMost}) counted)`;

export const relayBacklog = statement<{ waiting: number; setAside: number; lagSeconds: number | null }>(
  'metrics_relay_backlog',
  `select ${counted('select resource_ids from internal.captured_changes where failures = 0')} as waiting,
     ${counted('select resource_ids from internal.captured_changes where failures > 0 order by retry_at')} as "setAside",
     (select greatest(0, extract(epoch from now() - min(captured_at)))::float8 from waiting_locations()) as "lagSeconds"`,
);

/**
 * Whether changes wait and none has been published for so many seconds, and how many are set aside. A change that cannot be published counts
 * until others that came later are: it holds up none of them. The backlog is read only when nothing has been published lately.
 */
export const publishingState = statement<{ stalled: boolean; setAside: number }>(
  'metrics_publishing_state',
  `select case when l.at > now() - interval '${publishing.stalledMs} milliseconds' then false
     else exists (select from waiting_locations() w where w.captured_at < now() - interval '${publishing.stalledMs} milliseconds')
       or exists (select from internal.captured_changes c where c.failures > 0
         and c.captured_at < now() - interval '${publishing.stalledMs} milliseconds' and c.captured_at > l.at) end as stalled,
     ${counted('select resource_ids from internal.captured_changes where failures > 0 order by retry_at')} as "setAside"
   from (select coalesce(max(published_at), '-infinity') as at from internal.process_heartbeats where kind = 'worker') l`,
);

// In the order of the index on due times, so that nothing else is read.
export const deliveryQueue = statement<{ due: number; scheduled: number; oldestSeconds: number | null }>(
  'metrics_delivery_queue',
  `select
     ${few('select from webhook_deliveries where next_attempt_at <= now() order by next_attempt_at')} as due,
     ${few('select from webhook_deliveries where next_attempt_at > now() order by next_attempt_at')} as scheduled,
     (select extract(epoch from now() - next_attempt_at)::float8 from webhook_deliveries
      where next_attempt_at <= now() order by next_attempt_at limit 1) as "oldestSeconds"`,
);

export const failingEndpoints = statement<{ failing: number }>(
  'metrics_failing_endpoints',
  `select ${few(`select from internal.endpoint_health h
     cross join lateral (select from webhook_endpoints e
       where e.location_id = h.location_id and e.id = h.endpoint_id and e.status = 'active' limit 1) active
     where h.failing_since is not null`)} as failing`,
);

export const totals = statement<{ name: string; total: number }>(
  'metrics_totals',
  'select name, sum(total)::float8 as total from internal.work_totals group by name',
);

export const unfinishedSyncJobs = statement<{ status: string; count: number; oldestSeconds: number }>(
  'metrics_sync_jobs',
  `select status::text as status, count(*)::int as count,
     max(greatest(0, extract(epoch from now() - created_at)))::float8 as "oldestSeconds"
   from (select status, created_at from sync_jobs where status in ('queued', 'processing')
     order by status, created_at limit ${countedAtMost}) counted
   group by status`,
);

export const readHeartbeats = statement<{
  kind: string;
  host: string;
  pid: number;
  ageSeconds: number;
  alive: boolean;
  /** The database's time less that of its machine; null where it has not said so. */
  clockSkewMs: number | null;
  /** A worker that sends no webhook. */
  paused: boolean;
}>(
  'metrics_heartbeats',
  `select kind, host, pid, greatest(0, extract(epoch from now() - seen_at))::float8 as "ageSeconds",
     seen_at > now() - interval '${heartbeats.goneMs} milliseconds' as alive,
     clock_skew_ms as "clockSkewMs", deliveries_paused as paused
   from internal.process_heartbeats where kind in ('api', 'worker') order by seen_at desc limit 1000`,
);

/** Connections of clients to the server, and how many there may be. */
export const connections = statement<{ used: number; usable: number }>(
  'metrics_connections',
  `select (select count(*)::int from pg_stat_activity where backend_type = 'client backend') as used,
     current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int as usable`,
);

/** How the archive of the server's log fares. Every role may read the view. */
export const archiver = statement<{
  mode: string;
  failedFile: string | null;
  failedSeconds: number | null;
  failures: number;
  archivedSeconds: number | null;
}>(
  'metrics_archiver',
  `select current_setting('archive_mode') as mode, last_failed_wal as "failedFile", failed_count::int as failures,
     extract(epoch from clock_timestamp() - last_failed_time)::float8 as "failedSeconds",
     extract(epoch from clock_timestamp() - last_archived_time)::float8 as "archivedSeconds" from pg_stat_archiver`,
);

/** Of the tables whose storage is set for many changes. Sizes are as of the last vacuum: to ask the files would wait for locks. */
export const busyTables = statement<{ table: string; live: number; dead: number; bytes: number }>(
  'metrics_busy_tables',
  `select s.relname::text as table, s.n_live_tup::float8 as live, s.n_dead_tup::float8 as dead,
     greatest(0, c.relpages) * current_setting('block_size')::float8 as bytes
   from pg_stat_user_tables s join pg_class c on c.oid = s.relid
   where s.schemaname in ('public', 'internal') and c.reloptions is not null order by 1 limit 50`,
);

export const databaseSize = statement<{ bytes: number }>(
  'metrics_database_size',
  'select pg_database_size(current_database())::float8 as bytes',
);

export const queueExists = statement<{ exists: boolean }>(
  'metrics_queue_exists',
  `select to_regclass('graphile_worker.jobs') is not null as exists`,
);

export const queuedJobs = statement<{ task: string; state: string; count: number }>(
  'metrics_queued_jobs',
  `select task_identifier as task, state, count(*)::int as count from (
     select task_identifier, case when locked_at is not null then 'locked' when attempts >= max_attempts then 'failed'
       when run_at <= now() then 'ready' else 'scheduled' end as state
     from graphile_worker.jobs limit ${countedAtMost}) counted
   group by 1, 2 order by 1, 2`,
);

/** Lets `beyondMemory` use the disk; for its transaction. */
export const littleMemory = statement(
  'readiness_little_memory',
  `select set_config('work_mem', '64kB', true)`,
);

/**
 * Sorts half a megabyte, beyond what `littleMemory` leaves it: it fails where the disk has no room. By two columns: a sort of one does not
 * count what its values take, and stays in memory.
 */
export const beyondMemory = statement(
  'readiness_beyond_memory',
  `select max(length(t)) as longest
   from (select repeat(g::text, 1000) as t, g from generate_series(1000, 1127) g order by t, g offset 0) sorted`,
);

/** Answers when requests can be served, so not where nothing can be written; says whether a worker beats. */
export const readiness = statement<{ worker: boolean }>(
  'metrics_readiness',
  `select exists (select from internal.process_heartbeats
     where kind = 'worker' and seen_at > now() - interval '${heartbeats.goneMs} milliseconds') as worker
   from (select count(*) from (select from internal.process_heartbeats where false for update) none) writable`,
);
