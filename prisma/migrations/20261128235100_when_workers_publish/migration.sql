-- When a worker last published, which it says with its heartbeat. Workers of the release before do not say it.
ALTER TABLE internal.process_heartbeats ADD COLUMN published_at timestamptz(3);
