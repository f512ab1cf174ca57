-- Made by `npm run migration` and `npm run docs` from packages/db/src/tables; do not edit.

CREATE TRIGGER guard_service BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON sql_releases
  FOR EACH STATEMENT
  EXECUTE FUNCTION refuse_by_hand('npm start keeps the book of prisma/sql');
