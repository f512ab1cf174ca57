-- What a process says of itself with its heartbeat. Processes of the release before say neither.
ALTER TABLE internal.process_heartbeats ADD COLUMN clock_skew_ms integer,
  ADD COLUMN deliveries_paused boolean NOT NULL DEFAULT false;
