-- Made by `npm run migration` and `npm run docs` from packages/db/src/tables; do not edit.

CREATE TRIGGER guard_service BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON webhook_deliveries
  FOR EACH STATEMENT
  EXECUTE FUNCTION refuse_by_hand('deliveries are the service''s: send events again by POST /v2/webhook-endpoints/{id}/replay, or disable the endpoint');
