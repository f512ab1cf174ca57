-- Webhook endpoints and what waits for them.

-- Disabling an endpoint drops what is still waiting for it; enabling does not revive it. Enabling drops too: an event
-- that was being published while its endpoint was disabled must not be revived.
CREATE FUNCTION drop_waiting_deliveries() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, internal, pg_temp AS $$
BEGIN
  UPDATE webhook_deliveries SET status = 'dropped', next_attempt_at = NULL, leased_until = NULL, leased_by = NULL
  WHERE location_id = NEW.location_id AND endpoint_id = NEW.id AND next_attempt_at IS NOT NULL;
  RETURN NULL;
END $$;
CREATE TRIGGER drop_waiting AFTER UPDATE OF status ON webhook_endpoints
  FOR EACH ROW WHEN (NEW.status <> OLD.status) EXECUTE FUNCTION drop_waiting_deliveries();
