-- Made by `npm run migration` and `npm run docs` from packages/db/src/tables; do not edit.

CREATE TRIGGER guard_service BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON order_moves
  FOR EACH STATEMENT
  EXECUTE FUNCTION refuse_by_hand('moves are noted by themselves: update the status of the order');
