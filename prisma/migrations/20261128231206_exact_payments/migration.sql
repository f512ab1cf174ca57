-- As 20261128231201_exact_stock: the type first, then the rule of its domain, and the triggers again.
CREATE DOMAIN payments_amount AS numeric;
DO $do$
DECLARE
  triggers record;
  statement text;
BEGIN
  SELECT array_agg(format('DROP TRIGGER %I ON payments', t.tgname)) AS dropped, array_agg(pg_get_triggerdef(t.oid)) || ARRAY(
      SELECT format('ALTER FUNCTION %s COST %s', p.oid::regprocedure, p.procost) FROM pg_proc p WHERE 'payments'::regtype = ANY (p.proargtypes::oid[])) AS made
  INTO triggers
  FROM pg_trigger t WHERE t.tgrelid = 'payments'::regclass AND NOT t.tgisinternal;
  FOREACH statement IN ARRAY coalesce(triggers.dropped, '{}') LOOP
    EXECUTE statement;
  END LOOP;
  ALTER TABLE payments
    ALTER COLUMN amount TYPE payments_amount;
  FOREACH statement IN ARRAY coalesce(triggers.made, '{}') LOOP
    EXECUTE statement;
  END LOOP;
END $do$;
ALTER DOMAIN payments_amount ADD CONSTRAINT payments_amount_check
  CHECK (VALUE BETWEEN 0 AND 9999999999.99 AND VALUE = round(VALUE, 2)) NOT VALID;
-- As in 20261128231201_exact_stock the domain before stays.
ALTER DOMAIN order_amount DROP CONSTRAINT order_amount_check;
