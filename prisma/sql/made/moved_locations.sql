-- Made by `npm run migration` and `npm run docs` from packages/db/src/tables; do not edit.

CREATE TRIGGER guard_service BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON moved_locations
  FOR EACH STATEMENT
  EXECUTE FUNCTION refuse_by_hand('where a location went is noted by the command that moves it: comanda locations move');
