-- Made by `npm run migration` and `npm run docs` from packages/db/src/tables; do not edit.

CREATE TRIGGER guard_service BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON app_codes
  FOR EACH STATEMENT
  EXECUTE FUNCTION refuse_by_hand('codes of the app are made by comanda app code');
