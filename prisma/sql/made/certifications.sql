-- Made by `npm run migration` and `npm run docs` from packages/db/src/tables; do not edit.

CREATE TRIGGER guard_service BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON certifications
  FOR EACH STATEMENT
  EXECUTE FUNCTION refuse_by_hand('certifications are the service''s: start one by POST /v2/certifications');
