-- Made by `npm run migration` and `npm run docs` from packages/db/src/tables; do not edit.

CREATE TRIGGER guard_service BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON webhook_secrets
  FOR EACH STATEMENT
  EXECUTE FUNCTION refuse_by_hand('signing secrets are the service''s: rotate one by POST /v2/webhook-endpoints/{id}/rotate-secret');

CREATE TRIGGER guard_kept BEFORE DELETE ON webhook_secrets
  FOR EACH ROW
  WHEN (last_valid_secret(OLD.location_id, OLD.endpoint_id, OLD.id))
  EXECUTE FUNCTION refuse('kept', 'an endpoint is never without a signing secret: rotate it first');
