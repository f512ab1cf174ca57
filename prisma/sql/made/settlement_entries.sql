-- Made by `npm run migration` and `npm run docs` from packages/db/src/tables; do not edit.

CREATE TRIGGER guard_service BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON settlement_entries
  FOR EACH STATEMENT
  EXECUTE FUNCTION refuse_by_hand('entries are made by themselves: complete the payment, or record a refund (payments.refund)');
