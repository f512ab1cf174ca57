-- Webhook endpoints and what waits for them. An endpoint is deleted, disabled or enabled at once, whatever its history:
-- its row decides what is sent (deliverable, in the worker's statements), and the worker clears away the rest in
-- batches, by endpoint_clearings. No foreign key leads to an endpoint from its deliveries, so nobody waits for its row.

-- What waited while an endpoint was disabled is not revived: numbers of deliveries count up as they are made.
CREATE FUNCTION pass_over_waiting_deliveries() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, internal, pg_temp AS $$
BEGIN
  NEW.delivers_after := nextval('webhook_deliveries_number_seq');
  RETURN NEW;
END $$;
CREATE TRIGGER pass_over_waiting BEFORE UPDATE OF status ON webhook_endpoints
  FOR EACH ROW WHEN (NEW.status <> OLD.status) EXECUTE FUNCTION pass_over_waiting_deliveries();

CREATE FUNCTION ask_for_clearing() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, internal, pg_temp AS $$
BEGIN
  INSERT INTO endpoint_clearings (location_id, endpoint_id, gone) VALUES (OLD.location_id, OLD.id, TG_OP = 'DELETE');
  RETURN NULL;
END $$;
CREATE TRIGGER clear_waiting AFTER UPDATE OF status ON webhook_endpoints
  FOR EACH ROW WHEN (NEW.status <> OLD.status) EXECUTE FUNCTION ask_for_clearing();
CREATE TRIGGER clear_gone AFTER DELETE ON webhook_endpoints FOR EACH ROW EXECUTE FUNCTION ask_for_clearing();
