-- Sync jobs: how many have ended, for the metrics. Totals outlive the rows they count. Spread over shards: a counter in
-- one row would make every commit of a busy worker wait for the one before.

CREATE FUNCTION count_ended_sync_job() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, internal, pg_temp AS $$
BEGIN
  INSERT INTO internal.work_totals AS t (name, shard, total)
  VALUES ('sync_jobs_' || NEW.status, get_byte(uuid_send(NEW.id), 15) & 15, 1)
  ON CONFLICT (name, shard) DO UPDATE SET total = t.total + 1;
  RETURN NULL;
END
$$;
CREATE TRIGGER count_ended AFTER UPDATE OF status ON sync_jobs FOR EACH ROW
  WHEN (OLD.status IN ('queued', 'processing') AND NEW.status IN ('completed', 'failed'))
  EXECUTE FUNCTION count_ended_sync_job();
