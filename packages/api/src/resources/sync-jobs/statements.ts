import { statement } from '@comanda/db';

/** Where a job stands. */
export interface JobState {
  mode: 'upsert' | 'create' | 'update';
  status: 'queued' | 'processing' | 'completed' | 'failed';
  total_items: number;
  processed_items: number;
  success_items: number;
  failed_items: number;
  request_id: string | null;
  /** Whether it keeps the ids of what was applied. */
  keeps_ids: boolean;
}

const state =
  'mode, status, total_items, processed_items, success_items, failed_items, request_id, applied is not null as keeps_ids';

/**
 * $1 location, $2 job. Begins a queued job and reads any. That does not wait for the disk: should a crash of the server
 * forget it, the job is queued still.
 */
export const beginJob = statement<JobState & { items: unknown }>(
  'begin_sync_job',
  `with begun as (
     update sync_jobs set status = 'processing', started_at = now()
     where location_id = $1::uuid and id = $2::uuid and status = 'queued'
   )
   select ${state}, items, set_config('synchronous_commit', 'off', true)
   from sync_jobs where location_id = $1::uuid and id = $2::uuid`,
);

/**
 * $1 location, $2 job. First in the order of locks, so that whoever else applies this job waits for the outcome. What is
 * changed from here on carries the id of the request that sent the job.
 */
export const lockJob = statement<JobState>(
  'lock_sync_job',
  `select ${state}, set_config('comanda.request_id', coalesce(request_id, ''), true), hold_bulk_writes(location_id)
   from sync_jobs where location_id = $1::uuid and id = $2::uuid for update`,
);

/** $1 location, $2 job, $3 processed, $4 succeeded, $5 failed, $6 errors to append, $7 status, $8 error, $9 what was applied. */
export const recordProgress = statement(
  'record_sync_progress',
  `update sync_jobs set processed_items = $3, success_items = $4, failed_items = $5, errors = errors || $6::jsonb,
     applied = applied || $9::jsonb,
     status = $7::sync_job_status, error = $8::text,
     items = case when $7::text = 'processing' then items end,
     completed_at = case when $7::text = 'processing' then null else clock_timestamp() end
   where location_id = $1::uuid and id = $2::uuid`,
);

/** $1 location, $2 job, $3 sentence. Ends a job that is not over. */
export const failJob = statement<JobState>(
  'fail_sync_job',
  `update sync_jobs set status = 'failed', error = $3, items = null, completed_at = clock_timestamp()
   where location_id = $1::uuid and id = $2::uuid and status in ('queued', 'processing')
   returning ${state}`,
);
