-- Made by `npm run migration` and `npm run docs` from packages/db/src/tables; do not edit.

CREATE TRIGGER guard_service BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON events
  FOR EACH STATEMENT
  EXECUTE FUNCTION refuse_by_hand('events have been published to others and cannot be edited');

CREATE TRIGGER guard_location_id BEFORE UPDATE OF location_id, id, number, type, resource_id, body, body_v1, request_id, traceparent, created_at ON events
  FOR EACH ROW
  WHEN (ROW(OLD.location_id, OLD.id, OLD.number, OLD.type, OLD.resource_id, OLD.body, OLD.body_v1, OLD.request_id, OLD.traceparent, OLD.created_at) IS DISTINCT FROM ROW(NEW.location_id, NEW.id, NEW.number, NEW.type, NEW.resource_id, NEW.body, NEW.body_v1, NEW.request_id, NEW.traceparent, NEW.created_at))
  EXECUTE FUNCTION refuse('never', 'an event never changes');

CREATE TRIGGER guard_kept BEFORE DELETE ON events
  FOR EACH ROW
  EXECUTE FUNCTION refuse('kept', 'events are kept for KEEP_EVENTS_DAYS');
