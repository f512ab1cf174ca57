-- What the metrics and `comanda doctor` read: totals that never fall, and indexes that make looking cheap.

-- Totals outlive the rows they count, which may be removed one day. Spread over shards: a counter in one row
-- would make every commit of a busy worker wait for the one before.
-- CreateTable
CREATE TABLE "work_totals" (
    "name" TEXT COLLATE "C" NOT NULL,
    "shard" SMALLINT NOT NULL,
    "total" BIGINT NOT NULL DEFAULT 0,

    CONSTRAINT "work_totals_pkey" PRIMARY KEY ("name","shard")
);

-- Every update fits on the page of its row.
ALTER TABLE work_totals SET (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);

CREATE FUNCTION count_ended_sync_job() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO work_totals AS t (name, shard, total)
  VALUES ('sync_jobs_' || NEW.status, get_byte(uuid_send(NEW.id), 15) & 15, 1)
  ON CONFLICT (name, shard) DO UPDATE SET total = t.total + 1;
  RETURN NULL;
END
$$;
CREATE TRIGGER count_ended AFTER UPDATE OF status ON sync_jobs FOR EACH ROW
  WHEN (OLD.status IN ('queued', 'processing') AND NEW.status IN ('completed', 'failed'))
  EXECUTE FUNCTION count_ended_sync_job();

CREATE INDEX sync_jobs_unfinished_idx ON sync_jobs (status, created_at) WHERE status IN ('queued', 'processing');

-- The relay looks every second for what was set aside: not through the whole backlog.
CREATE INDEX captured_changes_set_aside_idx ON captured_changes (retry_at) WHERE failures > 0;
