-- Sync jobs of a location run one after the other, and the table says which is next (decision 0065).
ALTER TABLE sync_jobs
  ADD COLUMN tries smallint NOT NULL DEFAULT 0,
  ADD COLUMN due_at timestamptz(3),
  ADD COLUMN queue_job bigint;
CREATE INDEX sync_jobs_next_idx ON sync_jobs (location_id, status, created_at, id) WHERE status IN ('queued', 'processing');
