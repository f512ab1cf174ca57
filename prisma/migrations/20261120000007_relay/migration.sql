-- What the relay needs beside the captured changes themselves.

-- A change that cannot be published is set aside, tried again later, and in the end left for a person:
-- it never stops the ones behind it.
-- AlterTable
ALTER TABLE "captured_changes" ADD COLUMN "error" TEXT COLLATE "C",
ADD COLUMN "failures" SMALLINT NOT NULL DEFAULT 0,
ADD COLUMN "retry_at" TIMESTAMPTZ(3);

-- Rows live for milliseconds; what they leave behind must not pile up before the next vacuum.
ALTER TABLE captured_changes SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000,
  autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 20000);
ALTER TABLE webhook_deliveries SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 5000);

-- Enabling drops too: an event that was being published while its endpoint was disabled must not be revived.
DROP TRIGGER drop_waiting ON webhook_endpoints;
CREATE TRIGGER drop_waiting AFTER UPDATE OF status ON webhook_endpoints
  FOR EACH ROW WHEN (NEW.status <> OLD.status) EXECUTE FUNCTION drop_waiting_deliveries();

-- Claims follow this index: in the order of due times, and of events where many are due at once.
DROP INDEX webhook_deliveries_due_idx;
CREATE INDEX webhook_deliveries_due_idx ON webhook_deliveries (location_id, endpoint_id, next_attempt_at, id)
  WHERE next_attempt_at IS NOT NULL;
