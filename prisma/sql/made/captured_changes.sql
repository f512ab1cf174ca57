-- Made by `npm run migration` and `npm run docs` from packages/db/src/tables; do not edit.

CREATE TRIGGER guard_service BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON captured_changes
  FOR EACH STATEMENT
  EXECUTE FUNCTION refuse_by_hand('what waits to be published is the service''s: see comanda doctor');
