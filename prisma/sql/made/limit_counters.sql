-- Made by `npm run migration` and `npm run docs` from packages/db/src/tables; do not edit.

CREATE TRIGGER guard_service BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON limit_counters
  FOR EACH STATEMENT
  EXECUTE FUNCTION refuse_by_hand('what a key has used is counted by the service: change the limits of the key in api_keys');
