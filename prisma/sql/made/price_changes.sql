-- Made by `npm run migration` and `npm run docs` from packages/db/src/tables; do not edit.

CREATE TRIGGER guard_service BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON price_changes
  FOR EACH STATEMENT
  EXECUTE FUNCTION refuse_by_hand('planned prices are the service''s: plan them by POST /v2/price-changes');
