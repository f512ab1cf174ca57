-- As 20261128231201_exact_stock: the type first, then the rule of its domain, and the triggers again.
CREATE DOMAIN settlement_entries_amount AS numeric;
DO $do$
DECLARE
  triggers record;
  statement text;
BEGIN
  SELECT array_agg(format('DROP TRIGGER %I ON settlement_entries', t.tgname)) AS dropped, array_agg(pg_get_triggerdef(t.oid)) || ARRAY(
      SELECT format('ALTER FUNCTION %s COST %s', p.oid::regprocedure, p.procost) FROM pg_proc p WHERE 'settlement_entries'::regtype = ANY (p.proargtypes::oid[])) AS made
  INTO triggers
  FROM pg_trigger t WHERE t.tgrelid = 'settlement_entries'::regclass AND NOT t.tgisinternal;
  FOREACH statement IN ARRAY coalesce(triggers.dropped, '{}') LOOP
    EXECUTE statement;
  END LOOP;
  ALTER TABLE settlement_entries
    DROP CONSTRAINT settlement_entries_amount_check,
    ALTER COLUMN amount TYPE settlement_entries_amount;
  FOREACH statement IN ARRAY coalesce(triggers.made, '{}') LOOP
    EXECUTE statement;
  END LOOP;
END $do$;
ALTER DOMAIN settlement_entries_amount ADD CONSTRAINT settlement_entries_amount_check
  CHECK (VALUE BETWEEN -9999999999.99 AND 9999999999.99 AND VALUE = round(VALUE, 2)) NOT VALID;
ALTER TABLE settlement_entries ADD CONSTRAINT settlement_entries_kind_check CHECK (
  CASE kind WHEN 'payment' THEN amount >= 0 WHEN 'correction' THEN amount <= 0 ELSE amount < 0 END) NOT VALID;
