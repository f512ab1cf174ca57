import { statement } from '@comanda/db';

/** The part that a lease took and the state that it found; times in Unix seconds by the database's clock. */
export interface LeaseRow {
  now: number;
  /** No other API process lives. */
  alone: boolean;
  minute_start: number;
  minute_end: number;
  minute_granted: number;
  /** The part that no process holds. */
  minute_left: number;
  month_start: number;
  month_end: number;
  month_granted: number;
  month_left: number;
}

/** Takes a block from minute and month in one go; the function's own comment has the parameters. */
export const leaseLimits = statement<LeaseRow>(
  'lease_limits',
  'select * from lease_limits($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)',
);

/** Gives back what was taken and not used. Rows are locked in the order in which leases lock them. */
export const returnTokens = statement(
  'return_tokens',
  `with returned as (
    select r.key, r."window", to_timestamp(r.start) as start, r.tokens
    from unnest($1::uuid[], $2::text[], $3::float8[], $4::int[]) as r (key, "window", start, tokens)
  ), locked as (
    select c.api_key_id, c."window", c.window_start, r.tokens
    from internal.limit_counters c
    join returned r on c.api_key_id = r.key and c."window" = r."window" and c.window_start = r.start
    order by 1, 2, 3 for update of c
  )
  update internal.limit_counters c set used = greatest(0, c.used - l.tokens) from locked l
  where c.api_key_id = l.api_key_id and c."window" = l."window" and c.window_start = l.window_start`,
);

/** The hour of a key's batch jobs; times in Unix seconds. */
export interface BatchHourRow {
  now: number;
  ends: number;
  used: number | null;
}

/** How many batch jobs the hour has seen. $1 key, $2 time or null. */
export const readBatchHour = statement<BatchHourRow>(
  'read_batch_hour',
  `select extract(epoch from h.now)::float8 as now, extract(epoch from h.start)::float8 + 3600 as ends,
    coalesce((select c.used from internal.limit_counters c
      where c.api_key_id = $1 and c."window" = 'batch_hour' and c.window_start = h.start), 0) as used
  from (select t.now, date_trunc('hour', t.now, 'UTC') as start
    from (select coalesce($2::timestamptz, clock_timestamp()) as now) t) h`,
);

/** Counts one batch job, unless the hour is full: then `used` is null. $1 key, $2 time or null, $3 limit. */
export const countBatchJob = statement<BatchHourRow>(
  'count_batch_job',
  `with h as materialized (
    select t.now, date_trunc('hour', t.now, 'UTC') as start
    from (select coalesce($2::timestamptz, clock_timestamp()) as now) t
  ), counted as (
    insert into internal.limit_counters as c (api_key_id, "window", window_start, used)
    select $1, 'batch_hour', h.start, 1 from h where $3::int > 0
    on conflict (api_key_id, "window", window_start) do update set used = c.used + 1 where c.used < $3::int
    returning used
  )
  select extract(epoch from h.now)::float8 as now, extract(epoch from h.start)::float8 + 3600 as ends,
    (select used from counted) as used
  from h`,
);

/** The count of a window, and its end in Unix seconds. */
export interface WindowRow {
  used: number;
  ends: number;
}

/** The counts of a key in its windows. $1 key, $2 time or null. */
export const readUsage = statement<Record<'minute' | 'month' | 'batch_hour', WindowRow>>(
  'read_usage',
  `with t as materialized (select coalesce($2::timestamptz, clock_timestamp()) at time zone 'UTC' as now),
   windows as (
     select w.name, w.unit, date_trunc(w.unit, t.now) at time zone 'UTC' as starts,
       (date_trunc(w.unit, t.now) + ('1 ' || w.unit)::interval) at time zone 'UTC' as ends
     from t, (values ('minute', 'minute'), ('month', 'month'), ('batch_hour', 'hour')) as w (name, unit)
   ), usage as (
     select w.name, json_build_object('used', coalesce(c.used, 0), 'ends', extract(epoch from w.ends)) as doc
     from windows w
     left join lateral (select c.used from internal.limit_counters c
       where c.api_key_id = $1::uuid and c."window" = w.name and c.window_start = w.starts limit 1) c on true
   )
   select (select doc from usage where name = 'minute') as minute, (select doc from usage where name = 'month') as month,
     (select doc from usage where name = 'batch_hour') as batch_hour`,
);

/** Forgets API processes that ended without saying so, long after they stopped to count. */
export const forgetDeadProcesses = statement(
  'forget_dead_processes',
  `delete from internal.process_heartbeats where kind = 'api' and seen_at < now() - interval '1 hour'`,
);
