-- Made by `npm run migration` and `npm run docs` from packages/db/src/tables; do not edit.

CREATE TRIGGER guard_service BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON audit_entries
  FOR EACH STATEMENT
  EXECUTE FUNCTION refuse_by_hand('the audit is written by the service alone');

CREATE TRIGGER guard_location_id BEFORE UPDATE OF location_id, id, actor_kind, api_key_id, actor_name, application_name, request_id, client_address, operation, relation, resource_id, resource_ids, row_count, changes, deed, caused_by, undo_of, created_at ON audit_entries
  FOR EACH ROW
  WHEN (ROW(OLD.location_id, OLD.id, OLD.actor_kind, OLD.api_key_id, OLD.actor_name, OLD.application_name, OLD.request_id, OLD.client_address, OLD.operation, OLD.relation, OLD.resource_id, OLD.resource_ids, OLD.row_count, OLD.changes, OLD.deed, OLD.caused_by, OLD.undo_of, OLD.created_at) IS DISTINCT FROM ROW(NEW.location_id, NEW.id, NEW.actor_kind, NEW.api_key_id, NEW.actor_name, NEW.application_name, NEW.request_id, NEW.client_address, NEW.operation, NEW.relation, NEW.resource_id, NEW.resource_ids, NEW.row_count, NEW.changes, NEW.deed, NEW.caused_by, NEW.undo_of, NEW.created_at))
  EXECUTE FUNCTION refuse('never', 'the audit never changes');

CREATE TRIGGER guard_kept BEFORE DELETE ON audit_entries
  FOR EACH ROW
  EXECUTE FUNCTION refuse('kept', 'the audit is kept for KEEP_AUDIT_DAYS');
