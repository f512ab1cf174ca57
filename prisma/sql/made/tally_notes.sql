-- Made by `npm run migration` and `npm run docs` from packages/db/src/tables; do not edit.

CREATE TRIGGER guard_service BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON tally_notes
  FOR EACH STATEMENT
  EXECUTE FUNCTION refuse_by_hand('counts follow the rows that they count: edit those');
