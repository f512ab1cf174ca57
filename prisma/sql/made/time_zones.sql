-- Made by `npm run migration` and `npm run docs` from packages/db/src/tables; do not edit.

CREATE TRIGGER guard_service BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON time_zones
  FOR EACH STATEMENT
  EXECUTE FUNCTION refuse_by_hand('npm start fills the time zones: those that PostgreSQL and Node both know');
