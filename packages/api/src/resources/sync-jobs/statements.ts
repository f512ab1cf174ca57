import { statement } from '@comanda/db';
import { pageStatement } from '../../request/page-text.ts';

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

/** Where a job stands. */
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

/**
 * $1 location, $2 job. Begins a queued job and reads any. That does not wait for the disk: should a crash of the server
 * forget it, the job is queued still.
 */
export const beginJob = statement<JobState & { items: unknown }>(
  'begin_sync_job',
  `with begun as (
     update sync_jobs set status = 'processing', started_at = now()
     where location_id = $1::uuid and id = $2::uuid and status = 'queued' and ${isActive}
   )
   select ${state}, items, set_config('synchronous_commit', 'off', true)
   from sync_jobs where location_id = $1::uuid and id = $2::uuid and ${isActive}`,
);

/**
 * $1 location, $2 job. First in the order of locks, so that whoever else applies this job waits for the outcome. What is
 * changed from here on carries the id of the request that sent the job.
 */
export const lockJob = statement<JobState>(
  'lock_sync_job',
  `select ${state}, set_config('comanda.request_id', concat_ws(' ', request_id, traceparent), true), hold_bulk_writes(location_id)
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
  `update sync_jobs r set status = 'queued', error = null, started_at = null, completed_at = null,
     processed_items = case when r.success_items > 0 then r.processed_items else 0 end,
     failed_items = case when r.success_items > 0 then r.failed_items else 0 end,
     errors = case when r.success_items > 0 then r.errors else '[]' end
   from locations l where l.id = $1::uuid and r.location_id = $1::uuid and r.id = $2::uuid
   returning ${entry()} as doc`,
);

export const insertJob = statement(
  'insert_sync_job',
  `insert into sync_jobs (location_id, id, mode, items, total_items, request_id, applied)
   values ($1, $2, $3::sync_mode, $4::jsonb, $5, $6, $7::jsonb)`,
);
