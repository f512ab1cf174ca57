-- Made by `npm run migration` and `npm run docs` from packages/db/src/tables; do not edit.

CREATE TRIGGER guard_service BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON location_moves
  FOR EACH STATEMENT
  EXECUTE FUNCTION refuse_by_hand('a move to another cell is noted by the command that makes it: comanda locations move');
