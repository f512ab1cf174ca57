-- Made by `npm run migration` and `npm run docs` from packages/db/src/tables; do not edit.

CREATE TRIGGER guard_service BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON idempotency_keys
  FOR EACH STATEMENT
  EXECUTE FUNCTION refuse_by_hand('without its idempotency key a request that is sent again would be done again');
