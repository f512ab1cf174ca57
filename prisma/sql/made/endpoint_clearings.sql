-- Made by `npm run migration` and `npm run docs` from packages/db/src/tables; do not edit.

CREATE TRIGGER guard_service BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON endpoint_clearings
  FOR EACH STATEMENT
  EXECUTE FUNCTION refuse_by_hand('deliveries are cleared away by themselves: disable the endpoint, or delete it');
