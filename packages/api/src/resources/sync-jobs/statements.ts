import { statement } from '@comanda/db';
import { pageStatement } from '../../call/page-text.ts';

const joins = 'join locations l on l.id = r.location_id';
const time = (name: string, column: string) =>
  `coalesce(',"${name}":"' || wire_time(${column}, l.timezone) || '"', '')`;
// Without its items, which may be 8 MiB.
const entry = (ids = '') =>
  `'{"job_id":"' || r.id || '","type":' || to_json(r.type)::text || ',"mode":"' || r.mode || '","status":"' || r.status
  || '","total_items":' || r.total_items || ',"processed_items":' || r.processed_items
  || ',"success_items":' || r.success_items || ',"failed_items":' || r.failed_items || ',"errors":' || r.errors
  || coalesce(',"error":' || to_json(r.error)::text, '') ${ids} || ${time('created_at', 'r.created_at')}
  || ${time('started_at', 'r.started_at')} || ${time('completed_at', 'r.completed_at')} || '}'`;

/** $1 location, $2 limit, $3 offset. */
export const listJobs = pageStatement({
  name: 'list_sync_jobs',
  table: 'sync_jobs',
  order: 'r.created_at desc, r.id desc',
  entry: entry(),
  joins,
  large: true,
});

/** $1 location, $2 id. */
export const readJob = statement<{ doc: string }>(
  'read_sync_job',
  `select ${entry(`|| coalesce(',"ids":' || r.applied::text, '')`)} as doc from sync_jobs r ${joins} where r.location_id = $1::uuid and r.id = $2::uuid`,
);

/** The status of a job. */
export interface JobState {
  mode: 'upsert' | 'create' | 'update';
  status: 'queued' | 'processing' | 'completed' | 'failed';
  total_items: number;
  processed_items: number;
  success_items: number;
  failed_items: number;
  request_id: string | null;
  traceparent: string | null;
  /** Whether it keeps the ids of what was applied. */
  keeps_ids: boolean;
}

const state =
  'mode, status, total_items, processed_items, success_items, failed_items, request_id, traceparent, applied is not null as keeps_ids';

// The job of another waits, and the sweeper queues it again once the location is active.
const isActive = `(select l.status from locations l where l.id = $1::uuid) = 'active'`;
const isUnfinished = `status in ('queued', 'processing')`;
const isDue = '(due_at is null or due_at <= now())';

/** Of a sync job `r`: a job of the queue has it under way. One whose worker has died is unlocked by the sweeper. */
const isHeld = `exists (select from graphile_worker._private_jobs q where q.id = r.queue_job and q.locked_at is not null
  and q.payload->>'locationId' = r.location_id::text)`;

const oldestDue = (status: 'queued' | 'processing') => `(
  select id as next, tries as tried, status as state from sync_jobs where location_id = $1::uuid and status = '${status}' and ${isDue}
  order by created_at, id limit 1)`;

/** A job that was begun. */
export interface BegunJob extends JobState {
  id: string;
  /** How often it was begun, this time included. */
  tries: number;
  items: unknown;
}

/** $1 location. Beginnings of its jobs come one after the other, so each sees which job the one before has begun. */
export const lockBeginning = statement(
  'lock_beginning_of_sync_jobs',
  `select pg_advisory_xact_lock(hashtextextended('begin sync job ' || $1::uuid, 0))`,
);

/**
 * $1 location, $2 the job of the queue that begins it. Begins the oldest sync job that is due: one that was begun
 * before and that no process has under way, else one that is queued. Nothing when another is under way, or was begun
 * just now. That does not wait for the disk: should a crash of the server forget it, the job is queued still.
 */
export const beginJob = statement<BegunJob>(
  'begin_sync_job',
  `with due as (
     select * from (${oldestDue('processing')} union all ${oldestDue('queued')}) oldest
     where ${isActive} and not exists (select from sync_jobs r
       where r.location_id = $1::uuid and r.status = 'processing' and r.queue_job <> $2::bigint and ${isHeld})
     order by state desc limit 1
   )
   update sync_jobs set status = 'processing', started_at = coalesce(started_at, clock_timestamp()), tries = tries + 1, due_at = null,
     queue_job = $2::bigint
   from due where location_id = $1::uuid and id = next and tries = tried and ${isUnfinished}
   returning id, tries, items, ${state}, set_config('synchronous_commit', 'off', true)`,
);

/**
 * $1 location. When its next sync job is due, if one waits. Asked after the end of one: who was queued meanwhile has found
 * that one under way.
 */
export const nextDue = statement<{ at: Date; isNow: boolean }>(
  'next_sync_job_due',
  `select at, at <= now() as "isNow" from (
     select case when exists (select from sync_jobs where location_id = $1::uuid and ${isUnfinished} and ${isDue}) then now()
       else (select min(due_at) from sync_jobs where location_id = $1::uuid and ${isUnfinished}) end as at
     where ${isActive}) due
   where at is not null`,
);

/** $1 location, $2 job. It is tried again, later with each try; others of the location go before it. */
export const postponeJob = statement(
  'postpone_sync_job',
  `update sync_jobs set due_at = now() + make_interval(secs => exp(least(tries, 10)))
   where location_id = $1::uuid and id = $2::uuid and status = 'processing'`,
);

/**
 * $1 a location, or null for all; $2 the age in seconds. Locations with sync jobs that are due, of which none is under way
 * and which no job of the queue is to run.
 */
export const forsakenLocations = statement<{ locationId: string; jobs: string[] }>(
  'sweep_forsaken_sync_jobs',
  `select w.location_id as "locationId", w.jobs from (
     select location_id, (array_agg(id::text order by created_at, id))[:10] as jobs from sync_jobs
     where ${isUnfinished} and ${isDue} and created_at <= now() - make_interval(secs => $2)
       and ($1::uuid is null or location_id = $1::uuid)
     group by 1) w
   join locations l on l.id = w.location_id and l.status = 'active'
   where not exists (select from graphile_worker._private_jobs j
       where j.key = 'run-sync-jobs:' || w.location_id and (j.locked_at is not null or j.attempts < j.max_attempts))
     and not exists (select from sync_jobs r where r.location_id = w.location_id and r.status = 'processing' and ${isHeld})
   limit 1000`,
);

/**
 * Jobs of the queue whose last try has ended: the sync jobs are the truth. One is left by a worker that dies at its
 * end.
 */
export const forgetSpent = statement(
  'forget_spent_sync_jobs',
  `select count(*) from graphile_worker.complete_jobs(array(select id from graphile_worker.jobs
     where task_identifier = 'run-sync-jobs' and attempts >= max_attempts and locked_at is null))`,
);

/**
 * $1 location, $2 job. First in the order of locks, so that another process that applies this job waits for the
 * outcome. Changes from here on carry the id and the key of the request that sent the job.
 */
export const lockJob = statement<JobState>(
  'lock_sync_job',
  `select ${state}, set_config('comanda.request_id', concat_ws(' ', coalesce(request_id, ''), coalesce(traceparent, ''), api_key_id), true), hold_bulk_writes(location_id)
   from sync_jobs where location_id = $1::uuid and id = $2::uuid and ${isActive} for update`,
);

/** $1 location, $2 job, $3 processed, $4 succeeded, $5 failed, $6 errors to append, $7 status, $8 error, $9 what was applied. */
export const recordProgress = statement(
  'record_sync_progress',
  `update sync_jobs set processed_items = $3, success_items = $4, failed_items = $5, errors = errors || $6::jsonb,
     applied = applied || $9::jsonb,
     status = $7::sync_job_status, error = $8::text,
     items = case when $7::text <> 'completed' then items end,
     completed_at = case when $7::text = 'processing' then null else clock_timestamp() end
   where location_id = $1::uuid and id = $2::uuid`,
);

/** $1 location, $2 job, $3 sentence. Ends a job that is not over. */
export const failJob = statement<JobState>(
  'fail_sync_job',
  `update sync_jobs set status = 'failed', error = $3, completed_at = clock_timestamp()
   where location_id = $1::uuid and id = $2::uuid and status in ('queued', 'processing')
   returning ${state}`,
);

/** $1 location, $2 job. Held, so that it is queued again once. */
export const holdJob = statement<JobState>(
  'hold_sync_job',
  `select ${state} from sync_jobs where location_id = $1::uuid and id = $2::uuid for no key update`,
);

/** $1 location, $2 job. Goes on behind what was processed; when none of that could be applied, from the beginning. */
export const queueJobAgain = statement<{ doc: string }>(
  'queue_sync_job_again',
  `update sync_jobs r set status = 'queued', error = null, started_at = null, completed_at = null, tries = 0, due_at = null,
     processed_items = case when r.success_items > 0 then r.processed_items else 0 end,
     failed_items = case when r.success_items > 0 then r.failed_items else 0 end,
     errors = case when r.success_items > 0 then r.errors else '[]' end
   from locations l where l.id = $1::uuid and r.location_id = $1::uuid and r.id = $2::uuid
   returning ${entry()} as doc`,
);

/** How far the first job of a location that waited for nothing goes before those of locations that have many. */
const headStart = `interval '1 minute'`;

/**
 * $1 location, $2 id, $3 mode, $4 items, $5 how many, $6 request, $7 what was applied, $8 its key. Returns the place in
 * the queue of the location that was served longest ago first: when its last job ended, a minute ago at most.
 */
export const insertJob = statement<{ place: Date }>(
  'insert_sync_job',
  `with last as (
     select ${isUnfinished} as waits, completed_at from sync_jobs where location_id = $1::uuid
     order by created_at desc, id desc limit 1
   ), made as (
     insert into sync_jobs (location_id, id, mode, items, total_items, request_id, applied, api_key_id)
     values ($1, $2, $3::sync_mode, $4::jsonb, $5, $6, $7::jsonb, $8::uuid)
   )
   select case when (select waits from last) then now()
     else greatest((select completed_at from last), now() - ${headStart}) end as place`,
);
